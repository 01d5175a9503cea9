//! The reference of a scenario: two runs without a fault, so that fields that differ in every run are known.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use kernel::call::Verb;
use kernel::faults::{Trace, TraceEntry};

use crate::cluster::TestCluster;
use crate::difference::{Leaves, Mask};
use crate::drift::{self, Drift};
use crate::evidence::watches;
use crate::injection_point::{self, InjectionPoint};
use crate::pods::{Effect, Pods};
use crate::scenario::{Scenario, Subject};
use crate::state::{Name, State};
use crate::testbed::Testbed;

/// The record of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its namespace.
    pub namespace: String,
    /// Every request of the operator.
    pub trace: Trace,
    /// The index of the first request of each change.
    pub starts: Vec<usize>,
    /// The number of calls to instances during each change.
    pub outside: Vec<u64>,
    /// The kinds with objects that were created, changed or deleted during each change.
    pub changed: Vec<BTreeSet<String>>,
    /// Every pod that was created.
    pub pods: Pods,
    /// The effect of the perturbation itself on pods.
    pub effect: Effect,
    /// The changes to child objects that the API server accepts from somebody else at the end.
    pub drifts: Vec<Drift>,
    /// The objects at the end.
    pub end: State,
}

/// Creates and deletes of one object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ObjectCounts {
    /// How often it was created.
    pub creates: u64,
    /// How often it was deleted.
    pub deletes: u64,
}

/// What the two runs have in common.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The two runs.
    pub runs: [Run; 2],
    /// The requests that both sent.
    pub points: Vec<InjectionPoint>,
    /// The objects at the end of the first, leaf by leaf.
    pub leaves: Leaves,
    /// The objects at the end of the first.
    pub end: State,
    /// The leaves that differ.
    pub mask: Mask,
}

impl Reference {
    /// Compares two runs.
    pub fn of(one: Run, two: Run) -> Self {
        let points = injection_point::common((&one.trace, &one.starts), (&two.trace, &two.starts));
        let leaves = one.end.leaves(&one.namespace);
        let mask = Mask::between(&leaves, &two.end.leaves(&two.namespace));
        Self { points, end: one.end.clone(), leaves, mask, runs: [one, two] }
    }

    /// The kinds that the operator watched in both runs.
    pub fn watched(&self) -> BTreeSet<String> {
        let [one, two] = self.runs.each_ref().map(|run| {
            let watches = run.trace.0.iter().filter(|entry| watches(entry, &entry.call.kind()));
            watches.map(|entry| entry.call.kind()).collect::<BTreeSet<_>>()
        });
        one.intersection(&two).cloned().collect()
    }

    /// The kinds with objects that changed during a change in both runs.
    pub fn changed(&self, change: usize) -> BTreeSet<String> {
        let [one, two] = self.runs.each_ref().map(|run| &run.changed[change]);
        one.intersection(two).cloned().collect()
    }

    /// What somebody else can do to child objects.
    pub fn drifts(&self) -> &[Drift] {
        &self.runs[0].drifts
    }

    /// The larger number of requests.
    pub fn requests(&self) -> usize {
        self.runs.iter().map(|run| run.trace.0.len()).max().unwrap_or(0)
    }
}

/// Runs a scenario twice without a fault.
pub async fn record(cluster: &TestCluster, subject: &Subject, scenario: &Scenario) -> Result<(Run, Run)> {
    tokio::try_join!(run(cluster, subject, scenario, true), run(cluster, subject, scenario, false))
}

/// Runs a scenario. `finds_drifts` says whether the API server is asked which changes to child objects it accepts.
async fn run(
    cluster: &TestCluster,
    subject: &Subject,
    scenario: &Scenario,
    finds_drifts: bool,
) -> Result<Run> {
    let mut testbed = Testbed::open(cluster, subject).await?;
    let (mut starts, mut outside, mut changed, mut end) =
        (Vec::new(), Vec::new(), Vec::new(), State::default());
    for change in &scenario.changes {
        let calls = cluster.instances.calls(&testbed.namespace);
        starts.push(testbed.script.requests());
        testbed.perform(&change.action).await?;
        let settled = testbed.settle(change.done).await;
        let settled =
            settled.with_context(|| format!("`{}`:\n{}", change.name, testbed.script.trace().describe()))?;
        outside.push(cluster.instances.calls(&testbed.namespace) - calls);
        changed.push(settled.changed_since(&end));
        end = settled;
    }
    let (namespace, trace, pods) = (testbed.namespace.clone(), testbed.script.trace(), testbed.pods().await?);
    let drifts = if finds_drifts { possible(&testbed, scenario, &end).await? } else { Vec::new() };
    let effect = Effect::None;
    Ok(Run { namespace, trace, starts, outside, changed, pods, effect, drifts, end })
}

/// Of each list of candidates the first that the server accepts and that changes something.
async fn possible(testbed: &Testbed<'_>, scenario: &Scenario, end: &State) -> Result<Vec<Drift>> {
    let mut all = Vec::new();
    for candidates in drift::candidates(testbed.subject, scenario, end) {
        for drift in candidates {
            let object = end.0.get(&drift.name).context("the child object exists")?;
            if drift.act.deletes() || testbed.edit_child(&drift, object, true).await?.is_some() {
                all.push(drift.for_any_run(end, &testbed.namespace));
                break;
            }
        }
    }
    Ok(all)
}

/// How often each object was created and deleted. A server-side apply that created an object returns 201.
pub fn counts(trace: &Trace) -> BTreeMap<Name, ObjectCounts> {
    let mut all: BTreeMap<Name, ObjectCounts> = BTreeMap::new();
    for TraceEntry { call, status, .. } in trace.writes() {
        if call.subresource.is_some() {
            continue;
        }
        let name = Name { kind: call.kind(), name: call.name.clone().unwrap_or_default() };
        let counts = all.entry(name).or_default();
        if *status == Some(201) {
            counts.creates += 1;
        }
        if call.verb == Verb::Delete {
            counts.deletes += 1;
        }
    }
    all.retain(|_, counts| *counts != ObjectCounts::default());
    all
}
