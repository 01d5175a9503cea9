//! What is checked and converted when a resource is written, and what of an AlertmanagerConfig is checked again when an
//! Alertmanager takes it in. Pure: objects in, verdicts out.
//!
//! | file | owns |
//! |---|---|
//! | [`validate`] | whether an AlertmanagerConfig makes sense by itself |
//! | [`resource`] | whether an Alertmanager can take an AlertmanagerConfig in |
//! | [`review`] | answers to the API server |
//! | [`problem`] | why not |
//! | [`address`] | addresses of receivers |
//! | `template` | templates in fields of receivers |
//! | [`json_text`] | how Go reads such texts |

pub mod address;
pub mod json_text;
pub mod problem;
pub mod resource;
pub mod review;
mod template;
pub mod validate;
