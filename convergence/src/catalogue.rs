//! Lists every plan of a scenario. Pure: from the reference of the scenario. There is no plan for a perturbation that cannot
//! take effect: a kind without changes has no events to delay, and a kind that is not watched has no watch to interrupt.

use std::collections::BTreeSet;

use kernel::faults::{Cut, Fault, Refusal};

use crate::injection_point::InjectionPoint;
use crate::plan::{Perturbation, Plan, ShownState};
use crate::reference::Reference;
use crate::scenario::{Coverage, EndState, Scenario, Subject, kind_name};
use crate::standin::CallFault;

/// The errors that are tested with every kind of request.
const REFUSALS: [Refusal; 6] = [
    Refusal::Conflict,
    Refusal::TooManyRequests(std::time::Duration::from_secs(1)),
    Refusal::InternalError,
    Refusal::Unavailable,
    Refusal::Timeout,
    Refusal::Forbidden,
];

/// How many calls to an instance fail, one in each plan.
const OUTSIDE_CALLS: u64 = 6;

const CUTS: [Cut; 4] = [Cut::Clean, Cut::Broken, Cut::Expired, Cut::Truncated];

/// Every plan of a scenario.
pub fn plans(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Plan> {
    let mut all = faults(subject, scenario, reference);
    all.extend(surroundings(subject, scenario, reference));
    all.extend(blocked(subject, scenario, reference));
    all.extend(denied(subject, scenario, reference));
    if subject.is_simplest(scenario) {
        all.extend(stale(subject, reference));
    }
    all.push(Perturbation::Idle);
    all.extend(reference.drifts().iter().cloned().map(Perturbation::Drift));
    if scenario.end_state == EndState::Whole {
        all.extend(subject.properties.iter().cloned().map(Perturbation::Property));
    }
    all.into_iter().map(|perturbation| Plan { scenario: scenario.name, perturbation }).collect()
}

/// A crash before and after every write, a lost response to every request, and every error at every request. Where faults
/// take turns, a crash before a write is tested only at the first write of a change: it equals a crash after the previous
/// one.
fn faults(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let (mut all, coverage) = (Vec::new(), subject.coverage);
    let mut begun = BTreeSet::new();
    let points = reference.points.iter().filter(|point| point.change >= scenario.from);
    for (at, point) in points.enumerate() {
        let mut add = |fault: Fault| all.push(Perturbation::Fault(point.clone(), fault));
        add(Fault::AnswerLost);
        // A crash at a read equals a crash before the next write.
        if point.target.verb.writes() {
            add(Fault::CrashAfter);
            if begun.insert(point.change) || coverage == Coverage::Each {
                add(Fault::CrashBefore);
            }
        }
        for (number, refusal) in REFUSALS.iter().enumerate() {
            if has_its_turn(coverage, number, at, 6) && !delays_for_minutes(subject, point, *refusal) {
                add(Fault::Refused(*refusal));
            }
        }
    }
    all
}

/// Whether an error delays the operator for minutes: if it is forbidden to write the status of an object that it does not
/// own, it continues without it.
fn delays_for_minutes(subject: &Subject, point: &InjectionPoint, refusal: Refusal) -> bool {
    let is_foreign =
        subject.declaration.watched.iter().any(|watched| kind_name(watched.kind) == point.target.kind);
    matches!(refusal, Refusal::Forbidden) && is_foreign && point.target.part.as_deref() == Some("status")
}

/// Whether item number `what` is tested at a place. Where items take turns, one in `of` is.
fn has_its_turn(coverage: Coverage, what: usize, place: usize, of: usize) -> bool {
    match coverage {
        Coverage::Each => true,
        Coverage::InTurns => what % of == place % of,
    }
}

/// Faults of the watch of each kind during each change, faults of calls to instances, and a stopped operator.
fn surroundings(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let (mut all, watched) = (Vec::new(), reference.watched());
    for change in scenario.from..scenario.changes.len() {
        let changed: BTreeSet<String> = reference.changed(change).intersection(&watched).cloned().collect();
        for (at, kind) in changed.iter().enumerate() {
            let expired = (at + change) % 2 == 1;
            all.push(Perturbation::Held { change, kind: kind.clone(), expired });
        }
        for (at, kind) in watched.iter().enumerate() {
            // The turn depends on the name, so that scenarios do not all start with the same item.
            if has_its_turn(subject.coverage, at, change + scenario.name.len() + 3, 7) {
                // An event can be truncated only if there is one.
                let cuts = if changed.contains(kind) { CUTS.as_slice() } else { &CUTS[..3] };
                let how = cuts[(at + change) % cuts.len()];
                all.push(Perturbation::Cut { change, kind: kind.clone(), how });
            }
        }
        all.push(Perturbation::Absent { change });
        // The number of calls depends on timing. Only the first ones happen in every run.
        let calls = reference.runs.iter().map(|run| run.outside[change]).min().unwrap_or(0);
        for nth in 1..=calls.min(OUTSIDE_CALLS) {
            let both = [CallFault::Refused, CallFault::AnswerLost];
            all.extend(both.map(|fault| Perturbation::Outside { change, nth, fault }));
        }
    }
    all
}

/// Errors at the first watch of a kind: every error in the simplest scenario, some in the others, after a restart.
fn blocked(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let faults = REFUSALS.map(Fault::Refused).into_iter();
    let faults: Vec<Fault> = faults.chain([Fault::Expired, Fault::Truncated, Fault::AnswerLost]).collect();
    let (mut all, place) = (Vec::new(), scenario.name.len());
    for (at, kind) in reference.watched().into_iter().enumerate() {
        let mut add = |fault: &Fault| {
            let (change, kind, fault) = (scenario.from, kind.clone(), fault.clone());
            all.push(Perturbation::Blocked { change, kind, fault });
        };
        if subject.is_simplest(scenario) {
            let due = |(number, _): &(usize, &Fault)| has_its_turn(subject.coverage, *number, at, 5);
            faults.iter().enumerate().filter(due).for_each(|(_, fault)| add(fault));
        } else if has_its_turn(Coverage::InTurns, at, place, 4) {
            add(&faults[(at + place) % faults.len()]);
        }
    }
    all
}

/// Errors at all writes of a kind of child objects, where the first change that is disturbed makes such writes: of every kind
/// in the simplest scenario, of one kind in the others. A deleted resource has no status to report them.
fn denied(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let (change, is_simplest) = (scenario.from, subject.is_simplest(scenario));
    if scenario.end_state == EndState::Gone {
        return Vec::new();
    }
    let is_written = |kind: &String| {
        let mut writes = reference.points.iter().filter(|point| point.target.verb.writes());
        writes.any(|point| point.change == change && point.target.kind == *kind)
    };
    let owned = subject.declaration.owned.iter().map(|owned| kind_name(owned.kind));
    let kinds: Vec<String> = owned.filter(is_written).collect();
    let mut all = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        if is_simplest || has_its_turn(Coverage::InTurns, at, scenario.name.len(), kinds.len()) {
            let denied = |refusal| Perturbation::Denied { change, kind: kind.clone(), refusal };
            all.extend([Refusal::Forbidden, Refusal::InternalError].map(denied));
        }
    }
    all
}

