//! Injection points of faults: one write, or one read of an object, named so that it is found again in another run. Pure.

use std::collections::BTreeMap;
use std::fmt;

use kernel::call::{Call, Purpose, Verb};
use kernel::faults::{Calls, Fault, FaultRule, Hits, Trace, TraceEntry};

/// A kind of request about one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The verb.
    pub verb: Verb,
    /// The kind, such as `statefulsets.apps`.
    pub kind: String,
    /// The subresource, such as `status`.
    pub part: Option<String>,
    /// The name of the object.
    pub name: String,
}

impl Target {
    /// The target of a request.
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
pub struct InjectionPoint {
    /// The change. The first is 0.
    pub change: usize,
    /// The kind of request.
    pub target: Target,
    /// Which of these requests. The first is 1.
    pub nth: u64,
}

impl fmt::Display for InjectionPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.target, self.nth)
    }
}

impl InjectionPoint {
    /// The number of requests of its kind during its change.
    pub fn matching(&self, trace: &Trace, starts: &[usize]) -> u64 {
        let begin = starts.get(self.change).copied().unwrap_or(trace.0.len());
        let end = starts.get(self.change + 1).copied().unwrap_or(trace.0.len());
        let during = trace.0.get(begin..end).unwrap_or_default();
        let matches = |entry: &&TraceEntry| is_work(&entry.call) && Target::of(&entry.call) == self.target;
        during.iter().filter(matches).count() as u64
    }

    /// The rule for a fault at this point. It must be added when the change starts.
    pub fn rule(&self, fault: Fault) -> FaultRule {
        let target = self.target.clone();
        let calls = Calls::matching(move |call| is_work(call) && Target::of(call) == target);
        FaultRule { calls, hits: Hits::Nth(self.nth), fault }
    }
}

/// Whether a single request can fail. Lists and watches have perturbations of their own.
fn is_work(call: &Call) -> bool {
    call.is_write() || call.verb == Verb::Get && call.purpose == Purpose::Work
}

/// The requests that both runs send during each change, in the order of the first run. `starts` contains the index of the
/// first request of each change.
pub fn common(one: (&Trace, &[usize]), other: (&Trace, &[usize])) -> Vec<InjectionPoint> {
    let (all, also) = (points(one.0, one.1), points(other.0, other.1));
    all.into_iter().filter(|point| also.contains(point)).collect()
}

fn points(trace: &Trace, starts: &[usize]) -> Vec<InjectionPoint> {
    let mut counts: BTreeMap<(usize, Target), u64> = BTreeMap::new();
    let mut points = Vec::new();
    for (at, entry) in
        trace.0.iter().enumerate().filter(|(_, entry)| is_work(&entry.call) && entry.succeeded())
    {
        let change = starts.iter().filter(|start| **start <= at).count().saturating_sub(1);
        let target = Target::of(&entry.call);
        let count = counts.entry((change, target.clone())).or_default();
        *count += 1;
        points.push(InjectionPoint { change, target, nth: *count });
    }
    points
}
