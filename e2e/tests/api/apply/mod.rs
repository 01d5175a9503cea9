//! The kernel's writer against a real API server, called directly: every test is one process of an operator whose passes
//! do nothing, and somebody else with all permissions.

mod drift;
mod immutable;
mod objects;
mod once;
pub(crate) mod stage;
mod takeover;
mod unchanged;
mod unseen;
mod workloads;
