//! What must be true of every run. Pure: from the requests of the operator and the objects at the end to one line for each
//! violation.

use std::collections::{BTreeMap, BTreeSet};

use kernel::call::Verb;
use kernel::faults::{Trace, TraceEntry};
use serde_json::Value;

use crate::plan::Perturbation;
use crate::pods;
use crate::reference::{ObjectCounts, Reference, Run, counts};
use crate::scenario::{EndState, Scenario, Subject, kind_name};
use crate::state::Name;

/// More requests than the reference times this factor, plus the constant, are a loop.
const FACTOR: usize = 3;
const CONSTANT: usize = 80;

/// Checks a run without a fault: what a comparison of runs of the same code cannot show.
pub fn check_reference(subject: &Subject, scenario: &Scenario, run: &Run) -> Vec<String> {
    let mut wrong = conditional(&run.trace);
    wrong.extend(owned(subject, scenario, run));
    wrong.extend(status_last(subject, run));
    wrong
}

/// Checks a disturbed run.
pub fn check(
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
    let recreations = allowed_recreations(subject, reference, perturbation);
    wrong.extend(writes(reference, &run.trace, perturbation, recreations));
    if !matches!(perturbation, Perturbation::Property(_)) {
        let recreated = if recreations > 0 { recreated(reference, &run.trace) } else { BTreeMap::new() };
        let usual = reference.runs.each_ref().map(|run| &run.pods);
        wrong.extend(pods::check(usual, &run.pods, &run.effect, &recreated));
    }
    let (allowed, requests) = (reference.requests() * FACTOR + CONSTANT, run.trace.0.len());
    if requests > allowed {
        wrong.push(format!(
            "{requests} requests; the reference has {}, {allowed} are allowed",
            reference.requests()
        ));
    }
    if matches!(perturbation, Perturbation::Fault(_, fault) if fault.as_str().starts_with("crash")) {
        wrong.extend(status_last(subject, run));
    }
    wrong
}

