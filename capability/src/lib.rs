//! Behaviour that operators share. Pure: values in, values out; no client, no clock, no knowledge of an operator. Operators
//! call it in `plan`, `observe` and `report`.
//!
//! | module | owns |
//! |---|---|
//! | [`health`] | the health of a pod |
//! | [`rollout`] | pods that a StatefulSet controller cannot bring up to date |
//! | [`volumes`] | claims that are smaller than they should be |
//! | [`actions`] | the actions for both: writes besides an operator's own objects, and the events about them |

pub mod actions;
pub mod health;
pub mod rollout;
pub mod volumes;
