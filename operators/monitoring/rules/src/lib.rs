//! Rule files of Prometheus and Thanos: from PrometheusRules to ConfigMaps. Pure.
//!
//! | file | owns |
//! |---|---|
//! | [`file`] | the text of a rule file for a version |
//! | [`check`] | every reason why Prometheus would reject it |
//! | [`enforce`] | the enforced namespace label |
//! | [`pack`] | which file goes into which ConfigMap |
//! | [`config_map`] | names and labels of the ConfigMaps |
//! | [`names`] | which names of metrics and labels are allowed |
//! | `template` | values of labels and annotations |
//! | `position` | positions of fields in the text |
//! | `json` | how the conversion through JSON changes a text |

pub mod check;
pub mod config_map;
pub mod enforce;
pub mod file;
mod json;
pub mod names;
pub mod pack;
mod position;
mod template;
#[cfg(test)]
mod tests;
#[cfg(test)]
#[path = "../../test_support/yaml_texts.rs"]
mod yaml_texts;

pub use promql::Options;
