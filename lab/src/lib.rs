//! A real Kubernetes on a bare Linux machine, for tests: its programs built into a cache, its nodes in network
//! namespaces, its volumes on loop devices, its images from a registry of its own.
//!
//! The `lab` command is a thin front; tests use [`ControlPlane`] directly where they need no pods. From the outside in:
//!
//! | module | contents |
//! |---|---|
//! | [`args`], [`status`], [`timing`] | the command line and what it prints |
//! | [`cluster`] | a lab: up, down, nodes |
//! | [`control_plane`] | an API server alone, for tests |
//! | [`control`], [`node`], [`addons`] | the programs of the control plane and of a node, and what runs in every cluster |
//! | [`state`], [`layout`] | what a lab is, where that is written down; its names and addresses |
//! | [`network`], `dns`, [`cgroup`], [`mounts`], [`volume`], [`pki`], [`kubeconfig`] | one part of the machine each |
//! | [`provisioner`] | the controller of the storage classes |
//! | [`images`], [`programs`], [`versions`] | the table `lab/versions.toml`, what is built from it, and the registry that serves it |
//! | [`doctor`] | what a machine lacks |
//! | [`process`], [`shell`], [`paths`], [`clock`], [`console`] | the only modules that start and run programs, read the environment, wait and print |

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
