//! The configuration of an Alertmanager, from the resources that it selects. Pure: resources in, text out.
//!
//! | file | owns |
//! |---|---|
//! | [`provision`] | the content of the generated Secrets |
//! | [`raw_configuration`] | a configuration that the user wrote: read and checked |
//! | [`global`] | a base configuration that the user gave as a resource, with global settings |
//! | [`merge`] | AlertmanagerConfigs merged into one configuration |
//! | [`convert`] | one AlertmanagerConfig, converted to the types of the file |
//! | [`version`] | which versions are supported |

#[cfg(test)]
mod any_text;
pub mod convert;
pub mod global;
pub mod merge;
#[cfg(test)]
#[path = "../../test_support/placeholder.rs"]
mod placeholder;
pub mod provision;
pub mod raw_configuration;
#[cfg(test)]
mod tests;
pub mod version;
#[cfg(test)]
#[path = "../../test_support/yaml_texts.rs"]
mod yaml_texts;

pub use provision::{BaseInputs, Configuration};
