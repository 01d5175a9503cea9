//! Checks that a perturbation took effect: otherwise a plan that passed shows nothing. Pure: from the requests of the
//! operator and what the runner observed.

use kernel::call::Verb;
use kernel::faults::{Fault, Trace, TraceEntry};

use crate::injection_point::Target;
use crate::plan::Perturbation;

/// What the runner observed of a perturbation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The number of requests when it started.
    pub started: usize,
    /// The number of requests when it ended.
    pub ended: usize,
    /// Whether the effect was observed that no request shows:
    /// - objects of the kind with delayed events changed in the meantime;
    /// - the call to an instance failed;
    /// - every event that was to force a pass, and the restart, caused one;
    /// - the outdated cache contained other objects than the cluster;
    /// - the child object, or the spec, was different afterwards.
    pub seen: bool,
    /// The kinds with an outdated cache.
    pub frozen: Vec<String>,
}

/// Why a perturbation had no effect; none if it had. `primary` is the kind of the resource.
pub fn without_effect(
    perturbation: &Perturbation,
    evidence: &Evidence,
    trace: &Trace,
    primary: &str,
) -> Option<String> {
    let (requests, seen) = (Requests { trace, evidence }, evidence.seen);
    match perturbation {
        Perturbation::Fault(point, fault) => requests.fault(&point.target, fault),
        Perturbation::Denied { kind, refusal, .. } => {
            let name = Fault::Refused(*refusal).as_str();
            let denied = |entry: &TraceEntry| entry.call.is_write() && entry.fault == Some(name);
            requests.unless(
                |entry| denied(entry) && entry.call.kind() == *kind,
                || format!("no write of {kind} was rejected"),
            )
        }
        Perturbation::Blocked { kind, fault, .. } => {
            let blocked = |entry: &TraceEntry| {
                let is_watch = entry.call.verb == Verb::Watch && entry.call.kind() == *kind;
                is_watch && entry.fault == Some(fault.as_str())
            };
            requests.unless(blocked, || format!("no watch of {kind} failed"))
        }
        Perturbation::Held { kind, .. } => {
            let is_watched = trace.0[..evidence.ended].iter().any(|entry| watches(entry, kind));
            let unwatched = || format!("{kind} was not watched");
            let unchanged = || format!("no object of {kind} changed while its events were delayed");
            (!is_watched).then(unwatched).or_else(|| (!seen).then(unchanged))
        }
        Perturbation::Cut { kind, .. } => requests
            .unless(|entry| reads_all(entry, kind), || format!("the watch of {kind} did not start again")),
        Perturbation::Outside { nth, .. } => {
            (!seen).then(|| format!("there was no call number {nth} to an instance"))
        }
        Perturbation::Absent { .. } => requests.absent(primary),
        Perturbation::Idle => (!seen).then(|| "no pass was forced".into()),
        Perturbation::Stale { .. } => {
            let shown =
                |kind: &String| requests.any(|entry| is_replayed(entry) && entry.call.kind() == *kind);
            let unseen = evidence.frozen.iter().find(|kind| !shown(kind));
            let unseen = unseen.map(|kind| format!("the outdated cache of {kind} was not read"));
            unseen.or_else(|| (!seen).then(|| "the outdated cache was not outdated".into()))
        }
        Perturbation::Drift(drift) => (!seen).then(|| format!("{} did not change", drift.name)),
        Perturbation::Property(property) => (!seen).then(|| format!("{} did not change", property.path)),
    }
}

struct Requests<'a> {
    trace: &'a Trace,
    evidence: &'a Evidence,
}

impl Requests<'_> {
    /// The requests since it started.
    fn since(&self) -> &[TraceEntry] {
        &self.trace.0[self.evidence.started..]
    }

    fn any(&self, test: impl Fn(&TraceEntry) -> bool) -> bool {
        self.since().iter().any(test)
    }

    fn unless(&self, test: impl Fn(&TraceEntry) -> bool, why: impl FnOnce() -> String) -> Option<String> {
        (!self.any(test)).then(why)
    }

    /// The request failed as planned, the API server executed it only if planned, and an operator that was killed was
    /// restarted.
    fn fault(&self, target: &Target, fault: &Fault) -> Option<String> {
        let is_hit =
            |entry: &&TraceEntry| entry.fault == Some(fault.as_str()) && Target::of(&entry.call) == *target;
        let Some(entry) = self.since().iter().find(is_hit) else {
            return Some(format!("there was no such request: {target}"));
        };
        let reaches = matches!(fault, Fault::CrashAfter | Fault::AnswerLost);
        if reaches != (entry.sent && entry.status.is_some()) {
            let what = if reaches { "did not receive" } else { "received" };
            return Some(format!("the API server {what} the request: {target}"));
        }
        let crashes = matches!(fault, Fault::CrashBefore | Fault::CrashAfter);
        let restarted = self.any(|later| later.life > entry.life);
        (crashes && !restarted).then(|| "the operator was not restarted after the crash".into())
    }

    /// There were no requests while the operator was stopped, and there were some afterwards.
    fn absent(&self, primary: &str) -> Option<String> {
        let Evidence { started, ended, .. } = *self.evidence;
        if started != ended {
            return Some(format!("{} requests were sent while the operator was stopped", ended - started));
        }
        let is_back = self.any(|entry| watches(entry, primary));
        (!is_back).then(|| "the operator was not started again".into())
    }
}

/// Whether a watch of a kind was opened.
pub fn watches(entry: &TraceEntry, kind: &str) -> bool {
    entry.call.verb == Verb::Watch && entry.call.kind() == kind && entry.status.is_some()
}

/// Whether a request is a list or a watch of a kind.
pub fn reads_all(entry: &TraceEntry, kind: &str) -> bool {
    matches!(entry.call.verb, Verb::Watch | Verb::List) && entry.call.kind() == kind
}

/// Whether the response came from an outdated cache.
fn is_replayed(entry: &TraceEntry) -> bool {
    !entry.sent && entry.fault.is_none() && entry.status == Some(200)
}

#[cfg(test)]
mod tests;
