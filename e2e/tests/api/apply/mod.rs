//! The writer of the kernel with a real API server, called directly: each test has one process of an operator whose passes do
//! nothing, and another client with all permissions.

mod drift;
pub(crate) mod fixture;
mod immutable;
mod objects;
mod once;
mod takeover;
mod unchanged;
mod unseen;
mod workloads;
