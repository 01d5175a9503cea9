//! Which resources a workload takes in, and what is wrong with the others. Pure: resources in, verdicts out.
//!
//! | file | owns |
//! |---|---|
//! | [`selection`] | the check of each kind with scrape jobs |
//! | [`asking`] | which objects a workload asks for |
//! | [`asker`] | what each workload asks for of each kind |
//! | [`unselected`] | why an object is not asked for |
//! | [`verdict`] | what a verdict says |
//! | [`problem`] | why an object is refused |
//! | [`workload`] | the Prometheus or agent, and what is wrong with itself |
//! | [`service_monitor`], [`pod_monitor`], [`probe`], [`scrape_config`] | what is wrong with an object, a file a kind |
//! | [`scrape_class`], [`relabel`], [`tls`], [`proxy`], [`authentication`] | rules of a part that several kinds have |
//! | [`references`] | what objects point to |
//! | [`label_selector`], [`field_selector`], [`regex`], [`duration`], [`label_name`], [`url`], `host` | texts with a syntax of their own |
//! | [`certificate`] | certificates and keys |

pub mod asker;
pub mod asking;
pub mod authentication;
pub mod certificate;
pub mod duration;
pub mod field_selector;
mod host;
pub mod label_name;
pub mod label_selector;
pub mod pod_monitor;
pub mod probe;
pub mod problem;
pub mod proxy;
pub mod references;
pub mod regex;
pub mod relabel;
#[cfg(test)]
mod sample;
pub mod scrape_class;
pub mod scrape_config;
pub mod selection;
pub mod service_monitor;
pub mod tls;
pub mod unselected;
pub mod url;
pub mod verdict;
pub mod workload;

pub use api_monitoring::{PerKind, SelectableKind};
pub use asker::Asker;
pub use asking::{Asking, Candidate, Namespaces};
pub use problem::Problem;
pub use selection::Selectable;
pub use unselected::{Unselected, why_not};
pub use verdict::{Accepted, Refused};
pub use workload::Workload;
