//! The operators of Prometheus, its agents, Alertmanager and Thanos Ruler: the stages of a pass around pure modules.
//!
//! | file | owns |
//! |---|---|
//! | [`declaration`], [`kinds`] | what each operator watches, owns and may do |
//! | [`product`] | what the program, the manifests and the documents need of these operators |
//! | [`settings`] | the settings that follow from the flags |
//! | [`stages`] | the stages of a pass, the same for all four workloads |
//! | [`kind`] | what differs between the four: `prometheus`, `agent`, `alertmanager`, `thanos_ruler` |
//! | `memory` | what is remembered of a workload between passes |
//! | [`selectors`], [`interest`] | what a workload selects, and which workloads a change concerns |
//! | `bindings` | the status of selected monitors and rules |
//! | [`loaded`] | whether pods run the written content, and when they are touched |
//! | [`rejections`] | the resources that the operand rejects |
//! | [`rollout`] | actions on pods, claims and surplus shards |
//! | `reloader_image` | new images of the reloader, which are rolled out with the next change of the pods |
//! | `preserve` | fields of existing objects that are preserved |
//! | [`offline`] | a plan without a cluster |
//! | [`metrics`] | metrics with the names of the Prometheus Operator |

pub mod admission;
pub mod agent;
pub mod alertmanager;
mod bindings;
pub mod declaration;
pub mod flags;
pub mod interest;
pub mod kind;
pub mod kinds;
pub mod kubelet;
pub mod loaded;
mod memory;
pub mod metrics;
pub mod offline;
pub mod plan;
mod preserve;
pub mod product;
pub mod prometheus;
pub mod rejections;
mod reloader_image;
pub mod rollout;
pub mod selectors;
pub mod settings;
pub mod stages;
pub mod status;
pub mod thanos_ruler;
pub mod web;
pub mod webhook;
pub mod workload;

pub use crate::product::{Monitoring, PRODUCT};
pub use agent::OfAgent;
pub use alertmanager::OfAlertmanager;
pub use declaration::{AGENT, ALERTMANAGER, PROMETHEUS, THANOS_RULER};
pub use interest::Selecting;
pub use metrics::Monitored;
pub use prometheus::OfPrometheus;
pub use settings::MonitoringSettings;
pub use stages::WorkloadOperator;
pub use thanos_ruler::OfThanosRuler;
