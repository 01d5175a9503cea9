//! What a scenario does when nothing goes wrong: played twice, so that what differs by itself is known.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use kernel::call::Verb;
use kernel::faults::{Entry, Trace};

use crate::difference::{Leaves, Mask};
use crate::drift::{self, Drift};
use crate::pods::{Effect, Pods};
use crate::scenario::{Scenario, Subject};
use crate::spot::{self, Spot};
use crate::stage::Stage;
use crate::state::{Name, State};
use crate::strike::watches;
use crate::world::World;

/// How a run went.
#[derive(Debug, Clone)]
pub struct Run {
    /// Where.
    pub namespace: String,
    /// Every request of the operator.
    pub trace: Trace,
    /// With which request each change began.
    pub starts: Vec<usize>,
    /// How many calls to instances there were during each change.
    pub outside: Vec<u64>,
    /// The kinds of which something was made, changed or removed during each change.
    pub changed: Vec<BTreeSet<String>>,
    /// Every pod that was made.
    pub pods: Pods,
    /// What its perturbation did to pods by itself.
    pub effect: Effect,
    /// What the server lets somebody else do to children at the end.
    pub drifts: Vec<Drift>,
    /// What was there at the end.
    pub end: State,
}

/// Creates and deletes of one object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// It was made so often.
    pub creates: u64,
    /// It was deleted so often.
    pub deletes: u64,
}

/// What two runs had in common.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The two.
    pub runs: [Run; 2],
    /// The writes that both made.
    pub spots: Vec<Spot>,
    /// What was there at the end of the first, leaf by leaf.
    pub leaves: Leaves,
    /// What was there at the end of the first.
    pub end: State,
    /// What differed.
    pub mask: Mask,
}

impl Reference {
    /// From two runs.
    pub fn of(one: Run, two: Run) -> Self {
        let spots = spot::common((&one.trace, &one.starts), (&two.trace, &two.starts));
        let leaves = one.end.leaves(&one.namespace);
        let mask = Mask::between(&leaves, &two.end.leaves(&two.namespace));
        Self { spots, end: one.end.clone(), leaves, mask, runs: [one, two] }
    }

    /// The kinds that the operator watched in both runs.
    pub fn watched(&self) -> BTreeSet<String> {
        let [one, two] = self.runs.each_ref().map(|run| {
            let watches = run.trace.0.iter().filter(|entry| watches(entry, &entry.call.kind()));
            watches.map(|entry| entry.call.kind()).collect::<BTreeSet<_>>()
        });
        one.intersection(&two).cloned().collect()
    }

    /// The kinds of which something changed during a change in both runs.
    pub fn changed(&self, change: usize) -> BTreeSet<String> {
        let [one, two] = self.runs.each_ref().map(|run| &run.changed[change]);
        one.intersection(two).cloned().collect()
    }

    /// What somebody else can do to children.
    pub fn drifts(&self) -> &[Drift] {
        &self.runs[0].drifts
    }

    /// The larger number of requests.
    pub fn requests(&self) -> usize {
        self.runs.iter().map(|run| run.trace.0.len()).max().unwrap_or(0)
    }
}

/// Plays a scenario twice without disturbing it.
pub async fn play(world: &World, subject: &Subject, scenario: &Scenario) -> Result<(Run, Run)> {
    tokio::try_join!(once(world, subject, scenario, true), once(world, subject, scenario, false))
}

/// `asks` whether the server is asked what somebody else may do to children.
async fn once(world: &World, subject: &Subject, scenario: &Scenario, asks: bool) -> Result<Run> {
    let mut stage = Stage::open(world, subject).await?;
    let (mut starts, mut outside, mut changed, mut end) =
        (Vec::new(), Vec::new(), Vec::new(), State::default());
    for change in &scenario.changes {
        let calls = world.instances.calls(&stage.namespace);
        starts.push(stage.script.requests());
        stage.perform(&change.deed).await?;
        let settled = stage.settle(change.done).await;
        let settled =
            settled.with_context(|| format!("`{}`:\n{}", change.name, stage.script.trace().describe()))?;
        outside.push(world.instances.calls(&stage.namespace) - calls);
        changed.push(settled.changed_since(&end));
        end = settled;
    }
    let (namespace, trace, pods) = (stage.namespace.clone(), stage.script.trace(), stage.pods().await?);
    let drifts = if asks { possible(&stage, scenario, &end).await? } else { Vec::new() };
    let effect = Effect::None;
    Ok(Run { namespace, trace, starts, outside, changed, pods, effect, drifts, end })
}

/// Of each list of candidates the first that the server accepts and that changes something.
async fn possible(stage: &Stage<'_>, scenario: &Scenario, end: &State) -> Result<Vec<Drift>> {
    let mut all = Vec::new();
    for candidates in drift::candidates(stage.subject, scenario, end) {
        for drift in candidates {
            let object = end.0.get(&drift.name).context("a child is there")?;
            if drift.act.deletes() || stage.edit_child(&drift, object, true).await?.is_some() {
                all.push(drift.anywhere(end, &stage.namespace));
                break;
            }
        }
    }
    Ok(all)
}

/// How often each object was made and deleted. A server-side apply that made something says so by its status.
pub fn counts(trace: &Trace) -> BTreeMap<Name, Counts> {
    let mut all: BTreeMap<Name, Counts> = BTreeMap::new();
    for Entry { call, status, .. } in trace.writes() {
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
    all.retain(|_, counts| *counts != Counts::default());
    all
}