/// Outdated caches of the kinds with objects that are recreated. Claims are not: they outlive their owner.
fn stale(subject: &Subject, reference: &Reference) -> Vec<Perturbation> {
    let existing: BTreeSet<&String> = reference.end.0.keys().map(|name| &name.kind).collect();
    let kinds = reference.watched().into_iter();
    let kinds = kinds.filter(|kind| existing.contains(kind) && kind != "persistentvolumeclaims").map(Some);
    let primary = kind_name(subject.declaration.primary);
    let mut all = Vec::new();
    for (at, kind) in std::iter::once(None).chain(kinds).enumerate() {
        // An outdated cache of everything, or of the resource itself, is the most dangerous.
        let is_always = kind.as_ref().is_none_or(|kind| *kind == primary);
        let states = [ShownState::Running, ShownState::Deleting].into_iter().enumerate();
        let states = states.filter(|(number, _)| is_always || has_its_turn(subject.coverage, *number, at, 2));
        all.extend(states.map(|(_, shown)| Perturbation::Stale { kind: kind.clone(), shown }));
    }
    all
}

#[cfg(test)]
mod tests {
    use axum::http::{Method, Uri};
    use kernel::call::Call;
    use kernel::faults::{Preconditions, Trace, TraceEntry};
    use serde_json::json;

    use super::*;
    use crate::class::Class;
    use crate::kinds;
    use crate::pods::{Effect, Pods};
    use crate::reference::Run;
    use crate::state::{Name, State};

    const SECRETS: &str = "/api/v1/namespaces/n/secrets";

    /// A run that watched Secrets and pods, and created one Secret.
    fn run() -> Run {
        let watches = [format!("{SECRETS}?watch=true"), "/api/v1/namespaces/n/pods?watch=true".to_owned()];
        let calls =
            watches.into_iter().map(|path| (Method::GET, path)).chain([(Method::POST, SECRETS.to_owned())]);
        let entry = |(at, (method, path)): (usize, (Method, String))| TraceEntry {
            number: at as u64 + 1,
            life: 1,
            call: Call::of(&method, &path.parse::<Uri>().unwrap(), Some(&json!({"metadata": {"name": "a"}}))),
            body: None,
            preconditions: Preconditions::default(),
            sent: true,
            fault: None,
            status: Some(200),
        };
        let name = Name { kind: "secrets".into(), name: "a".into() };
        Run {
            namespace: "n".into(),
            trace: Trace(calls.enumerate().map(entry).collect()),
            starts: vec![0],
            outside: vec![0],
            changed: vec![["secrets".to_owned(), "services".to_owned()].into()],
            pods: Pods::default(),
            effect: Effect::None,
            drifts: Vec::new(),
            end: State([(name, json!({"metadata": {"name": "a"}}))].into()),
        }
    }

    /// The plans of the simplest scenario, without its name.
    fn names(class: Class) -> BTreeSet<String> {
        let subjects = kinds::all();
        let (subject, scenario) = (&subjects[0], &subjects[0].scenarios[0]);
        let all = plans(subject, scenario, &Reference::of(run(), run()));
        let of_class = all.iter().filter(|plan| plan.class() == class);
        of_class.map(|plan| plan.to_string().replace("install/", "")).collect()
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn there_is_no_plan_without_a_possible_effect() {
        assert_eq!(names(Class::Held), set(&["1/held/secrets"]));
        assert_eq!(names(Class::Cut).len(), 2, "a kind that is not watched has no watch to interrupt");
        assert!(!names(Class::Cut).contains("1/cut-truncated/pods"), "there is no event of a pod");
        let watched = |name: &String| name.ends_with("watch:secrets") || name.ends_with("watch:pods");
        assert!(names(Class::Blocked).iter().all(watched));
        assert_eq!(names(Class::Denied), set(&["1/denied-403/secrets", "1/denied-500/secrets"]));
        assert!(
            names(Class::Stale)
                .iter()
                .all(|name| name.ends_with("/secrets") || name.ends_with("/everything"))
        );
        assert_eq!(names(Class::Outside), set(&[]));
        assert_eq!(names(Class::Drift), set(&[]), "the API server accepted none");
        assert_eq!(names(Class::Crash).len(), 2);
    }
}
