//! What operators share. Pure: values in, values out; no client, no clock, no operator. Operators call it in `plan`,
//! `observe` and `report`.
//!
//! | module | owns |
//! |---|---|
//! | [`health`] | how a pod is |
//! | [`rollout`] | pods that a StatefulSet controller cannot bring up to date |
//! | [`volumes`] | claims that are smaller than they should be |
//! | [`actions`] | what is done about both: writes beside an operator's own objects, and the events about them |

pub mod actions;
pub mod health;
pub mod rollout;
pub mod volumes;
