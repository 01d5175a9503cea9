//! A real Kubernetes on a bare Linux machine, for tests: its programs built into a cache, its nodes in network
//! namespaces, its volumes on loop devices, its images from a registry of its own.
//!
//! The `lab` command is a thin front; tests use [`ControlPlane`] directly where they need no pods.

pub mod args;
pub mod clock;
pub mod console;
pub mod paths;
pub mod process;
pub mod programs;
pub mod shell;
pub mod versions;
