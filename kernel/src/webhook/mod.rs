//! Webhooks.
//!
//! An operator lists its handlers as [`Routes`]. The port of the process serves them, or a server of its own, whose
//! certificates a [`Rotation`] manages. Handlers are plain functions: they do not block and have no client.
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
#[cfg(test)]
mod tests;

pub use admission::{Decision, Request, Verdict};
pub use bundle::{Bundle, BundleError};
pub use certificate_store::{CertificateStore, CertificateStoreError};
pub use inject::{InjectError, Injection, Target};
pub use renewal::{Decision as Renewal, Inventory, Validity, Wanted, decide};
pub use rotation::{Notice, Rotation, RotationError};
pub use routes::{Failure, Limits, Question, Routes};

pub use crate::web::{Identity, IdentityError, Pair, Presented, PrivateKey};
