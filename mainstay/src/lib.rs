//! The operators as one program: wiring only. `run` is also what tests run in their own process.

pub mod args;
pub mod definitions;
pub mod manifests;
pub mod process;
pub mod render;
