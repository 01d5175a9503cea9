//! The configuration of an Alertmanager, from the resources that it selected. Pure: resources in, text out.
//!
//! | file | owns |
//! |---|---|
//! | [`provision`] | everything that the generated Secret holds |
//! | [`raw_configuration`] | a configuration that the user wrote: read, checked, written again |
//! | [`global`] | a configuration that the user gave as a resource, with its global part |
//! | [`merge`] | many AlertmanagerConfigs into one configuration |
//! | [`convert`] | from a resource to the file, a file a part |
//! | [`version`] | which versions are supported |

pub mod convert;
#[cfg(test)]
mod corners;
pub mod global;
pub mod merge;
pub mod provision;
pub mod raw_configuration;
#[cfg(test)]
mod tests;
pub mod version;

pub use provision::{Configuration, Inputs, provision};
