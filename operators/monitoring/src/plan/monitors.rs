//! The kinds of resources with scrape jobs: their jobs, or why they are rejected.

use api_monitoring::{PerKind, PodMonitor, Probe, ScrapeConfig, SelectableKind, ServiceMonitor};
use kernel::object::Object;
use monitoring_assets::Objects;
use monitoring_scrape::document::{Fragments, Jobs};
use monitoring_scrape::{Fragment, Server, pod_monitor, probe, scrape_config, service_monitor};
use monitoring_select::Selectable;
use serde::de::DeserializeOwned;

use crate::plan::context::Excluded;
use crate::plan::rendered::{Contribution, Rendered};
use crate::plan::selection::Selections;

/// What monitors are checked against and rendered for.
pub(crate) struct Scraping<'s> {
    /// The settings that they are checked against and their jobs are written for.
    pub(crate) server: &'s Server<'s>,
    /// Secrets and ConfigMaps.
    pub(crate) objects: &'s Objects,
}

impl Scraping<'_> {
    /// Renders all selected monitors.
    pub(crate) fn render(&self, selections: &Selections, rendered: &mut Rendered) {
        let (options, server, objects) = (options(self.server), self.server, self.objects);
        for kind in SelectableKind::WITH_JOBS {
            let make = |object: &Object| match kind {
                SelectableKind::PodMonitor => {
                    self.accept::<PodMonitor>(object, |one| Ok(pod_monitor::render(server, one, objects)))
                }
                SelectableKind::Probe => {
                    self.accept::<Probe>(object, |one| Ok(probe::render(server, one, objects)))
                }
                SelectableKind::ScrapeConfig => self.accept::<ScrapeConfig>(object, |one| {
                    scrape_config::render(server, one, objects).map_err(|error| error.to_string())
                }),
                SelectableKind::ServiceMonitor
                | SelectableKind::PrometheusRule
                | SelectableKind::AlertmanagerConfig => self.accept::<ServiceMonitor>(object, |one| {
                    Ok(service_monitor::render(server, one, objects))
                }),
            };
            rendered.pass(kind, options.clone(), (objects, &selections[kind]), make);
        }
    }

    /// Checks a monitor and renders its jobs.
    fn accept<K: Selectable + DeserializeOwned>(
        &self,
        object: &Object,
        render: impl Fn(&K) -> Result<Fragment, String>,
    ) -> Result<Contribution, String> {
        let resource: K = object.read().map_err(|error| format!("it cannot be read: {}", error.source))?;
        let accepted =
            resource.check(self.server, self.objects).map_err(|rejected| rejected.problem.to_string())?;
        let files = accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
        Ok(Contribution { jobs: Some(render(&resource)?), files, ..Contribution::default() })
    }
}

/// The jobs of all accepted monitors.
pub(crate) fn jobs<'r>(
    rendered: &'r Rendered,
    left_out: &'r Excluded,
    additional: Option<&'r str>,
) -> Jobs<'r> {
    let fragments = |kind: SelectableKind| -> Fragments<'r> {
        if kind.job_prefix().is_some() { rendered.fragments(kind, left_out).collect() } else { Vec::new() }
    };
    Jobs { resources: PerKind::new(fragments), additional }
}

/// The settings of a workload that matter to the jobs of its resources.
fn options(server: &Server<'_>) -> Vec<u8> {
    let seen = format!("{:?}", (server.mode, server.offers, server.retains_shards));
    serde_json::to_vec(&(server.namespace, server.name, server.spec, seen))
        .expect("what was read as JSON is written as JSON")
}
