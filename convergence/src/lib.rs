//! The convergence harness: every scenario of a kind is played twice without a fault, and then once for each thing that
//! can go wrong at each of its points. Whatever goes wrong, the end must be the same.
//!
//! A kind joins by listing scenarios (`kinds`); everything else knows no kind. `plan` and `drift` say what can go wrong,
//! `play` lets it happen, `oracle` and `difference` judge: all but `play` are pure. The world is an API server with its etcd
//! and its controllers, and [`standin`], which plays scheduler, kubelet, provisioner and instances.

mod afterwards;
pub mod difference;
pub mod drift;
pub mod kinds;
pub mod observer;
pub mod operator;
pub mod oracle;
mod plain;
pub mod plan;
pub mod play;
pub mod reference;
pub mod scenario;
pub mod spot;
pub mod stage;
pub mod standin;
pub mod state;
pub mod world;
