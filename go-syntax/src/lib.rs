//! Parsers and formatters that behave like Go's standard library and the common types of Prometheus. Prometheus,
//! Alertmanager and Thanos are written in Go: what they accept is accepted here, and what they reject is rejected
//! with the same message. The crate knows no product and no cluster: differences between products are arguments.
//!
//! | file | contents |
//! |---|---|
//! | [`quoted`] | quoted strings and characters, as in Go's messages |
//! | [`literal`] | string and number literals |
//! | [`regexp`] | validation of regular expressions |
//! | [`template`] | validation of templates |
//! | [`url`], [`host_port`] | URLs; hosts with a port |
//! | [`duration`] | durations |
//! | [`byte_size`], [`quantity`] | sizes in bytes; Kubernetes quantities |
//! | `unicode` | Go's Unicode tables |

pub mod byte_size;
pub mod duration;
pub mod host_port;
pub mod literal;
pub mod quantity;
pub mod quoted;
pub mod regexp;
pub mod template;
mod unicode;
pub mod url;
