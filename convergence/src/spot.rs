//! Where something can go wrong: one write of a reference run, or one look at an object, named so that it is found again in another run. Pure.

use std::collections::BTreeMap;
use std::fmt;

use kernel::call::{Call, Purpose, Verb};
use kernel::faults::{Calls, Entry, Fault, Hits, Rule, Trace};

/// A kind of request about one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// What is done.
    pub verb: Verb,
    /// `statefulsets.apps`.
    pub kind: String,
    /// Status, scale and so on.
    pub part: Option<String>,
    /// The object.
    pub name: String,
}

impl Target {
    /// That of a request.
    pub fn of(call: &Call) -> Self {
        Self {
            verb: call.verb,
            kind: call.kind(),
            part: call.subresource.clone(),
            name: call.name.clone().unwrap_or_default(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part.as_ref().map(|part| format!(":{part}")).unwrap_or_default();
        write!(f, "{}:{}{part}:{}", self.verb.as_str(), self.kind, self.name)
    }
}

/// One request: the n-th of its kind during a change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// During which change; the first is 0.
    pub change: usize,
    /// Which kind of request.
    pub target: Target,
    /// Which of them; the first is 1.
    pub nth: u64,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.target, self.nth)
    }
}

impl Spot {
    /// How many requests of its kind there were during its change.
    pub fn met(&self, trace: &Trace, starts: &[usize]) -> u64 {
        let begin = starts.get(self.change).copied().unwrap_or(trace.0.len());
        let end = starts.get(self.change + 1).copied().unwrap_or(trace.0.len());
        let during = trace.0.get(begin..end).unwrap_or_default();
        let is_met = |entry: &&Entry| is_work(&entry.call) && Target::of(&entry.call) == self.target;
        during.iter().filter(is_met).count() as u64
    }

    /// The rule that hits it. To be made known when its change begins.
    pub fn rule(&self, fault: Fault) -> Rule {
        let target = self.target.clone();
        let calls = Calls::matching(move |call| is_work(call) && Target::of(call) == target);
        Rule { calls, hits: Hits::Nth(self.nth), fault }
    }
}

/// Whether something can go wrong with a request by itself: lists and watches are disturbed as such.
fn is_work(call: &Call) -> bool {
    call.is_write() || call.verb == Verb::Get && call.purpose == Purpose::Work
}

/// The requests that happen during each change in both of two runs, in the order of the first. `starts` says with which
/// request each change began.
pub fn common(one: (&Trace, &[usize]), other: (&Trace, &[usize])) -> Vec<Spot> {
    let (all, also) = (spots(one.0, one.1), spots(other.0, other.1));
    all.into_iter().filter(|spot| also.contains(spot)).collect()
}

fn spots(trace: &Trace, starts: &[usize]) -> Vec<Spot> {
    let mut counts: BTreeMap<(usize, Target), u64> = BTreeMap::new();
    let mut spots = Vec::new();
    for (at, entry) in
        trace.0.iter().enumerate().filter(|(_, entry)| is_work(&entry.call) && entry.succeeded())
    {
        let change = starts.iter().filter(|start| **start <= at).count().saturating_sub(1);
        let target = Target::of(&entry.call);
        let count = counts.entry((change, target.clone())).or_default();
        *count += 1;
        spots.push(Spot { change, target, nth: *count });
    }
    spots
}
