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
//! and [`scrape`]. [`strict`] reads what the server leaves unchecked.
//!
//! **Reading is lenient, the schema is strict.** Whatever is missing has its empty value, also where the schema requires
//! it: the server has checked that before, and a resource that slipped through must not stop the others from being read.
//! An option is there where the absence of a value and an empty value mean different things.
//! Writing gives every field, also the empty ones; nobody writes these resources back.

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
