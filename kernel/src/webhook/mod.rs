//! Webhooks.
//!
//! An operator lists its handlers as [`Routes`]. Either it manages its own certificates with a [`Rotation`] and runs a
//! [`Server`], or the routes are served by the port of the process, which `web` protects. Handlers are plain functions: they
//! do not block and have no client.
//!
//! # Guarantees
//! - A handler that panics, hangs or gets invalid input affects only its own request.
//! - A new certificate is used for new connections; open ones continue.
//! - Clients trust an authority before a certificate that it signed is presented, and as long as one may be presented.
//! - Replicas agree: all writes carry the version that was read; a replica that loses a race reads again.
//! - Private keys are in the Secret and in memory, never in texts.

mod admission;
mod bundle;
mod certificate_store;
mod inject;
mod renewal;
mod rotation;
mod routes;
mod server;
#[cfg(test)]
mod tests;

pub use admission::{Decision, Request, Verdict};
pub use bundle::{Bundle, BundleError};
pub use certificate_store::{CertificateStore, CertificateStoreError};
pub use inject::{InjectError, Injection, Target};
pub use renewal::{Decision as Renewal, Inventory, Validity, Wanted, decide};
pub use rotation::{Notice, Rotation, RotationError};
pub use routes::{Failure, Limits, Question, Routes};
pub use server::Server;

pub use crate::web::{Identity, IdentityError, Pair, Presented, PrivateKey};
