//! The operators of Prometheus, its agents, Alertmanager and Thanos Ruler: the thin edge around the pure modules.
//!
//! | file | owns |
//! |---|---|
//! | [`declaration`], [`kinds`] | what each operator watches, owns and may do |
//! | [`settings`] | what the flags say |
//! | [`controller`] | the stages of a pass, the same for all four workloads |
//! | [`kind`] | what the four have of their own |
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

pub mod admission;
pub mod agent;
pub mod alertmanager;
pub mod bindings;
pub mod controller;
pub mod declaration;
pub mod flags;
mod follow;
pub mod interest;
mod keep;
pub mod kind;
pub mod kinds;
pub mod kubelet;
mod lazy;
mod load;
pub mod loaded;
pub mod metrics;
mod mounts;
pub mod outside;
pub mod plan;
pub mod prometheus;
mod refused;
mod rights;
mod roll;
pub mod rollout;
mod rule_maps;
pub mod settings;
pub mod shared;
pub mod status;
pub mod thanos_ruler;
mod told;
mod unknown;
mod vault;
pub mod web;
pub mod webhook;
pub mod workload;

pub use agent::OfAgent;
pub use alertmanager::OfAlertmanager;
pub use bindings::Found;
pub use controller::WorkloadOperator;
pub use declaration::{AGENT, ALERTMANAGER, PROMETHEUS, THANOS_RULER};
pub use interest::Selections;
pub use loaded::pace::Settings as Pace;
pub use metrics::Monitored;
pub use prometheus::OfPrometheus;
pub use settings::Settings;
pub use shared::Shared;
pub use thanos_ruler::OfThanosRuler;
