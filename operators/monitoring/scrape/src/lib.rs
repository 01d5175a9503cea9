//! The configuration of a Prometheus, from the resources that it selects. Pure: resources in, text out.
//!
//! | file | owns |
//! |---|---|
//! | [`document`] | the whole file, of a server and of an agent |
//! | `fragment` | the jobs of one resource, as bytes of the file |
//! | [`service_monitor`], [`pod_monitor`], [`probe`], [`scrape_config`] | the jobs of a resource, a file a kind |
//! | `job`, `monitor`, `limits`, `scrape_class` | what jobs of several kinds have in common |
//! | [`kubernetes_sd`], `port`, `selector` | how targets are found in the cluster |
//! | `relabel`, `sharding` | steps that keep, drop and label targets |
//! | `client` | credentials, TLS and proxies of HTTP clients |
//! | `global`, `storage`, `alerting`, `remote_write`, `remote_read`, `otlp`, `tracing` | the sections of the workload itself |
//! | `additional` | additional jobs and settings that users write in the YAML of Prometheus |
//! | `log_file`, `quantity` | how values of resources are converted |

mod additional;
mod alerting;
mod client;
pub mod document;
mod fragment;
mod global;
mod job;
pub mod kubernetes_sd;
mod limits;
mod log_file;
mod monitor;
mod otlp;
#[cfg(test)]
#[path = "../../test_support/placeholder.rs"]
mod placeholder;
pub mod pod_monitor;
mod port;
pub mod probe;
#[cfg(test)]
mod properties;
mod quantity;
mod relabel;
mod remote_read;
mod remote_write;
mod scrape_class;
pub mod scrape_config;
mod selector;
pub mod service_monitor;
mod sharding;
mod storage;
mod tracing;
#[cfg(test)]
#[path = "../../test_support/yaml_texts.rs"]
mod yaml_texts;

pub use fragment::Fragment;
pub use job::Resource;
pub use monitoring_select::{Mode, Offers, Server};
pub use relabel::with_enforced;
pub use remote_write::file as remote_write_file;
