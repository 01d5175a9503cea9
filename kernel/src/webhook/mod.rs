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

pub use admission::{AdmissionDecision, ReviewRequest, Verdict};
pub use bundle::{Bundle, BundleError};
pub use certificate_store::{CertificateStore, CertificateStoreError};
pub use inject::{InjectError, Injection, InjectionTarget};
pub use renewal::{Inventory, Renewal, Validity, Wanted, decide};
pub use rotation::{Rotation, RotationError, RotationNotice};
pub use routes::{Question, Routes, WebhookError, WebhookLimits};

pub use crate::web::{Pair, Presented, PrivateKey, TlsIdentity, TlsIdentityError};
