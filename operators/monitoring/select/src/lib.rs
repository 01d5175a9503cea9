//! Which resources a workload selects, and which of them are invalid. Pure: resources in, accepted or rejected out.
//!
//! | file | owns |
//! |---|---|
//! | [`selection`] | which resources a workload selects |
//! | `selectable` | the check of each kind with scrape jobs, as a trait |
//! | [`server`] | a Prometheus or a PrometheusAgent |
//! | [`workload`] | the check of the Prometheus or the PrometheusAgent itself |
//! | `service_monitor`, `pod_monitor`, `probe`, `scrape_config` | the check of a resource, a file a kind |
//! | `endpoint`, [`scrape_class`], [`relabel`], [`tls`], [`proxy`], [`authentication`] | checks of parts that several kinds have |
//! | [`problem`] | why a resource is rejected |
//! | [`references`] | the references of a resource, and the result of its check |
//! | [`label_selector`], [`field_selector`], [`duration`], [`label_name`], `host` | texts with a syntax of their own |
//! | [`certificate`] | certificates and keys |

pub mod authentication;
pub mod certificate;
pub mod duration;
mod endpoint;
pub mod field_selector;
mod host;
pub mod label_name;
pub mod label_selector;
mod pod_monitor;
mod probe;
pub mod problem;
pub mod proxy;
pub mod references;
pub mod relabel;
#[cfg(test)]
mod sample;
pub mod scrape_class;
mod scrape_config;
mod selectable;
pub mod selection;
pub mod server;
mod service_monitor;
pub mod tls;
pub mod workload;

pub use api_monitoring::{PerKind, SelectableKind};
pub use problem::Problem;
pub use references::{Accepted, Rejected};
pub use selectable::Selectable;
pub use selection::{Candidate, LabelsByNamespace, ResourceSelector};
pub use server::{Mode, Offers, Server};
