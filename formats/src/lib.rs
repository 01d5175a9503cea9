//! Configuration files of the applications that the operators run: typed values in, bytes out. The crate reads no
//! files and knows no cluster.
//!
//! Applications reload or restart when a byte of their configuration changes, so equal configurations must have equal
//! bytes. [`yaml`] writes the same bytes as the Prometheus Operator, so that a migration changes nothing.

pub mod alertmanager;
pub mod gzip;
pub mod prometheus;
pub mod version;
pub mod yaml;
