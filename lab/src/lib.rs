//! A real Kubernetes on a bare Linux machine, for tests: its programs are built into a cache, its nodes are network
//! namespaces, its volumes are on loop devices, and its images come from a local registry.
//!
//! The `lab` command only parses its arguments and calls this library. Tests that need no pods use [`ControlPlane`]
//! directly. The modules:
//!
//! | module | contents |
//! |---|---|
//! | [`args`], [`status`], [`timing`] | the command line and what it prints |
//! | [`cluster`] | a lab: up, down, nodes |
//! | [`control_plane`] | an API server alone, for tests |
//! | [`control`], [`node`], [`addons`] | the programs of the control plane and of a node, and what runs in every cluster |
//! | [`state`], [`layout`] | the description of a lab and where it is stored; its names and addresses |
//! | [`network`], `dns`, [`cgroup`], [`mounts`], [`volume`], [`pki`], [`kubeconfig`] | one resource of the machine each |
//! | [`provisioner`] | the controller of the storage classes |
//! | [`images`], [`programs`], [`versions`] | `lab/versions.toml` and `lab/images.toml`, what is built from them, and the registry |
//! | [`doctor`] | checks whether a machine can run a lab |
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
