//! Checks and conversions of the admission webhooks. AlertmanagerConfigs are checked again when an Alertmanager selects
//! them. Pure.
//!
//! | file | owns |
//! |---|---|
//! | [`validate`] | checks of an AlertmanagerConfig by itself |
//! | [`resource`] | checks of an AlertmanagerConfig against an Alertmanager version, Secrets and ConfigMaps |
//! | [`review`] | responses to the API server |
//! | `address` | URLs of receivers |
//! | `json_text` | how Go reads such URLs |

mod address;
mod json_text;
pub mod resource;
pub mod review;
pub mod validate;
