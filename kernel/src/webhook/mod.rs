//! What the API server asks us: whether a change may happen, and what an object is in another version.
//!
//! An operator lists its handlers as [`Routes`]. Either it keeps certificates of its own making in time with a
//! [`Rotation`] and runs a [`Server`], or the routes stand behind the port of the process, which `web` protects.
//! Handlers are plain functions: they wait for nothing and know no client.
//!
//! # Guarantees
//! - A handler that panics, hangs or meets nonsense costs its own request and nothing else.
//! - A new certificate is shown to new connections; open ones go on.
//! - Clients trust an authority before anything that it signed is shown, and as long as it may be shown anywhere.
//! - Replicas agree: all writes carry the version that was read, and who loses reads again.
//! - Private keys are in the Secret and in memory, never in words.

mod admission;
mod bundle;
mod certificate_store;
mod conversion;
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
pub use conversion::Convert;
pub use inject::{InjectError, Injection, Target};
pub use renewal::{Decision as Renewal, Inventory, Validity, Wanted, decide};
pub use rotation::{Notice, Rotation, RotationError};
pub use routes::{Failure, Limits, Question, Routes};
pub use server::Server;

pub use crate::web::{Identity, IdentityError, Pair, Presented, PrivateKey};
