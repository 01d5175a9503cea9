//! The check of each kind of object with scrape jobs, behind one trait.

use api_monitoring::{PodMonitor, Probe, ScrapeConfig, SelectableKind, ServiceMonitor};
use monitoring_assets::Objects;

use crate::verdict::{Accepted, Refused};
use crate::workload::Workload;
use crate::{pod_monitor, probe, scrape_config, service_monitor};

/// A kind of object that a workload can take in.
pub trait Selectable {
    /// Which one.
    const KIND: SelectableKind;

    /// Whether an object is good.
    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused>;
}

impl Selectable for ServiceMonitor {
    const KIND: SelectableKind = SelectableKind::ServiceMonitor;

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        service_monitor::check(workload, self, objects)
    }
}

impl Selectable for PodMonitor {
    const KIND: SelectableKind = SelectableKind::PodMonitor;

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        pod_monitor::check(workload, self, objects)
    }
}

impl Selectable for Probe {
    const KIND: SelectableKind = SelectableKind::Probe;

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        probe::check(workload, self, objects)
    }
}

impl Selectable for ScrapeConfig {
    const KIND: SelectableKind = SelectableKind::ScrapeConfig;

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        scrape_config::check(workload, self, objects)
    }
}
