//! Prometheus servers; agents use most of it too.
//!
//! | file | owns |
//! |---|---|
//! | [`instance`] | a server or agent: names, labels, addresses |
//! | [`statefulset`] | the StatefulSet of one shard of a server |
//! | [`shard`] | what the StatefulSets of servers and agents have alike |
//! | [`pod`] | the pods of servers and agents |
//! | `arguments`, `flags` | flags, and which version has which |
//! | `volumes`, `probes` | parts of the pods |
//! | `topology` | shards that are spread over zones |
//! | `compaction` | who may merge blocks of samples |
//! | `thanos_sidecar` | the container of Thanos beside a server |
//! | [`service`], [`secrets`] | what pods need |

pub(crate) mod arguments;
mod compaction;
pub(crate) mod flags;
pub mod instance;
pub mod pod;
mod probes;
pub mod secrets;
pub mod service;
pub mod shard;
pub mod statefulset;
mod thanos_sidecar;
pub(crate) mod topology;
pub(crate) mod volumes;

pub use instance::Instance;
pub use shard::{Built, Shard};

/// Where the data is.
pub(crate) const DATA: &str = "/prometheus";
/// Where the configuration is, compressed and with signs for what is filled in.
const CONFIG: &str = "/etc/prometheus/config";
/// Where the configuration is that was filled in.
const CONFIG_OUT: &str = "/etc/prometheus/config_out";
/// Where the file is that protects the web server.
const WEB_CONFIG: &str = "/etc/prometheus/web_config";
/// Where certificates and keys are.
const CERTIFICATES: &str = "/etc/prometheus/certs";
/// Where rules are.
const RULES: &str = "/etc/prometheus/rules";
/// Where logs are that have no directory of their own.
const LOGS: &str = "/var/log/prometheus";
/// The file with the configuration, compressed.
const CONFIG_FILE: &str = "prometheus.yaml.gz";
/// The file with the configuration that was filled in.
const OUTPUT_FILE: &str = "prometheus.env.yaml";
