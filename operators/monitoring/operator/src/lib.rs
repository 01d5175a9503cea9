//! The operators of Prometheus, its agents, Alertmanager and Thanos Ruler: the thin edge around the pure modules.
//!
//! | file | owns |
//! |---|---|
//! | [`declaration`], [`kinds`] | what each operator watches, owns and may do |
//! | [`settings`] | what the flags say |
//! | [`controller`] | the stages of a pass, the same for all four workloads |
//! | [`workload`] | what the four have of their own |
//! | `follow` | what follows from a workload, with all that it points to |
//! | `rule_maps` | the ConfigMaps with its rules |
//! | `told` | its status, its conditions, what is new |
//! | [`bindings`] | what monitors and rules are told about themselves |
//! | `load`, `mounts` | whether pods run what was written, and what is done so that they do |
//! | `refused` | what is left out because the operand refuses it |
//! | `roll` | what is done about pods, claims and surplus shards |
//! | `rights` | what we may do, where we can do without |
//! | [`outside`] | what pods need and others make |
//! | [`shared`] | what passes and controllers share |
//! | `vault` | contents of Secrets and ConfigMaps that something points to, and of no others |
//! | [`interest`] | whom a change concerns |
//! | `lazy` | images of the reloader that ride along with the next change |
//! | `keep` | what stays of objects that are there |
//! | [`metrics`] | what is counted under the names of the Prometheus Operator |

pub mod bindings;
pub mod controller;
pub mod declaration;
mod follow;
pub mod interest;
mod keep;
pub mod kinds;
mod lazy;
mod load;
pub mod metrics;
mod mounts;
pub mod outside;
mod refused;
mod rights;
mod roll;
mod rule_maps;
pub mod settings;
pub mod shared;
mod told;
mod unknown;
mod vault;
pub mod workload;

pub use bindings::Found;
pub use controller::WorkloadOperator;
pub use declaration::{AGENT, ALERTMANAGER, PROMETHEUS, THANOS_RULER};
pub use interest::Selections;
pub use metrics::Monitored;
pub use monitoring_loaded::pace::Settings as Pace;
pub use settings::Settings;
pub use shared::Shared;
pub use workload::{OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler};
