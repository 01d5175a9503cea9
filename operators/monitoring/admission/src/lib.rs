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
//! | [`template`] | templates, as far as it takes to know whether they can be read |
//! | [`json_text`], [`host_port`] | how Go reads such texts |

pub mod address;
pub mod host_port;
pub mod json_text;
pub mod problem;
pub mod resource;
pub mod review;
pub mod template;
pub mod validate;
