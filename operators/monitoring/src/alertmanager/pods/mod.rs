//! Alertmanagers.
//!
//! | file | owns |
//! |---|---|
//! | [`instance`] | an Alertmanager: names, labels, addresses |
//! | [`statefulset`] | the StatefulSet |
//! | `pod` | the pods |
//! | `arguments` | flags, and which version has which |
//! | `volumes`, `probes` | parts of the pods |
//! | [`service`], [`secrets`] | what pods need |

mod arguments;
pub mod instance;
mod pod;
mod probes;
pub mod secrets;
pub mod service;
pub mod statefulset;
mod volumes;

pub use instance::Instance;
pub use pod::PodError;

/// Where the data is.
const DATA: &str = "/alertmanager";
/// Where the configuration is, compressed and with signs for what is filled in.
const CONFIG: &str = "/etc/alertmanager/config";
/// Where the configuration is that was filled in.
const CONFIG_OUT: &str = "/etc/alertmanager/config_out";
/// The file with the configuration, compressed.
const CONFIG_FILE: &str = "alertmanager.yaml.gz";
/// The file with the configuration that was filled in.
const OUTPUT_FILE: &str = "alertmanager.env.yaml";
/// Where certificates and keys are.
const CERTIFICATES: &str = "/etc/alertmanager/certs";
/// Where the file is that protects the web server.
const WEB_CONFIG: &str = "/etc/alertmanager/web_config";
/// Where the file is that protects the talk between peers.
const CLUSTER_CONFIG: &str = "/etc/alertmanager/cluster_tls_config";
/// Where templates of notifications are.
const TEMPLATES: &str = "/etc/alertmanager/templates";
/// The port of the web server.
const WEB_PORT: i32 = 9093;
/// The port of the talk between peers.
const MESH_PORT: i32 = 9094;
/// The name of that port for packets.
const MESH_UDP: &str = "mesh-udp";
/// The name of that port for connections.
const MESH_TCP: &str = "mesh-tcp";
