//! The four kinds of resources with scrape jobs: what a workload selects of them, what is wrong with some, and the jobs
//! of the others.

use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::{PodMonitor, Probe, ScrapeConfig, ServiceMonitor};
use kernel::object::Object;
use kernel::stores::All;
use monitoring_assets::{Objects, Reference};
use monitoring_scrape::document::{Fragments, Jobs};
use monitoring_scrape::{Fragment, Server, pod_monitor, probe, scrape_config, service_monitor};
use monitoring_select::Workload;
use monitoring_select::asking::{Asking, SelectionError};
use monitoring_select::selection::Selectable;
use serde::de::DeserializeOwned;

use crate::plan::candidates::Candidates;
use crate::plan::memo::Memo;
use crate::plan::planned::Invalid;
use crate::plan::surroundings::{LeftOut, Resources, Surroundings};

/// A resource that is taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Its jobs.
    pub fragment: Fragment,
    /// Certificates and keys that must be mounted, by the names of their files.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What became of a resource: taken in, or why not.
pub type Verdict = Result<Taken, String>;

/// What became of the resources that a workload selects.
#[derive(Debug, Clone, Default)]
pub struct Monitors {
    /// ServiceMonitors.
    pub service_monitors: Memo<Verdict>,
    /// PodMonitors.
    pub pod_monitors: Memo<Verdict>,
    /// Probes.
    pub probes: Memo<Verdict>,
    /// ScrapeConfigs.
    pub scrape_configs: Memo<Verdict>,
}

/// A kind of resource with scrape jobs.
trait Monitor: Selectable + DeserializeOwned {
    /// As users call it.
    const KIND: &'static str;

    /// Its jobs.
    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String>;
}

impl Monitor for ServiceMonitor {
    const KIND: &'static str = "ServiceMonitors";

    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        Ok(service_monitor::render(server, self, objects))
    }
}

impl Monitor for PodMonitor {
    const KIND: &'static str = "PodMonitors";

    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        Ok(pod_monitor::render(server, self, objects))
    }
}

impl Monitor for Probe {
    const KIND: &'static str = "Probes";

    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        Ok(probe::render(server, self, objects))
    }
}

impl Monitor for ScrapeConfig {
    const KIND: &'static str = "ScrapeConfigs";

    fn render(&self, server: &Server<'_>, objects: &Objects) -> Result<Fragment, String> {
        scrape_config::render(server, self, objects).map_err(|error| error.to_string())
    }
}

impl Monitors {
    /// Goes through everything that a workload selects.
    pub(crate) fn pass(
        &mut self,
        workload: &Workload<'_>,
        server: &Server<'_>,
        around: &Surroundings<'_>,
    ) -> Result<(), Invalid> {
        let Resources { service_monitors, pod_monitors, probes, scrape_configs, .. } = around.resources;
        let view = View { workload, server, around, options: options(server) };
        view.take_in::<ServiceMonitor>(&mut self.service_monitors, service_monitors)?;
        view.take_in::<PodMonitor>(&mut self.pod_monitors, pod_monitors)?;
        view.take_in::<Probe>(&mut self.probes, probes)?;
        view.take_in::<ScrapeConfig>(&mut self.scrape_configs, scrape_configs)
    }

    /// The jobs of all that was taken in.
    pub(crate) fn jobs<'m>(&'m self, left_out: &'m LeftOut, additional: Option<&'m str>) -> Jobs<'m> {
        let [service_monitors, pod_monitors, probes, scrape_configs] =
            self.written(left_out).map(|(memo, without)| fragments(memo, without));
        Jobs { service_monitors, pod_monitors, probes, scrape_configs, additional }
    }

    /// Certificates and keys of all that was taken in.
    pub(crate) fn files<'m>(
        &'m self,
        left_out: &'m LeftOut,
    ) -> impl Iterator<Item = (&'m String, &'m Vec<u8>)> {
        self.written(left_out)
            .into_iter()
            .flat_map(|(memo, without)| memo.taken(without))
            .flat_map(|(_, taken)| &taken.files)
    }

    /// All kinds, with those of each that are not written.
    fn written<'m>(&'m self, left_out: &'m LeftOut) -> [(&'m Memo<Verdict>, &'m BTreeSet<String>); 4] {
        let LeftOut { service_monitors, pod_monitors, probes, scrape_configs, .. } = left_out;
        [
            (&self.service_monitors, service_monitors),
            (&self.pod_monitors, pod_monitors),
            (&self.probes, probes),
            (&self.scrape_configs, scrape_configs),
        ]
    }

    /// All kinds.
    pub fn all(&self) -> [&Memo<Verdict>; 4] {
        [&self.service_monitors, &self.pod_monitors, &self.probes, &self.scrape_configs]
    }

    /// How many were selected.
    pub fn len(&self) -> usize {
        self.all().iter().map(|memo| memo.len()).sum()
    }

    /// Whether none was selected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A workload that looks at its resources.
struct View<'v> {
    workload: &'v Workload<'v>,
    server: &'v Server<'v>,
    around: &'v Surroundings<'v>,
    options: Vec<u8>,
}

impl View<'_> {
    fn take_in<K: Monitor>(&self, memo: &mut Memo<Verdict>, candidates: &All) -> Result<(), Invalid> {
        let Self { workload, around, .. } = self;
        let failed = |error: SelectionError| Invalid::new(&format!("selecting {} failed: {error}", K::KIND));
        let asking = Asking::new(workload.namespace, K::selectors(workload.spec)).map_err(failed)?;
        let candidates = Candidates::new(&asking, around.namespaces, candidates);
        let make = |object: &Object| self.look::<K>(object);
        memo.pass(self.options.clone(), around.objects, &candidates, make);
        Ok(())
    }

    fn look<K: Monitor>(&self, object: &Object) -> (Verdict, BTreeSet<Reference>) {
        let objects = self.around.objects;
        let resource: K = match object.read() {
            Ok(resource) => resource,
            Err(error) => return (Err(format!("it cannot be read: {}", error.source)), BTreeSet::new()),
        };
        let accepted = match resource.check(self.workload, objects) {
            Ok(accepted) => accepted,
            Err(refused) => return (Err(refused.problem.to_string()), refused.references),
        };
        let mut references = accepted.references;
        let verdict = resource.render(self.server, objects).map(|fragment| {
            references.extend(fragment.references.iter().cloned());
            let files = accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec()));
            Taken { fragment, files: files.collect() }
        });
        (verdict, references)
    }
}

/// What of a workload matters to the jobs of its resources.
fn options(server: &Server<'_>) -> Vec<u8> {
    let seen = format!("{:?}", (server.mode, server.offers, server.retains_shards));
    serde_json::to_vec(&(server.namespace, server.name, server.spec, seen))
        .expect("what was read as JSON is written as JSON")
}

fn fragments<'m>(memo: &'m Memo<Verdict>, without: &BTreeSet<String>) -> Fragments<'m> {
    memo.taken(without).map(|(name, taken)| (name, &taken.fragment)).collect()
}
