//! The web server of a process: where it listens, how it is protected, how connections are served. What is answered is
//! said by `admin` and `webhook`, whose routers can stand behind one and the same port.
//!
//! # Guarantees
//! - Files with certificates that cannot be used are an error at the start. Later, those before stay in force and the
//!   log says why.
//! - A new certificate is shown to new connections; open ones go on.
//! - A client that is slow, silent or speaks nonsense costs its own connection and nothing else.
//! - A server that is asked to stop goes on for some seconds: so long the cluster sends requests to a pod that ends.
//! - Private keys are in files, in Secrets and in memory, never in words.
//!
//! | file | owns |
//! |---|---|
//! | `listen` | addresses, as Go writes them |
//! | `server` | connections, clear or protected, HTTP/1.1 or HTTP/2 |
//! | `protection` | clear text, or the rules of TLS that are in force |
//! | `identity` | a certificate and its key, and what is shown at present |
//! | `certificates` | certificates in files, looked at again and again |
//! | `algorithms` | cipher suites and curves, by the names that Go gives them |

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
pub use identity::{Identity, IdentityError, Pair, Presented, PrivateKey};
pub use listen::{ListenError, listen};
pub use protection::Protection;
pub use server::{Limits, Server};
