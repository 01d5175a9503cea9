//! The convergence harness: every scenario of a kind runs twice without a fault, and then once for each thing that can go
//! wrong at each of its points. Whatever fails, the result must be the same.
//!
//! `kinds` lists the scenarios of each kind; everything else is independent of kinds. `catalogue` and `drift` say what can
//! go wrong, `draw` selects what runs, `runner` runs it, `evidence` checks that it took effect, and `oracle`, `pods` and
//! `difference` check the result. All of them but `runner` are pure. The cluster consists of an API server, its etcd, its
//! controllers, and [`standin`], which replaces the scheduler, the kubelet, the volume provisioner and the instances.

pub mod catalogue;
pub mod class;
pub mod cluster;
pub mod difference;
pub mod draw;
pub mod drift;
pub mod evidence;
mod final_perturbations;
mod foreign_edits;
pub mod injection_point;
pub mod kinds;
pub mod observer;
pub mod operator;
pub mod oracle;
mod perturb;
mod plain;
pub mod plan;
pub mod pods;
pub mod reference;
pub mod runner;
pub mod scenario;
pub mod standin;
pub mod state;
pub mod testbed;
