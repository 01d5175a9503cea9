//! What is to be done about StatefulSets, their pods and claims, and shards that are too many. Kubernetes does most of it;
//! this is what it leaves undone. Pure: decided from what is there and the time, nothing is remembered.
//!
//! | file | owns |
//! |---|---|
//! | [`decide`] | what is to be done about one StatefulSet, all in all |
//! | `members` | the pods that bear the names of a StatefulSet, and whose they are |
//! | `prospect` | whether a pod that is not ready may still become it |
//! | [`blocked`] | pods that the StatefulSet controller can never bring up to date |
//! | [`relabel`] | pods that a StatefulSet with another selector shall adopt |
//! | [`repair`] | pods that a stuck roll-out waits for |
//! | [`removal`] | a pod that shall go, and why |
//! | [`wake`] | how the StatefulSet controller learns that a pod in its way is gone |
//! | [`growth`] | claims that are smaller than their template asks |
//! | [`retention`] | shards that are too many: kept for a while, or let go |

pub mod blocked;
pub mod decide;
pub mod growth;
mod members;
mod prospect;
pub mod relabel;
pub mod removal;
pub mod repair;
pub mod retention;
#[cfg(test)]
mod tests;
pub mod wake;

pub use decide::{Decision, Situation, decide};
pub use growth::{Growth, Resize};
pub use relabel::Relabel;
pub use removal::{How, Removal, Why};
pub use repair::Policy;
pub use retention::{Surplus, surplus};
