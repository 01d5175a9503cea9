//! The kernel's writer against a real API server, driven by hand: every test is one process of an operator whose passes
//! do nothing, and somebody else with all rights.

mod drift;
mod immutable;
mod objects;
mod once;
pub(crate) mod stage;
mod takeover;
mod unchanged;
mod unseen;
mod workloads;
