//! What is known of each workload. Its series come and go with it: one that is deleted is not told about any more, not
//! even by a pass that was still under way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::metrics::{Samples, Section};
use kernel::object::{Key, Object};
use kernel::report::{Reconciled, Selected};
use kernel::store::Change;
use serde_json::Value;

use super::CONTROLLERS;
use crate::declaration;

/// All workloads, by the name of their controller and their own.
#[derive(Debug, Default)]
pub(super) struct Workloads(Mutex<BTreeMap<(&'static str, Key), Workload>>);

/// One of them.
#[derive(Debug, Default)]
struct Workload {
    replicas: f64,
    /// Nothing for those that have none.
    shards: Option<f64>,
    sample_limit: Option<f64>,
    reconciled: Option<Reconciled>,
    /// By the name of the kind.
    resources: BTreeMap<&'static str, Selected>,
}

impl Workloads {
    /// A workload came, changed or went.
    pub(super) fn changed(&self, controller: &'static str, change: &Change<Object>) {
        let sides = [&change.before, &change.after].into_iter().flatten();
        let Some(key) = sides.map(|object| object.key()).next() else { return };
        let place = (controller, key.clone());
        let mut all = self.held();
        match &change.after {
            Some(after) => all.entry(place).or_default().read(controller, &after.value()["spec"]),
            None => drop(all.remove(&place)),
        }
    }

    /// How the last pass of a workload came out.
    pub(super) fn reconciled(&self, controller: &'static str, key: &Key, reconciled: Reconciled) {
        if let Some(workload) = self.held().get_mut(&(controller, key.clone())) {
            workload.reconciled = Some(reconciled);
        }
    }

    /// How many objects of a kind a workload takes in and leaves out.
    pub(super) fn selected(&self, controller: &'static str, key: &Key, count: &Selected) {
        if let Some(workload) = self.held().get_mut(&(controller, key.clone())) {
            workload.resources.insert(count.kind.kind, *count);
        }
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<(&'static str, Key), Workload>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A figure of each workload that has it.
    fn each(&self, figure: fn(&Workload) -> Option<f64>) -> Samples<3> {
        let all = self.held();
        let sample = |((controller, key), workload): (&(&str, Key), &Workload)| {
            let labels = [(*controller).to_owned(), key.namespace.to_string(), key.name.to_string()];
            Some((labels, figure(workload)?))
        };
        all.iter().filter_map(sample).collect()
    }

    /// How many workloads of each controller came out well, and how many did not.
    fn syncs(&self) -> Samples<2> {
        let all = self.held();
        let mut samples = Vec::new();
        for (declaration, _) in CONTROLLERS {
            let ours = all.iter().filter(|((controller, _), _)| *controller == declaration.name);
            let known: Vec<Reconciled> = ours.filter_map(|(_, workload)| workload.reconciled).collect();
            let done = known.iter().filter(|reconciled| **reconciled == Reconciled::Done).count();
            for (status, count) in [("ok", done), ("failed", known.len() - done)] {
                samples.push(([declaration.name.to_owned(), status.to_owned()], number(count)));
            }
        }
        samples
    }

    /// How many objects of each kind are selected and left out, all workloads of a controller together.
    fn resources(&self) -> Samples<3> {
        let mut sums: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
        for ((controller, _), workload) in self.held().iter() {
            for (resource, count) in &workload.resources {
                let sum = sums.entry((controller, resource)).or_default();
                sum.0 += count.selected;
                sum.1 += count.rejected;
            }
        }
        let samples = |((controller, resource), (selected, rejected)): ((&str, &str), (usize, usize))| {
            let sample = |state: &str, count: usize| {
                ([controller.to_owned(), resource.to_owned(), state.to_owned()], number(count))
            };
            [sample("selected", selected), sample("rejected", rejected)]
        };
        sums.into_iter().flat_map(samples).collect()
    }
}

impl Workload {
    /// Reads what a spec says, with the defaults of the Prometheus Operator.
    fn read(&mut self, controller: &str, spec: &Value) {
        let has_shards =
            [&declaration::PROMETHEUS, &declaration::AGENT].map(|one| one.name).contains(&controller);
        let replicas = spec["replicas"].as_f64().unwrap_or(1.0);
        // A server with a number of replicas that makes no sense runs as one.
        self.replicas = if has_shards && replicas < 0.0 { 1.0 } else { replicas };
        self.shards = has_shards.then(|| spec["shards"].as_f64().unwrap_or(1.0));
        self.sample_limit = spec["enforcedSampleLimit"].as_f64().filter(|_| has_shards);
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are not that many objects")]
fn number(count: usize) -> f64 {
    count as f64
}

/// Registers the families.
pub(super) fn register(theirs: &mut Section<'_>, workloads: &Arc<Workloads>) {
    let of = ["controller", "namespace", "name"];
    let each = |figure: fn(&Workload) -> Option<f64>| {
        let workloads = Arc::clone(workloads);
        move || workloads.each(figure)
    };
    let help = "Number of replicas that are asked for";
    theirs.measured_gauges("spec_replicas", of, help, each(|workload| Some(workload.replicas)));
    let help = "Number of shards that are asked for";
    theirs.measured_gauges("spec_shards", of, help, each(|workload| workload.shards));
    let help = "Limit of samples of one scrape, where there is one for all targets";
    theirs.measured_gauges(
        "prometheus_enforced_sample_limit",
        of,
        help,
        each(|workload| workload.sample_limit),
    );
    let known = Arc::clone(workloads);
    let help = "Number of workloads, by whether their last reconciliation came out well (ok) or not (failed)";
    theirs.measured_gauges("syncs", ["controller", "status"], help, move || known.syncs());
    let known = Arc::clone(workloads);
    let help = "Number of objects that workloads select, and of those that they leave out (rejected); AlertmanagerConfigs that are left out do not count as selected";
    let of = ["controller", "resource", "state"];
    theirs.measured_gauges("managed_resources", of, help, move || known.resources());
}
