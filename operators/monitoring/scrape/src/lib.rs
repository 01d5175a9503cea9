//! The configuration of a Prometheus, from the resources that it selected. Pure: resources in, text out.
//!
//! | file | owns |
//! |---|---|
//! | [`document`] | the whole file, of a server and of an agent |
//! | [`server`] | what of a workload matters to its configuration |
//! | `fragment` | the jobs of one resource, as they stand in the file |
//! | [`service_monitor`], [`pod_monitor`], [`probe`], [`scrape_config`] | the jobs of a resource, a file a kind |
//! | `job`, `limits`, `name_scheme`, `scrape_class` | what jobs of all kinds say alike |
//! | [`kubernetes_sd`], `port`, `selector` | how targets are found in the cluster |
//! | `relabel`, `sharding` | steps that keep, drop and label targets |
//! | `client` | credentials, TLS and proxies of anything that asks over HTTP |
//! | `global`, `storage`, `alerting`, `remote_write`, `remote_read`, `otlp`, `tracing` | the sections of the workload itself |
//! | `additional` | what users wrote themselves in the YAML of Prometheus |
//! | `log_file`, `quantity` | how values of resources are read |

mod additional;
mod alerting;
mod client;
#[cfg(test)]
mod corners;
pub mod document;
mod fragment;
mod global;
mod job;
pub mod kubernetes_sd;
mod limits;
mod log_file;
mod name_scheme;
mod otlp;
pub mod pod_monitor;
mod port;
pub mod probe;
mod quantity;
mod relabel;
mod remote_read;
mod remote_write;
mod scrape_class;
pub mod scrape_config;
mod selector;
pub mod server;
pub mod service_monitor;
mod sharding;
mod storage;
mod tracing;

pub use fragment::Fragment;
pub use remote_write::file as remote_write_file;
pub use server::{Mode, Offers, Server, ServerError};
