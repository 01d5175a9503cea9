//! What must be true of every run. Pure: from what the operator asked and what was there at the end to what is wrong,
//! a line each.

use std::collections::{BTreeMap, BTreeSet};

use kernel::call::Verb;
use kernel::faults::{Entry, Trace};
use serde_json::Value;

use crate::plan::Perturbation;
use crate::pods;
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
    let remakes = remakes(subject, reference, perturbation);
    wrong.extend(as_often(reference, &run.trace, perturbation, remakes));
    if !matches!(perturbation, Perturbation::Property(_)) {
        let remade = if remakes > 0 { remade(reference, &run.trace) } else { BTreeMap::new() };
        let usual = reference.runs.each_ref().map(|run| &run.pods);
        wrong.extend(pods::judge(usual, &run.pods, &run.effect, &remade));
    }
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

/// What the operator created belongs to the resource; once that is gone, it has no owner.
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

/// A status is about a generation only when its work was begun: no status of a new one comes before the first write to a
/// child of its change, if it has any.
fn status_last(subject: &Subject, run: &Run) -> Vec<String> {
    early(&kind_name(subject.declaration.primary), &run.trace, &run.starts)
}

fn early(primary: &str, trace: &Trace, starts: &[usize]) -> Vec<String> {
    let told = |entry: &Entry| {
        let body = entry.body.as_ref().filter(|_| entry.call.is_write() && entry.call.kind() == primary);
        body.and_then(|body| generation(&body["status"]))
    };
    let mut wrong = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(trace.0.len());
        // A request that was in flight when the change was made is still about the generation before.
        let before = trace.0[..*start].iter().filter_map(told).max();
        let status = trace.0[*start..end].iter().find(|entry| told(entry) > before);
        let child = |entry: &&Entry| entry.call.is_write() && entry.call.kind() != primary;
        let (Some(status), Some(child)) = (status, trace.0[*start..end].iter().find(child)) else { continue };
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

/// The newest generation that a status, or a condition in it, is about.
fn generation(status: &Value) -> Option<i64> {
    let conditions = status["conditions"].as_array();
    let all = conditions.into_iter().flatten().chain([status]);
    all.filter_map(|one| one["observedGeneration"].as_i64()).max()
}

/// As many creates and deletes of each object as without the disturbance. Justified exceptions:
/// - a child that the plan itself deletes is made once more;
/// - a delete whose answer was lost, or whose process died, may be sent again;
/// - an operator that was away, or saw nothing, may find that there is less to do;
/// - what a stale view does is counted by its own plan, which deletes and recreates everything;
/// - pods are counted separately, because the operator and Kubernetes may both be about to delete them;
/// - where no finalizer delays the deletion of a resource, the events of its children may come before the event of the
///   resource: then they are made once more, for an owner that is gone, and go again; and again as long as the plan keeps the
///   news of the resource from the operator.
fn as_often(reference: &Reference, trace: &Trace, perturbation: &Perturbation, remakes: u64) -> Vec<String> {
    if matches!(perturbation, Perturbation::Stale { .. } | Perturbation::Property(_)) {
        return Vec::new();
    }
    let usual = reference.runs.each_ref().map(|run| counts(&run.trace));
    let found = counts(trace);
    let names: BTreeSet<&Name> = usual.iter().flat_map(|counts| counts.keys()).chain(found.keys()).collect();
    let mut wrong = Vec::new();
    for name in names.into_iter().filter(|name| name.kind != "pods") {
        let of = |counts: &BTreeMap<Name, Counts>| counts.get(name).copied().unwrap_or_default();
        let (found, usual) = (of(&found), usual.each_ref().map(of));
        let again = matches!(perturbation, Perturbation::Fault(spot, _)
            if spot.target.verb == Verb::Delete && spot.target.name == name.name);
        let remade =
            matches!(perturbation, Perturbation::Drift(drift) if drift.act.deletes() && drift.name == *name);
        let range = |pick: fn(&Counts) -> u64, more: u64| {
            let (one, two) = (pick(&usual[0]), pick(&usual[1]));
            (one.min(two), one.max(two).saturating_add(more))
        };
        for (what, count, (least, most)) in [
            ("made", found.creates, range(|counts| counts.creates, remakes.max(remade.into()))),
            ("deleted", found.deletes, range(|counts| counts.deletes, again.into())),
        ] {
            if count > most || (count < least && !may_skip(perturbation)) {
                wrong.push(format!("{name} was {what} {count} times, where {least} to {most} are usual"));
            }
        }
    }
    wrong
}

/// What was made more often than usual, and how much more.
fn remade(reference: &Reference, trace: &Trace) -> BTreeMap<Name, u64> {
    let usual = reference.runs.each_ref().map(|run| counts(&run.trace));
    let creates =
        |counts: &BTreeMap<Name, Counts>, name: &Name| counts.get(name).map_or(0, |one| one.creates);
    let more = |(name, found): (Name, Counts)| {
        let most = usual.iter().map(|counts| creates(counts, &name)).max().unwrap_or(0);
        let more = found.creates.saturating_sub(most);
        (more > 0).then_some((name, more))
    };
    counts(trace).into_iter().filter_map(more).collect()
}

/// How many times more than usual children may be made because their owner is gone and the operator does not know it yet.
fn remakes(subject: &Subject, reference: &Reference, perturbation: &Perturbation) -> u64 {
    let primary = kind_name(subject.declaration.primary);
    match perturbation {
        _ if !is_released(subject, reference) => 0,
        Perturbation::Held { kind, .. }
        | Perturbation::Cut { kind, .. }
        | Perturbation::Blocked { kind, .. }
            if *kind == primary =>
        {
            u64::MAX
        }
        Perturbation::Fault(..)
        | Perturbation::Denied { .. }
        | Perturbation::Blocked { .. }
        | Perturbation::Held { .. }
        | Perturbation::Cut { .. }
        | Perturbation::Outside { .. }
        | Perturbation::Absent { .. }
        | Perturbation::Idle
        | Perturbation::Stale { .. }
        | Perturbation::Drift(_)
        | Perturbation::Property(_) => 1,
    }
}

/// Whether the resource is gone at the end, and no finalizer delayed its deletion.
fn is_released(subject: &Subject, reference: &Reference) -> bool {
    let primary = kind_name(subject.declaration.primary);
    let mut writes = reference.runs[0].trace.writes();
    let is_held = writes.any(|entry| entry.call.kind() == primary && entry.call.subresource.is_none());
    !is_held && subject.resource_in(&reference.end).is_none()
}

fn may_skip(perturbation: &Perturbation) -> bool {
    matches!(perturbation, Perturbation::Absent { .. } | Perturbation::Held { .. })
}

#[cfg(test)]
mod tests {
    use axum::http::{Method, Uri};
    use kernel::call::Call;
    use kernel::faults::Preconditions;
    use serde_json::json;

    use super::*;

    /// Writes in this order: to a child, or of a status about a generation. The second change begins after so many.
    fn early(writes: &[Option<i64>], second: usize) -> usize {
        let entry = |(at, generation): (usize, &Option<i64>)| {
            let path = if generation.is_some() { "prometheuses/main/status" } else { "statefulsets/main" };
            let uri: Uri = format!("/apis/g/v1/namespaces/n/{path}").parse().unwrap();
            let status = json!({"conditions": [{"observedGeneration": generation}]});
            Entry {
                number: at as u64 + 1,
                life: 1,
                call: Call::of(&Method::PUT, &uri, None),
                body: Some(json!({"status": status})),
                preconditions: Preconditions::default(),
                sent: true,
                fault: None,
                status: Some(200),
            }
        };
        let trace = Trace(writes.iter().enumerate().map(entry).collect());
        super::early("prometheuses.g", &trace, &[0, second]).len()
    }

    #[test]
    fn a_status_of_a_new_generation_comes_after_its_first_write() {
        let rows = [
            (vec![None, Some(1), None, Some(2)], 0),
            (vec![None, Some(1), Some(2), None], 1),
            (vec![None, Some(1), Some(1), None, Some(2)], 0),
            (vec![None, Some(1), Some(1), Some(2), None], 1),
            (vec![None, Some(1), Some(2)], 0),
        ];
        for (writes, wrong) in rows {
            assert_eq!(early(&writes, 2), wrong, "{writes:?}");
        }
        assert_eq!(early(&[Some(1), None, None], 2), 1);
    }
}