/// Every write names the resource version or the UID of the object that it changes, and every delete the UID.
fn conditional(trace: &Trace) -> Vec<String> {
    let bare = |entry: &&TraceEntry| {
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
    lines.into_iter().map(|line| format!("{line} names neither a resource version nor a UID")).collect()
}

/// What the operator created is owned by the resource. Once the resource is deleted, it has no owner.
fn owned(subject: &Subject, scenario: &Scenario, run: &Run) -> Vec<String> {
    let uid = subject.resource_in(&run.end).map(|resource| resource["metadata"]["uid"].clone());
    let kinds: BTreeSet<String> =
        subject.declaration.owned.iter().map(|owned| kind_name(owned.kind)).collect();
    let mut wrong = Vec::new();
    if scenario.end_state == EndState::Gone && uid.is_some() {
        wrong.push("the resource still exists".to_owned());
    }
    let is_created = |name: &Name| kinds.contains(&name.kind) && !(subject.is_users_own)(name);
    for (name, object) in run.end.0.iter().filter(|(name, _)| is_created(name)) {
        let owners = object["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default();
        let controllers: Vec<&Value> = owners.iter().filter(|owner| owner["controller"] == true).collect();
        match (&uid, controllers.as_slice()) {
            (Some(uid), [controller]) if controller["uid"] == *uid => {}
            // An object that several resources share has no controller.
            (Some(uid), []) if owners.iter().any(|owner| owner["uid"] == *uid) => {}
            (Some(_), _) => wrong.push(format!("{name} is not owned by the resource")),
            (None, []) => {}
            (None, _) => wrong.push(format!("{name} is owned by a resource that does not exist")),
        }
    }
    wrong
}

/// A status reports a new generation only after work on it started: not before the first write of a child object in the same
/// change, if there is such a write.
fn status_last(subject: &Subject, run: &Run) -> Vec<String> {
    early_statuses(&kind_name(subject.declaration.primary), &run.trace, &run.starts)
}

fn early_statuses(primary: &str, trace: &Trace, starts: &[usize]) -> Vec<String> {
    let reported = |entry: &TraceEntry| {
        let body = entry.body.as_ref().filter(|_| entry.call.is_write() && entry.call.kind() == primary);
        body.and_then(|body| generation(&body["status"]))
    };
    let mut wrong = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(trace.0.len());
        // A request that was in flight when the change was made may still report the previous generation.
        let before = trace.0[..*start].iter().filter_map(reported).max();
        let status = trace.0[*start..end].iter().find(|entry| reported(entry) > before);
        let child = |entry: &&TraceEntry| entry.call.is_write() && entry.call.kind() != primary;
        let (Some(status), Some(child)) = (status, trace.0[*start..end].iter().find(child)) else { continue };
        if status.number < child.number {
            wrong.push(format!(
                "change {}: the status reported the new generation (request {}) before the first write of a child \
                 object (request {}: {})",
                at + 1,
                status.number,
                child.number,
                child.call.describe()
            ));
        }
    }
    wrong
}

/// The newest observed generation of a status and its conditions.
fn generation(status: &Value) -> Option<i64> {
    let conditions = status["conditions"].as_array();
    let all = conditions.into_iter().flatten().chain([status]);
    all.filter_map(|one| one["observedGeneration"].as_i64()).max()
}

/// Each object is created and deleted as often as in the reference. Exceptions:
/// - a child object that the plan itself deletes is created once more;
/// - a delete whose response was lost, or whose process was killed, may be sent again;
/// - an operator that did not run, or received no events, may have less to do;
/// - `Stale` is checked by its own plan, which deletes and recreates everything;
/// - pods are counted separately, because the operator and Kubernetes may both delete them;
/// - where no finalizer delays the deletion of a resource, the events of its child objects may come before the event of the
///   resource: then they are created once more, for an owner that no longer exists, and deleted again; and so on, as long
///   as the plan delays the events of the resource.
fn writes(
    reference: &Reference,
    trace: &Trace,
    perturbation: &Perturbation,
    recreations: u64,
) -> Vec<String> {
    if matches!(perturbation, Perturbation::Stale { .. } | Perturbation::Property(_)) {
        return Vec::new();
    }
    let usual = reference.runs.each_ref().map(|run| counts(&run.trace));
    let found = counts(trace);
    let names: BTreeSet<&Name> = usual.iter().flat_map(|counts| counts.keys()).chain(found.keys()).collect();
    let mut wrong = Vec::new();
    for name in names.into_iter().filter(|name| name.kind != "pods") {
        let of = |counts: &BTreeMap<Name, ObjectCounts>| counts.get(name).copied().unwrap_or_default();
        let (found, usual) = (of(&found), usual.each_ref().map(of));
        let again = matches!(perturbation, Perturbation::Fault(point, _)
            if point.target.verb == Verb::Delete && point.target.name == name.name);
        let recreated =
            matches!(perturbation, Perturbation::Drift(drift) if drift.act.deletes() && drift.name == *name);
        let range = |pick: fn(&ObjectCounts) -> u64, more: u64| {
            let (one, two) = (pick(&usual[0]), pick(&usual[1]));
            (one.min(two), one.max(two).saturating_add(more))
        };
        for (what, count, (least, most)) in [
            ("created", found.creates, range(|counts| counts.creates, recreations.max(recreated.into()))),
            ("deleted", found.deletes, range(|counts| counts.deletes, again.into())),
        ] {
            if count > most || (count < least && !may_skip(perturbation)) {
                wrong.push(format!("{name} was {what} {count} times, expected {least} to {most}"));
            }
        }
    }
    wrong
}

/// The objects that were created more often than in the reference, and how much more often.
fn recreated(reference: &Reference, trace: &Trace) -> BTreeMap<Name, u64> {
    let usual = reference.runs.each_ref().map(|run| counts(&run.trace));
    let creates =
        |counts: &BTreeMap<Name, ObjectCounts>, name: &Name| counts.get(name).map_or(0, |one| one.creates);
    let more = |(name, found): (Name, ObjectCounts)| {
        let most = usual.iter().map(|counts| creates(counts, &name)).max().unwrap_or(0);
        let more = found.creates.saturating_sub(most);
        (more > 0).then_some((name, more))
    };
    counts(trace).into_iter().filter_map(more).collect()
}

/// How many times more than in the reference child objects may be created because the operator does not know yet that their
/// owner was deleted.
fn allowed_recreations(subject: &Subject, reference: &Reference, perturbation: &Perturbation) -> u64 {
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

/// Whether the resource does not exist at the end, and no finalizer delayed its deletion.
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

    /// The number of violations. Writes in this order: of a child (`None`), or of a status that reports a generation. The
    /// second change starts after `second` writes.
    fn early(writes: &[Option<i64>], second: usize) -> usize {
        let entry = |(at, generation): (usize, &Option<i64>)| {
            let path = if generation.is_some() { "prometheuses/main/status" } else { "statefulsets/main" };
            let uri: Uri = format!("/apis/g/v1/namespaces/n/{path}").parse().unwrap();
            let status = json!({"conditions": [{"observedGeneration": generation}]});
            TraceEntry {
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
        early_statuses("prometheuses.g", &trace, &[0, second]).len()
    }

    #[test]
    fn a_status_of_a_new_generation_comes_after_the_first_write_for_it() {
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
