//! Configuration files of the applications that the operators run: values in, bytes out. Nothing here reads a file or
//! knows a cluster.
//!
//! Servers restart or reload when a byte of their configuration changes, so a file that says the same must be the same:
//! [`yaml`] writes as the programs wrote that users come from.

pub mod alertmanager;
pub mod gzip;
pub mod prometheus;
pub mod version;
pub mod yaml;
