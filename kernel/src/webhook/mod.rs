//! What the API server asks us: whether a change may happen, and what an object is in another version. Over TLS, with
//! certificates of our own making or from files.
//!
//! An operator lists its handlers as [`Routes`], keeps certificates in time with a [`Rotation`] (or [`Files`]), and runs
//! a [`Server`]. Handlers are plain functions: they wait for nothing and know no client.
//!
//! # Guarantees
//! - A handler that panics, hangs or meets nonsense costs its own request and nothing else.
//! - A new certificate is shown to new connections; open ones go on.
//! - Clients trust an authority before anything that it signed is shown, and as long as it may be shown anywhere.
//! - Replicas agree: all writes carry the version that was read, and who loses reads again.
//! - Private keys are in the Secret and in memory, never in words.

mod admission;
mod bundle;
mod conversion;
mod identity;
mod inject;
mod renewal;
mod rotation;
mod server;
#[cfg(test)]
mod tests;
mod vault;

pub use admission::{Decision, Request, Verdict};
pub use bundle::{Bundle, BundleError, Pair, PrivateKey};
pub use conversion::Convert;
pub use identity::{Identity, IdentityError, Presented};
pub use inject::{InjectError, Injection, Target};
pub use renewal::{Decision as Renewal, Inventory, Validity, Wanted, decide};
pub use rotation::{Files, Notice, Rotation, RotationError};
pub use server::{Limits, Routes, Server};
pub use vault::{Vault, VaultError};
