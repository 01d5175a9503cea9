//! Secrets and ConfigMaps that monitoring resources point to. Reading one remembers that it was read, so that a change of
//! it finds everybody whom it concerns, and only them.
//!
//! | file | owns |
//! |---|---|
//! | `objects` | what can be read |
//! | `named` | what a resource points to, before anything is read |
//! | `reader` | reading, and what was read |
//! | [`file`] | the names under which certificates and keys are mounted |

pub mod file;
mod named;
mod objects;
mod reader;

pub use named::Named;
pub use objects::Objects;
pub use reader::{Missing, Reader, Reference, Source};
