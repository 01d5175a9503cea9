//! What is told about a workload: how many of its pods are there, whether it is available and whether the last pass went
//! well. Pure: objects and the time in, status out.
//!
//! | file | owns |
//! |---|---|
//! | [`pods`] | the pods of a StatefulSet, and what they come to |
//! | [`daemons`] | the pods of a DaemonSet, and what they come to |
//! | [`binding`] | what monitors, rules and AlertmanagerConfigs say of the workloads that select them |
//! | [`condition`] | conditions, and how new ones replace old ones |
//! | [`reconciliation`] | how the last pass went, in words |
//! | [`deprecation`] | fields that should not be used any longer |
//! | [`prometheus`] | the status of a Prometheus or an agent, over all shards |
//! | [`alertmanager`], [`thanos_ruler`] | the status of the others |
//! | `observed` | what their one StatefulSet comes to |

pub mod binding;
pub mod condition;
pub mod daemons;
pub mod deprecation;
pub(crate) mod observed;
pub mod pods;
pub mod reconciliation;

pub use condition::Availability;
pub use daemons::Daemons;
pub use pods::Pods;
pub use reconciliation::Reconciliation;
