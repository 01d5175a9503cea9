//! Metrics of each workload. Its series are removed with it, and a pass that is still running does not add them again.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::metrics::{CatalogueSection, Samples};
use kernel::object::{Key, Object};
use kernel::report::{Reconciled, SelectedCount};
use kernel::store::Change;
use parking_lot::Mutex;
use serde_json::Value;

use super::CONTROLLERS;
use crate::declaration;

/// All workloads, by the name of their controller and their own.
#[derive(Debug, Default)]
pub(super) struct Workloads(Mutex<BTreeMap<(&'static str, Key), Figures>>);

/// The figures of one workload.
#[derive(Debug, Default)]
struct Figures {
    replicas: f64,
    /// None for kinds without shards.
    shards: Option<f64>,
    sample_limit: Option<f64>,
    reconciled: Option<Reconciled>,
    /// By the name of the kind.
    resources: BTreeMap<&'static str, SelectedCount>,
}

impl Workloads {
    /// A workload was created, changed or deleted.
    pub(super) fn changed(&self, controller: &'static str, change: &Change<Object>) {
        let sides = [&change.before, &change.after].into_iter().flatten();
        let Some(key) = sides.map(|object| object.key()).next() else { return };
        let id = (controller, key.clone());
        let mut all = self.0.lock();
        match &change.after {
            Some(after) => all.entry(id).or_default().read(controller, &after.value()["spec"]),
            None => drop(all.remove(&id)),
        }
    }

    /// The outcome of the last pass of a workload.
    pub(super) fn reconciled(&self, controller: &'static str, key: &Key, reconciled: Reconciled) {
        if let Some(workload) = self.0.lock().get_mut(&(controller, key.clone())) {
            workload.reconciled = Some(reconciled);
        }
    }

    /// How many objects of a kind a workload selects and rejects.
    pub(super) fn selected(&self, controller: &'static str, key: &Key, count: &SelectedCount) {
        if let Some(workload) = self.0.lock().get_mut(&(controller, key.clone())) {
            workload.resources.insert(count.kind.kind, *count);
        }
    }

    /// A figure of each workload that has it.
    fn each(&self, figure: fn(&Figures) -> Option<f64>) -> Samples<3> {
        let all = self.0.lock();
        let sample = |((controller, key), workload): (&(&str, Key), &Figures)| {
            let labels = [(*controller).to_owned(), key.namespace.to_string(), key.name.to_string()];
            Some((labels, figure(workload)?))
        };
        all.iter().filter_map(sample).collect()
    }

    /// How many workloads of each controller were reconciled, and how many failed.
    fn syncs(&self) -> Samples<2> {
        let none =
            CONTROLLERS.iter().flat_map(|(declaration, _)| ["ok", "failed"].map(|it| [declaration.name, it]));
        let mut counts: BTreeMap<[&str; 2], usize> = none.map(|labels| (labels, 0)).collect();
        for ((controller, _), workload) in self.0.lock().iter() {
            let Some(reconciled) = workload.reconciled else { continue };
            let status = if reconciled == Reconciled::Done { "ok" } else { "failed" };
            *counts.entry([controller, status]).or_default() += 1;
        }
        samples(counts)
    }

    /// How many objects of each kind are selected and rejected by all workloads of a controller.
    fn resources(&self) -> Samples<3> {
        let mut counts: BTreeMap<[&str; 3], usize> = BTreeMap::new();
        for ((controller, _), workload) in self.0.lock().iter() {
            for (resource, SelectedCount { selected, rejected, .. }) in &workload.resources {
                *counts.entry([controller, resource, "selected"]).or_default() += selected;
                *counts.entry([controller, resource, "rejected"]).or_default() += rejected;
            }
        }
        samples(counts)
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are not that many objects")]
fn samples<const N: usize>(counts: BTreeMap<[&str; N], usize>) -> Samples<N> {
    counts.into_iter().map(|(labels, count)| (labels.map(str::to_owned), count as f64)).collect()
}

impl Figures {
    /// Reads a spec, with the defaults of the Prometheus Operator.
    fn read(&mut self, controller: &str, spec: &Value) {
        let has_shards =
            [&declaration::PROMETHEUS, &declaration::AGENT].map(|one| one.name).contains(&controller);
        let replicas = spec["replicas"].as_f64().unwrap_or(1.0);
        // A server with a negative number of replicas runs as one.
        self.replicas = if has_shards && replicas < 0.0 { 1.0 } else { replicas };
        self.shards = has_shards.then(|| spec["shards"].as_f64().unwrap_or(1.0));
        self.sample_limit = spec["enforcedSampleLimit"].as_f64().filter(|_| has_shards);
    }
}

/// Registers the families.
pub(super) fn register(section: &mut CatalogueSection<'_>, workloads: &Arc<Workloads>) {
    let of = ["controller", "namespace", "name"];
    let each = |figure: fn(&Figures) -> Option<f64>| {
        let workloads = Arc::clone(workloads);
        move || workloads.each(figure)
    };
    let help = "Number of desired replicas";
    section.measured_gauges("spec_replicas", of, help, each(|workload| Some(workload.replicas)));
    let help = "Number of desired shards";
    section.measured_gauges("spec_shards", of, help, each(|workload| workload.shards));
    let help = "Global limit of samples per scrape, where it is set";
    section.measured_gauges(
        "prometheus_enforced_sample_limit",
        of,
        help,
        each(|workload| workload.sample_limit),
    );
    let known = Arc::clone(workloads);
    let help = "Number of workloads, by whether their last reconciliation succeeded (ok) or failed (failed)";
    section.measured_gauges("syncs", ["controller", "status"], help, move || known.syncs());
    let known = Arc::clone(workloads);
    let help = "Number of objects that workloads select, and of those that they reject (rejected); rejected AlertmanagerConfigs do not count as selected";
    let of = ["controller", "resource", "state"];
    section.measured_gauges("managed_resources", of, help, move || known.resources());
}
