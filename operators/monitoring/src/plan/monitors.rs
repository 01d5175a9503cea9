//! The four kinds of resources with scrape jobs: what is wrong with some, and the jobs of the others.

use api_monitoring::{PodMonitor, Probe, ScrapeConfig, SelectableKind, ServiceMonitor};
use kernel::object::Object;
use monitoring_assets::Objects;
use monitoring_scrape::document::{Fragments, Jobs};
use monitoring_scrape::{Fragment, Server, pod_monitor, probe, scrape_config, service_monitor};
use monitoring_select::{Selectable, Workload};
use serde::de::DeserializeOwned;

use crate::plan::context::LeftOut;
use crate::plan::rendered::{Addition, Rendered, Taken};
use crate::plan::selection::Selections;

/// The kinds with scrape jobs.
pub(crate) const KINDS: [SelectableKind; 4] = [
    SelectableKind::ServiceMonitor,
    SelectableKind::PodMonitor,
    SelectableKind::Probe,
    SelectableKind::ScrapeConfig,
];

/// A kind of resource with scrape jobs.
trait Monitor: Selectable + DeserializeOwned {
    /// Its jobs.
    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String>;
}

impl Monitor for ServiceMonitor {
    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        Ok(service_monitor::render(server, self, objects))
    }
}

impl Monitor for PodMonitor {
    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        Ok(pod_monitor::render(server, self, objects))
    }
}

impl Monitor for Probe {
    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        Ok(probe::render(server, self, objects))
    }
}

impl Monitor for ScrapeConfig {
    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        scrape_config::render(server, self, objects).map_err(|error| error.to_string())
    }
}

/// A workload that takes monitors in.
pub(crate) struct Scraping<'s> {
    /// What checks them.
    pub(crate) workload: &'s Workload<'s>,
    /// What their jobs are written for.
    pub(crate) server: &'s Server<'s>,
    /// Secrets and ConfigMaps.
    pub(crate) objects: &'s Objects,
}

impl Scraping<'_> {
    /// Goes through all monitors that are selected.
    pub(crate) fn render(&self, selections: &Selections, rendered: &mut Rendered) {
        let options = options(self.server);
        for kind in KINDS {
            let make = |object: &Object| match kind {
                SelectableKind::PodMonitor => self.take_in::<PodMonitor>(object),
                SelectableKind::Probe => self.take_in::<Probe>(object),
                SelectableKind::ScrapeConfig => self.take_in::<ScrapeConfig>(object),
                SelectableKind::ServiceMonitor
                | SelectableKind::PrometheusRule
                | SelectableKind::AlertmanagerConfig => self.take_in::<ServiceMonitor>(object),
            };
            rendered.pass(kind, options.clone(), (self.objects, &selections[kind]), make);
        }
    }

    fn take_in<K: Monitor>(&self, object: &Object) -> Result<Taken, String> {
        let resource: K = object.read().map_err(|error| format!("it cannot be read: {}", error.source))?;
        let accepted =
            resource.check(self.workload, self.objects).map_err(|refused| refused.problem.to_string())?;
        let fragment = resource.render(self.server, self.objects)?;
        let files = accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec()));
        Ok(Taken { addition: Addition::Jobs(fragment), files: files.collect() })
    }
}

/// The jobs of all monitors that were taken in.
pub(crate) fn jobs<'r>(
    rendered: &'r Rendered,
    left_out: &'r LeftOut,
    additional: Option<&'r str>,
) -> Jobs<'r> {
    let fragments = |kind| -> Fragments<'r> { rendered.fragments(kind, left_out).collect() };
    let [service_monitors, pod_monitors, probes, scrape_configs] = KINDS.map(fragments);
    Jobs { service_monitors, pod_monitors, probes, scrape_configs, additional }
}

/// What of a workload matters to the jobs of its resources.
fn options(server: &Server<'_>) -> Vec<u8> {
    let seen = format!("{:?}", (server.mode, server.offers, server.retains_shards));
    serde_json::to_vec(&(server.namespace, server.name, server.spec, seen))
        .expect("what was read as JSON is written as JSON")
}
