//! A real Kubernetes on a bare Linux machine, for tests: its programs built into a cache, its nodes in network
//! namespaces, its volumes on loop devices, its images from a registry of its own.
//!
//! The `lab` command is a thin front; tests use [`ControlPlane`] directly where they need no pods.

pub mod addons;
pub mod args;
pub mod cgroup;
pub mod clock;
pub mod cluster;
pub mod console;
pub mod control;
pub mod control_plane;
mod dns;
pub mod doctor;
pub mod images;
pub mod kubeconfig;
pub mod layout;
pub mod mounts;
pub mod network;
pub mod node;
pub mod paths;
pub mod pki;
pub mod process;
pub mod programs;
pub mod provisioner;
pub mod quantity;
pub mod shell;
pub mod state;
pub mod status;
pub mod timing;
pub mod versions;
pub mod volume;

pub use control_plane::ControlPlane;
