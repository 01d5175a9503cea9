//! The resources of `monitoring.coreos.com`: what users of the Prometheus Operator write. Types only: no input, no
//! output, no decisions.
//!
//! | kind | file |
//! |---|---|
//! | Prometheus | [`prometheus`], a file a section |
//! | PrometheusAgent | [`prometheus_agent`]; what it shares with the server is in [`prometheus::shared`] |
//! | Alertmanager | [`alertmanager`] |
//! | ThanosRuler | [`thanos_ruler`] |
//! | ServiceMonitor, PodMonitor, Probe | [`service_monitor`], [`pod_monitor`], [`probe`] |
//! | ScrapeConfig | [`scrape_config`], a file a discovery |
//! | PrometheusRule | [`prometheus_rule`] |
//! | AlertmanagerConfig | [`alertmanager_config`], a file a receiver |
//!
//! [`selectable`] lists the kinds that workloads select. What all workloads share is in [`workload`], [`pod`] and
//! [`status`]; what several kinds share, in [`text`], [`reference`], [`tls`], [`auth`], [`http`], [`web`], [`relabel`]
//! and [`scrape`]. [`strict`] reads values that the API server does not check.
//!
//! **Reading is lenient, the schema is strict.** A missing field has its empty value, even if the schema requires it: the
//! API server has checked that before, and one invalid resource must not prevent others from being read. A field is an
//! `Option` if a missing value and an empty value have different meanings. Serialization includes empty fields; these
//! resources are never written back.

pub mod alertmanager;
pub mod alertmanager_config;
pub mod auth;
pub mod http;
pub mod pod;
pub mod pod_monitor;
pub mod probe;
pub mod prometheus;
pub mod prometheus_agent;
pub mod prometheus_rule;
pub mod reference;
pub mod relabel;
pub mod scrape;
pub mod scrape_config;
pub mod selectable;
pub mod service_monitor;
pub mod status;
pub mod strict;
pub mod text;
pub mod thanos_ruler;
pub mod tls;
pub mod web;
pub mod workload;

pub use alertmanager::Alertmanager;
pub use alertmanager_config::AlertmanagerConfig;
pub use pod_monitor::PodMonitor;
pub use probe::Probe;
pub use prometheus::Prometheus;
pub use prometheus_agent::PrometheusAgent;
pub use prometheus_rule::PrometheusRule;
pub use scrape_config::ScrapeConfig;
pub use selectable::{PerKind, SelectableKind};
pub use service_monitor::ServiceMonitor;
pub use thanos_ruler::ThanosRuler;
