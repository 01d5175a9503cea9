//! The monitoring operators on a real API server.

mod bindings;
mod changes;
mod needs;
mod rights;
mod stage;

pub(crate) use stage::{control_plane, resource};
