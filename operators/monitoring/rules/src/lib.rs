//! Rule files of Prometheus and Thanos: from PrometheusRules to ConfigMaps. Everything here is a function of what it is
//! given.
//!
//! | file | owns |
//! |---|---|
//! | [`file`] | the text of a rule file for a version, and what had to be left out |
//! | [`check`] | whether Prometheus would load it, and every reason why not |
//! | [`enforce`] | rules and targets bound to their namespace |
//! | [`pack`] | which file goes into which ConfigMap |
//! | [`config_map`] | names and labels of the ConfigMaps |
//! | [`names`] | which names of metrics and labels are allowed |
//! | `template` | the texts of labels and annotations |
//! | `fields` | which fields a version knows |
//! | `place` | where a field stands in the text |
//! | `json` | what a text becomes on its way through JSON |

pub mod check;
pub mod config_map;
pub mod enforce;
mod fields;
pub mod file;
mod json;
pub mod names;
pub mod pack;
mod place;
mod template;
#[cfg(test)]
mod tests;

pub use promql::Options;
