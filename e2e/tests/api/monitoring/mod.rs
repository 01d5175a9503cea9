//! The monitoring operators on a real API server.

mod bindings;
mod changes;
mod drift;
mod dry_run;
mod needs;
mod remembered;
mod rights;
mod stage;

pub(crate) use stage::{control_plane, resource};
