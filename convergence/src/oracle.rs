//! What must be true of every run. Pure: from what the operator asked and what was there at the end to what is wrong,
//! a line each.

use std::collections::BTreeSet;

use kernel::call::Verb;
use kernel::faults::{Entry, Trace};
use serde_json::Value;

use crate::plan::Perturbation;
use crate::reference::{Counts, Reference, Run, counts};
use crate::scenario::{Aftermath, Scenario, Subject, kind_name};
use crate::state::Name;

/// More requests than this factor of the reference, and the constant, are a loop.
const FACTOR: usize = 3;
const CONSTANT: usize = 80;

/// What is wrong with a run in which nothing went wrong: what no comparison of runs of the same code can show.
pub fn sound(subject: &Subject, scenario: &Scenario, run: &Run) -> Vec<String> {
    let mut wrong = conditional(&run.trace);
    wrong.extend(owned(subject, scenario, run));
    wrong.extend(status_last(subject, run));
    wrong
}

/// What is wrong with a disturbed run.
pub fn judge(
    subject: &Subject,
    scenario: &Scenario,
    reference: &Reference,
    run: &Run,
    perturbation: &Perturbation,
) -> Vec<String> {
    let found = run.end.leaves(&run.namespace);
    let mut wrong = reference.mask.differences(&reference.leaves, &found, subject.ignored);
    wrong.extend(conditional(&run.trace));
    wrong.extend(owned(subject, scenario, run));
    let is_released = is_released(subject, reference);
    wrong.extend(as_often(reference, &run.trace, perturbation, is_released));
    let (allowed, asked) = (reference.requests() * FACTOR + CONSTANT, run.trace.0.len());
    if asked > allowed {
        wrong.push(format!(
            "{asked} requests, where {} are usual and {allowed} allowed",
            reference.requests()
        ));
    }
    if matches!(perturbation, Perturbation::Fault(_, fault) if fault.as_str().starts_with("crash")) {
        wrong.extend(status_last(subject, run));
    }
    wrong
}

/// Every write names the state or the identity of what it changes, and every delete the identity.
fn conditional(trace: &Trace) -> Vec<String> {
    let bare = |entry: &&Entry| {
        let (verb, conditions) = (entry.call.verb, &entry.preconditions);
        entry.call.is_write()
            && match verb {
                Verb::Delete => conditions.uid.is_none(),
                Verb::DeleteCollection => true,
                Verb::Update | Verb::Patch => !conditions.any(),
                Verb::Create | Verb::Get | Verb::List | Verb::Watch | Verb::Other => false,
            }
    };
    let lines: BTreeSet<String> = trace.0.iter().filter(bare).map(|entry| entry.call.describe()).collect();
    lines.into_iter().map(|line| format!("{line} names neither version nor unique id")).collect()
}

