//! The status of workloads: how many of their pods are there, whether they are available, and whether the last pass succeeded.
//! Pure: objects and the time in, status out.
//!
//! | file | owns |
//! |---|---|
//! | [`pods`] | the pods of a StatefulSet |
//! | [`daemons`] | the pods of a DaemonSet |
//! | `summary` | counts and conditions of a workload |
//! | [`condition`] | how new conditions replace old ones |
//! | [`condition_type`] | the conditions that the operator adds, and the events about them |
//! | [`reconciliation`] | the result of the last pass |
//! | [`deprecation`] | deprecated fields |
//! | [`binding`] | the status of monitors, rules and AlertmanagerConfigs, for each workload that selects them |

pub mod binding;
pub mod condition;
pub mod condition_type;
pub mod daemons;
pub mod deprecation;
pub mod pods;
pub mod reconciliation;
pub(crate) mod summary;

pub use condition::Availability;
pub use condition_type::ConditionType;
pub use daemons::Daemons;
pub use pods::Pods;
pub use reconciliation::Reconciliation;
