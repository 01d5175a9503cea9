//! The monitoring operators with a real API server.

mod bindings;
mod changes;
mod drift;
mod dry_run;
mod fixture;
mod permissions;
mod prerequisites;
mod rejections;

pub(crate) use self::fixture::{control_plane, resource};