/// What the operator made belongs to the resource; once that is gone, to nobody.
fn owned(subject: &Subject, scenario: &Scenario, run: &Run) -> Vec<String> {
    let uid = subject.resource_in(&run.end).map(|resource| resource["metadata"]["uid"].clone());
    let kinds: BTreeSet<String> =
        subject.declaration.owned.iter().map(|owned| kind_name(owned.kind)).collect();
    let mut wrong = Vec::new();
    if scenario.aftermath == Aftermath::Gone && uid.is_some() {
        wrong.push("the resource is still there".to_owned());
    }
    let made = |name: &Name| kinds.contains(&name.kind) && !(subject.brought)(name);
    for (name, object) in run.end.0.iter().filter(|(name, _)| made(name)) {
        let owners = object["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default();
        let controllers: Vec<&Value> = owners.iter().filter(|owner| owner["controller"] == true).collect();
        match (&uid, controllers.as_slice()) {
            (Some(uid), [controller]) if controller["uid"] == *uid => {}
            // What several resources share none of them controls.
            (Some(uid), []) if owners.iter().any(|owner| owner["uid"] == *uid) => {}
            (Some(_), _) => wrong.push(format!("{name} does not belong to the resource")),
            (None, []) => {}
            (None, _) => wrong.push(format!("{name} belongs to a resource that is gone")),
        }
    }
    wrong
}

/// A status is about a generation only when its work was begun: no status of a change comes before its first write to
/// a child, if it has any.
fn status_last(subject: &Subject, run: &Run) -> Vec<String> {
    let primary = kind_name(subject.declaration.primary);
    let mut wrong = Vec::new();
    for (at, start) in run.starts.iter().enumerate() {
        let end = run.starts.get(at + 1).copied().unwrap_or(run.trace.0.len());
        let writes = || run.trace.0[*start..end].iter().filter(|entry| entry.call.is_write());
        let is_status = |entry: &&Entry| {
            entry.call.kind() == primary && entry.body.as_ref().is_some_and(|body| is_about(&body["status"]))
        };
        let (Some(status), Some(child)) =
            (writes().find(is_status), writes().find(|entry| entry.call.kind() != primary))
        else {
            continue;
        };
        if status.number < child.number {
            wrong.push(format!(
                "change {}: the status claimed to be about the new generation (request {}) before anything was done \
                 about it (request {}: {})",
                at + 1,
                status.number,
                child.number,
                child.call.describe()
            ));
        }
    }
    wrong
}

/// Whether a status, or a condition in it, says which generation it is about.
fn is_about(status: &Value) -> bool {
    let conditions = status["conditions"].as_array();
    let all = || conditions.into_iter().flatten().chain([status]);
    all().any(|one| !one["observedGeneration"].is_null())
}

/// As many creates and deletes of each object as without the disturbance. Justified exceptions:
/// - a child that the plan itself deletes is made once more;
/// - a delete whose answer was lost, or whose process died, may be sent again;
/// - an operator that was away, or saw nothing, may find that there is less to do;
/// - what a stale view does is counted by its own plan, which deletes and makes everything anew;
/// - where nobody holds the deletion of a resource, the news that its children are gone may come before the news that it
///   is: then they are made once more, for an owner that is gone, and go again.
fn as_often(
    reference: &Reference,
    trace: &Trace,
    perturbation: &Perturbation,
    is_released: bool,
) -> Vec<String> {
    if matches!(perturbation, Perturbation::Stale { .. } | Perturbation::Property(_)) {
        return Vec::new();
    }
    let usual = reference.runs.each_ref().map(|run| counts(&run.trace));
    let found = counts(trace);
    let names: BTreeSet<&Name> = usual.iter().flat_map(|counts| counts.keys()).chain(found.keys()).collect();
    let mut wrong = Vec::new();
    for name in names {
        let of =
            |counts: &std::collections::BTreeMap<Name, Counts>| counts.get(name).copied().unwrap_or_default();
        let (found, usual) = (of(&found), usual.each_ref().map(of));
        let again = matches!(perturbation, Perturbation::Fault(spot, _)
            if spot.target.verb == Verb::Delete && spot.target.name == name.name);
        let remade =
            matches!(perturbation, Perturbation::Drift(drift) if drift.deletes() && drift.name == *name);
        let range = |pick: fn(&Counts) -> u64, more: bool| {
            let (one, two) = (pick(&usual[0]), pick(&usual[1]));
            (one.min(two), one.max(two) + u64::from(more))
        };
        for (what, count, (least, most)) in [
            ("made", found.creates, range(|counts| counts.creates, remade || is_released)),
            ("deleted", found.deletes, range(|counts| counts.deletes, again)),
        ] {
            if count > most || (count < least && !may_skip(perturbation)) {
                wrong.push(format!("{name} was {what} {count} times, where {least} to {most} are usual"));
            }
        }
    }
    wrong
}

/// Whether the resource is gone at the end, and nobody held its deletion until all was cleaned up.
fn is_released(subject: &Subject, reference: &Reference) -> bool {
    let primary = kind_name(subject.declaration.primary);
    let mut writes = reference.runs[0].trace.writes();
    let is_held = writes.any(|entry| entry.call.kind() == primary && entry.call.subresource.is_none());
    !is_held && subject.resource_in(&reference.end).is_none()
}

fn may_skip(perturbation: &Perturbation) -> bool {
    matches!(perturbation, Perturbation::Absent { .. } | Perturbation::Held { .. })
}
