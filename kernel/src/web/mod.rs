//! The web server of a process: addresses, TLS, connections. The routes come from `admin` and `webhook`, which can share one
//! port.
//!
//! # Guarantees
//! - Certificate files that cannot be used are an error at the start. Later, the previous ones stay in use and the log says
//!   why.
//! - A new certificate is used for new connections; open ones continue.
//! - A client that is slow, idle or sends garbage affects only its own connection.
//! - A server that has to stop continues for some seconds, because the cluster still sends requests to a terminating pod.
//! - Private keys are in files, in Secrets and in memory, never in texts.
//!
//! | file | owns |
//! |---|---|
//! | `listen` | addresses, in the syntax of Go |
//! | `server` | connections, with or without TLS, HTTP/1.1 or HTTP/2 |
//! | `protection` | no TLS, or the present TLS configuration |
//! | `identity` | a certificate and its key, and the one that is presented |
//! | `certificates` | certificates in files, which are reloaded |
//! | `algorithms` | cipher suites and curves, by their names in Go |

mod algorithms;
mod certificates;
mod identity;
mod listen;
mod protection;
mod server;
#[cfg(test)]
pub(crate) mod tests;

pub use algorithms::{AlgorithmError, TlsVersion};
pub use certificates::{CertificateError, Certificates, TlsSettings};
pub use identity::{Pair, Presented, PrivateKey, TlsIdentity, TlsIdentityError};
pub use listen::{ListenError, listen};
pub use protection::Protection;
pub use server::{ServerLimits, WebServer};
