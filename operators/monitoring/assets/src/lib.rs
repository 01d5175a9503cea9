//! Secrets and ConfigMaps that monitoring resources reference. Every read is recorded, so that a change of an object
//! reconciles the resources that reference it, and no others.
//!
//! | file | owns |
//! |---|---|
//! | `objects` | the objects that were fetched |
//! | `named` | the references of a resource, before anything is fetched |
//! | `reader` | reads keys and records the references |
//! | [`file`] | the file names of mounted certificates and keys |

pub mod file;
mod named;
mod objects;
mod reader;

pub use named::Named;
pub use objects::Objects;
pub use reader::{Missing, MissingReason, Reader, Reference, SourceKind};
