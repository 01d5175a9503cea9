//! The status of workloads: how many pods they have, whether they are available, and whether the last pass succeeded. Pure.
//!
//! | file | owns |
//! |---|---|
//! | [`pods`] | the pods of a StatefulSet |
//! | [`daemons`] | the pods of a DaemonSet |
//! | [`summary`] | the pods of a workload, over all of its shards |
//! | [`availability`] | whether a workload is available |
//! | [`condition_type`] | the conditions that the operator adds, and the events about them |
//! | [`reconciliation`] | the result of the last pass |
//! | [`deprecation`] | deprecated fields |
//! | [`binding`] | the status of monitors, rules and AlertmanagerConfigs, for each workload that selects them |

pub mod availability;
pub mod binding;
pub mod condition_type;
pub mod daemons;
pub mod deprecation;
pub mod pods;
pub mod reconciliation;
pub mod summary;

pub use availability::Availability;
pub use condition_type::ConditionType;
pub use daemons::Daemons;
pub use pods::Pods;
pub use reconciliation::Reconciliation;
pub use summary::PodSummary;
