//! Thanos Rulers.
//!
//! | file | owns |
//! |---|---|
//! | [`instance`] | a Thanos Ruler: names, labels |
//! | [`statefulset`] | the StatefulSet |
//! | `pod` | the pods |
//! | `arguments` | flags, which version has which, and the files that they point to |
//! | `volumes` | volumes, and where containers see them |
//! | [`remote_write`] | endpoints, as far as Thanos understands them |
//! | [`service`], [`secrets`] | what pods need |

mod arguments;
pub mod instance;
mod pod;
pub mod remote_write;
pub mod secrets;
pub mod service;
pub mod statefulset;
mod volumes;

pub use instance::Instance;
pub use pod::PodError;

/// Where the data is.
const DATA: &str = "/thanos/data";
/// Where files are that flags point to.
const CONFIG: &str = "/etc/thanos/config";
/// Where certificates and keys are.
const CERTIFICATES: &str = "/etc/thanos/certs";
/// Where rules are.
const RULES: &str = "/etc/thanos/rules";
/// Where the file is that protects the web server.
const WEB_CONFIG: &str = "/etc/thanos/web_config";
/// The file with the endpoints that samples are sent to, and its key in the Secret.
const REMOTE_WRITE_FILE: &str = "remote-write.yaml";
/// The port of the web server.
const WEB_PORT: i32 = 10902;
/// The port of the gRPC server.
const GRPC_PORT: i32 = 10901;
