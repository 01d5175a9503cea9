//! A sidecar: when the files of a configuration change, it expands the configuration and reloads the server in its pod.
//! A drop-in for `prometheus-config-reloader`. It depends on no other crate of this repository, does not use the
//! Kubernetes API, and keeps no file in memory.
//!
//! | module | owns |
//! |---|---|
//! | `flags` | the command line, the same as the peer's |
//! | `run` | starts everything, and the main loop: waits, passes, reloads |
//! | `schedule` | when the next pass or reload is due; pure |
//! | `watch` | inotify: which directories are watched |
//! | `content` | one pass: hashes, decompression, expansion, the output file |
//! | `reload` | how the server is reloaded, and whether that succeeded |
//! | `client`, `connection`, `address`, `url` | one HTTP request |
//! | `server` | metrics, health and status over HTTP or TLS |
//! | `report`, `metrics`, `process` | status and metrics of this process |
//! | `log`, `clock`, `environment` | the only modules that print, read the time, read the environment |

mod address;
pub mod client;
pub mod clock;
mod connection;
pub mod content;
pub mod environment;
pub mod flags;
pub mod log;
pub mod metrics;
pub mod process;
pub mod reload;
pub mod report;
pub mod run;
pub mod schedule;
pub mod server;
pub mod url;
pub mod watch;

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
