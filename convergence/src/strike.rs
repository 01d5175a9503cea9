//! Whether a perturbation took effect: without a proof of that, a plan that passed shows nothing. Pure: from what
//! the operator asked and what the player saw meanwhile.

use kernel::call::Verb;
use kernel::faults::{Entry, Fault, Trace};

use crate::plan::Perturbation;
use crate::spot::Target;

/// What a player saw of a perturbation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// How many requests there were before it began.
    pub began: usize,
    /// How many there were when it ended.
    pub ended: usize,
    /// What shows in the cluster and in no request:
    /// - objects of the kind whose events were held changed meanwhile;
    /// - the call to an instance failed;
    /// - every event and the restart that were to force a pass did;
    /// - the old view shows other objects than there are;
    /// - the child, or the spec, was another one afterwards.
    pub seen: bool,
    /// The kinds of which an old view was shown.
    pub frozen: Vec<String>,
}

/// Why a perturbation had no effect. `primary` is the kind of the resource.
pub fn missed(
    perturbation: &Perturbation,
    evidence: &Evidence,
    trace: &Trace,
    primary: &str,
) -> Option<String> {
    let (requests, seen) = (Requests { trace, evidence }, evidence.seen);
    match perturbation {
        Perturbation::Fault(spot, fault) => requests.fault(&spot.target, fault),
        Perturbation::Denied { kind, refusal, .. } => {
            let word = Fault::Refused(*refusal).as_str();
            let denied = |entry: &Entry| entry.call.is_write() && entry.fault == Some(word);
            requests.unless(
                |entry| denied(entry) && entry.call.kind() == *kind,
                || format!("no write of {kind} was refused"),
            )
        }
        Perturbation::Blocked { kind, fault, .. } => {
            let blocked = |entry: &Entry| {
                let is_watch = entry.call.verb == Verb::Watch && entry.call.kind() == *kind;
                is_watch && entry.fault == Some(fault.as_str())
            };
            requests.unless(blocked, || format!("no watch of {kind} failed"))
        }
        Perturbation::Held { kind, .. } => {
            let is_watched = trace.0[..evidence.ended].iter().any(|entry| watches(entry, kind));
            let unwatched = || format!("nobody watched {kind}");
            let unchanged = || format!("nothing of {kind} changed while its events were held back");
            (!is_watched).then(unwatched).or_else(|| (!seen).then(unchanged))
        }
        Perturbation::Cut { kind, .. } => requests
            .unless(|entry| reads_all(entry, kind), || format!("the watch of {kind} did not begin anew")),
        Perturbation::Outside { nth, .. } => {
            (!seen).then(|| format!("there was no call number {nth} to an instance"))
        }
        Perturbation::Absent { .. } => requests.absent(primary),
        Perturbation::Idle => (!seen).then(|| "no pass was forced".into()),
        Perturbation::Stale { .. } => {
            let shown =
                |kind: &String| requests.any(|entry| is_replayed(entry) && entry.call.kind() == *kind);
            let unseen = evidence.frozen.iter().find(|kind| !shown(kind));
            let unseen = unseen.map(|kind| format!("nobody read the old view of {kind}"));
            unseen.or_else(|| (!seen).then(|| "the old view shows what is there".into()))
        }
        Perturbation::Drift(drift) => (!seen).then(|| format!("{} is as it was", drift.name)),
        Perturbation::Property(property) => (!seen).then(|| format!("{} is as it was", property.path)),
    }
}

struct Requests<'a> {
    trace: &'a Trace,
    evidence: &'a Evidence,
}

impl Requests<'_> {
    /// Those since it began.
    fn since(&self) -> &[Entry] {
        &self.trace.0[self.evidence.began..]
    }

    fn any(&self, test: impl Fn(&Entry) -> bool) -> bool {
        self.since().iter().any(test)
    }

    fn unless(&self, test: impl Fn(&Entry) -> bool, why: impl FnOnce() -> String) -> Option<String> {
        (!self.any(test)).then(why)
    }

    /// The request was met; the server did what it was to do and nothing that it was not; who died was started again.
    fn fault(&self, target: &Target, fault: &Fault) -> Option<String> {
        let is_hit =
            |entry: &&Entry| entry.fault == Some(fault.as_str()) && Target::of(&entry.call) == *target;
        let Some(entry) = self.since().iter().find(is_hit) else {
            return Some(format!("there was no such request: {target}"));
        };
        let reaches = matches!(fault, Fault::CrashAfter | Fault::AnswerLost);
        if reaches != (entry.sent && entry.status.is_some()) {
            let what = if reaches { "did not answer" } else { "was asked" };
            return Some(format!("the server {what}: {target}"));
        }
        let dies = matches!(fault, Fault::CrashBefore | Fault::CrashAfter);
        let lives = self.any(|later| later.life > entry.life);
        (dies && !lives).then(|| "no operator was started after the crash".into())
    }

    /// There were no requests while the operator was absent; then there were.
    fn absent(&self, primary: &str) -> Option<String> {
        let Evidence { began, ended, .. } = *self.evidence;
        if began != ended {
            return Some(format!("{} requests came from an operator that was away", ended - began));
        }
        let is_back = self.any(|entry| watches(entry, primary));
        (!is_back).then(|| "no operator was started again".into())
    }
}

/// Whether a watch of a kind was opened.
pub fn watches(entry: &Entry, kind: &str) -> bool {
    entry.call.verb == Verb::Watch && entry.call.kind() == kind && entry.status.is_some()
}

/// Whether all objects of a kind, or their events, were asked for.
pub fn reads_all(entry: &Entry, kind: &str) -> bool {
    matches!(entry.call.verb, Verb::Watch | Verb::List) && entry.call.kind() == kind
}

/// Whether an old view answered.
fn is_replayed(entry: &Entry) -> bool {
    !entry.sent && entry.fault.is_none() && entry.status == Some(200)
}

#[cfg(test)]
mod tests;
