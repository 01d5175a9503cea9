//! The convergence harness: every scenario of a kind runs twice without a fault, and then once for each thing that can go
//! wrong at each of its points. Whatever fails, the result must be the same.
//!
//! A kind joins by listing scenarios (`kinds`); everything else knows no kind. `catalogue` and `drift` say what can go wrong,
//! `draw` which of that runs, `play` runs it, `strike` checks that it took effect, `oracle`, `pods` and `difference` check the
//! result: all but `play` are pure. The world is an API server with its etcd
//! and its controllers, and [`standin`], which plays scheduler, kubelet, provisioner and instances.

mod afterwards;
pub mod catalogue;
pub mod class;
pub mod difference;
pub mod draw;
pub mod drift;
mod interference;
pub mod kinds;
pub mod observer;
pub mod operator;
pub mod oracle;
mod perturb;
mod plain;
pub mod plan;
pub mod play;
pub mod pods;
pub mod reference;
pub mod scenario;
pub mod spot;
pub mod stage;
pub mod standin;
pub mod state;
pub mod strike;
pub mod world;
