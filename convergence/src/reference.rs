//! What a scenario does when nothing goes wrong: played twice, so that what differs by itself is known.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use kernel::call::Verb;
use kernel::faults::{Entry, Trace};

use crate::difference::{Leaves, Mask};
use crate::scenario::{Scenario, Subject};
use crate::spot::{self, Spot};
use crate::stage::Stage;
use crate::state::{Name, State};
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

    /// The larger number of requests.
    pub fn requests(&self) -> usize {
        self.runs.iter().map(|run| run.trace.0.len()).max().unwrap_or(0)
    }
}

/// Plays a scenario without disturbing it.
pub async fn play(world: &World, subject: &Subject, scenario: &Scenario) -> Result<Run> {
    let mut stage = Stage::open(world, subject).await?;
    let (mut starts, mut outside, mut end) = (Vec::new(), Vec::new(), State::default());
    for change in &scenario.changes {
        let calls = world.instances.calls(&stage.namespace);
        starts.push(stage.script.requests());
        stage.perform(&change.deed).await?;
        let settled = stage.settle(change.done).await;
        end = settled.with_context(|| format!("`{}`:\n{}", change.name, stage.script.trace().describe()))?;
        outside.push(world.instances.calls(&stage.namespace) - calls);
    }
    Ok(Run { namespace: stage.namespace.clone(), trace: stage.script.trace(), starts, outside, end })
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
