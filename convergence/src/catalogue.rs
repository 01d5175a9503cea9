//! Every plan of a scenario: pure, from what the scenario did when nothing went wrong. There is no plan for what cannot
//! have an effect: a kind of which nothing changed has no events to delay, one that is not watched has no watch to cut.

use std::collections::BTreeSet;

use kernel::faults::{Cut, Fault, Refusal};

use crate::plan::{Moment, Perturbation, Plan};
use crate::reference::Reference;
use crate::scenario::{Aftermath, Extent, Scenario, Subject, kind_name};
use crate::spot::Spot;
use crate::standin::Mishap;

/// The errors that every kind of call meets.
const REFUSALS: [Refusal; 6] = [
    Refusal::Conflict,
    Refusal::TooManyRequests(std::time::Duration::from_secs(1)),
    Refusal::InternalError,
    Refusal::Unavailable,
    Refusal::Timeout,
    Refusal::Forbidden,
];

/// How many calls to an instance are disturbed, one a plan.
const OUTSIDE_CALLS: u64 = 6;

const CUTS: [Cut; 4] = [Cut::Clean, Cut::Broken, Cut::Expired, Cut::Truncated];

/// Every plan of a scenario.
pub fn plans(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Plan> {
    let mut all = faults(subject, scenario, reference);
    all.extend(surroundings(subject, scenario, reference));
    all.extend(blocked(subject, scenario, reference));
    all.extend(denied(subject, scenario, reference));
    if subject.is_plainest(scenario) {
        all.extend(stale(subject, reference));
    }
    all.push(Perturbation::Idle);
    all.extend(reference.drifts().iter().cloned().map(Perturbation::Drift));
    if scenario.aftermath == Aftermath::Whole {
        all.extend(subject.properties.iter().cloned().map(Perturbation::Property));
    }
    all.into_iter().map(|perturbation| Plan { scenario: scenario.name, perturbation }).collect()
}

/// Before and after every write a crash, after every write a lost answer, and every error at every call. In turns: a
/// crash before a write is one after the write before it, so it is only tried at the first one of a change.
fn faults(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let (mut all, extent) = (Vec::new(), subject.extent);
    let mut begun = BTreeSet::new();
    let spots = reference.spots.iter().filter(|spot| spot.change >= scenario.from);
    for (at, spot) in spots.enumerate() {
        let mut add = |fault: Fault| all.push(Perturbation::Fault(spot.clone(), fault));
        add(Fault::AnswerLost);
        // A crash at a read is a crash before the next write.
        if spot.target.verb.writes() {
            add(Fault::CrashAfter);
            if begun.insert(spot.change) || extent == Extent::Each {
                add(Fault::CrashBefore);
            }
        }
        for (number, refusal) in REFUSALS.iter().enumerate() {
            if has_its_turn(extent, number, at, 6) && !is_for_long(subject, spot, *refusal) {
                add(Fault::Refused(*refusal));
            }
        }
    }
    all
}

/// Who may not write the status of what others made does without it, and tries again after minutes only.
fn is_for_long(subject: &Subject, spot: &Spot, refusal: Refusal) -> bool {
    let is_of_others =
        subject.declaration.watched.iter().any(|watched| kind_name(watched.kind) == spot.target.kind);
    matches!(refusal, Refusal::Forbidden) && is_of_others && spot.target.part.as_deref() == Some("status")
}

/// Whether something is tried at a place: in turns, one in so many is.
fn has_its_turn(extent: Extent, what: usize, place: usize, of: usize) -> bool {
    match extent {
        Extent::Each => true,
        Extent::InTurns => what % of == place % of,
    }
}

/// What can happen to the events of each kind during each change, and to calls to instances; and the operator away.
fn surroundings(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let (mut all, watched) = (Vec::new(), reference.watched());
    for change in scenario.from..scenario.changes.len() {
        let changed: BTreeSet<String> = reference.changed(change).intersection(&watched).cloned().collect();
        for (at, kind) in changed.iter().enumerate() {
            let expired = (at + change) % 2 == 1;
            all.push(Perturbation::Held { change, kind: kind.clone(), expired });
        }
        for (at, kind) in watched.iter().enumerate() {
            // Scenarios of the same length begin their turns elsewhere.
            if has_its_turn(subject.extent, at, change + scenario.name.len() + 3, 7) {
                // The next event breaks off only if there is one.
                let cuts = if changed.contains(kind) { CUTS.as_slice() } else { &CUTS[..3] };
                let how = cuts[(at + change) % cuts.len()];
                all.push(Perturbation::Cut { change, kind: kind.clone(), how });
            }
        }
        all.push(Perturbation::Absent { change });
        // How often the operator asks again depends on the time that things take: the first calls are the ones that
        // every run has.
        let calls = reference.runs.iter().map(|run| run.outside[change]).min().unwrap_or(0);
        for nth in 1..=calls.min(OUTSIDE_CALLS) {
            let both = [Mishap::Refused, Mishap::AnswerLost];
            all.extend(both.map(|mishap| Perturbation::Outside { change, nth, mishap }));
        }
    }
    all
}

/// Every error at the first watch of every kind when a kind is new; in other scenarios some, at a start in their middle.
fn blocked(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let faults = REFUSALS.map(Fault::Refused).into_iter();
    let faults: Vec<Fault> = faults.chain([Fault::Expired, Fault::Truncated, Fault::AnswerLost]).collect();
    let (mut all, place) = (Vec::new(), scenario.name.len());
    for (at, kind) in reference.watched().into_iter().enumerate() {
        let mut add = |fault: &Fault| {
            let (change, kind, fault) = (scenario.from, kind.clone(), fault.clone());
            all.push(Perturbation::Blocked { change, kind, fault });
        };
        if subject.is_plainest(scenario) {
            let due = |(number, _): &(usize, &Fault)| has_its_turn(subject.extent, *number, at, 5);
            faults.iter().enumerate().filter(due).for_each(|(_, fault)| add(fault));
        } else if has_its_turn(Extent::InTurns, at, place, 4) {
            add(&faults[(at + place) % faults.len()]);
        }
    }
    all
}

/// Writes of each kind of child that are refused for longer, where the first change that is disturbed makes such writes; in
/// other scenarios than the plainest of one kind. Who is deleted has no status in the end that could say so.
fn denied(subject: &Subject, scenario: &Scenario, reference: &Reference) -> Vec<Perturbation> {
    let (change, is_plainest) = (scenario.from, subject.is_plainest(scenario));
    if scenario.aftermath == Aftermath::Gone {
        return Vec::new();
    }
    let is_written = |kind: &String| {
        let mut writes = reference.spots.iter().filter(|spot| spot.target.verb.writes());
        writes.any(|spot| spot.change == change && spot.target.kind == *kind)
    };
    let owned = subject.declaration.owned.iter().map(|owned| kind_name(owned.kind));
    let kinds: Vec<String> = owned.filter(is_written).collect();
    let mut all = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        if is_plainest || has_its_turn(Extent::InTurns, at, scenario.name.len(), kinds.len()) {
            let denied = |refusal| Perturbation::Denied { change, kind: kind.clone(), refusal };
            all.extend([Refusal::Forbidden, Refusal::InternalError].map(denied));
        }
    }
    all
}

/// Old views of the kinds of which there was something that is another object by then; claims outlive their owner.
fn stale(subject: &Subject, reference: &Reference) -> Vec<Perturbation> {
    let there: BTreeSet<&String> = reference.end.0.keys().map(|name| &name.kind).collect();
    let kinds = reference.watched().into_iter();
    let kinds = kinds.filter(|kind| there.contains(kind) && kind != "persistentvolumeclaims").map(Some);
    let primary = kind_name(subject.declaration.primary);
    let mut all = Vec::new();
    for (at, kind) in std::iter::once(None).chain(kinds).enumerate() {
        // An old view of everything, or of the resource itself, leads furthest astray.
        let is_always = kind.as_ref().is_none_or(|kind| *kind == primary);
        let moments = [Moment::Running, Moment::Deleting].into_iter().enumerate();
        let moments = moments.filter(|(number, _)| is_always || has_its_turn(subject.extent, *number, at, 2));
        all.extend(moments.map(|(_, moment)| Perturbation::Stale { kind: kind.clone(), moment }));
    }
    all
}

#[cfg(test)]
mod tests {
    use axum::http::{Method, Uri};
    use kernel::call::Call;
    use kernel::faults::{Entry, Preconditions, Trace};
    use serde_json::json;

    use super::*;
    use crate::class::Class;
    use crate::kinds;
    use crate::pods::{Effect, Pods};
    use crate::reference::Run;
    use crate::state::{Name, State};

    const SECRETS: &str = "/api/v1/namespaces/n/secrets";

    /// A run that watched Secrets and pods, and made one Secret.
    fn run() -> Run {
        let watches = [format!("{SECRETS}?watch=true"), "/api/v1/namespaces/n/pods?watch=true".to_owned()];
        let calls =
            watches.into_iter().map(|path| (Method::GET, path)).chain([(Method::POST, SECRETS.to_owned())]);
        let entry = |(at, (method, path)): (usize, (Method, String))| Entry {
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

    /// The plans of the plainest scenario, without its name.
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
    fn what_cannot_strike_is_no_plan() {
        assert_eq!(names(Class::Held), set(&["1/held/secrets"]));
        assert_eq!(names(Class::Cut).len(), 2, "a kind that nobody watches has no watch to cut");
        assert!(!names(Class::Cut).contains("1/cut-truncated/pods"), "no event of a pod comes");
        let watched = |name: &String| name.ends_with("watch:secrets") || name.ends_with("watch:pods");
        assert!(names(Class::Blocked).iter().all(watched));
        assert_eq!(names(Class::Denied), set(&["1/denied-403/secrets", "1/denied-500/secrets"]));
        assert!(
            names(Class::Stale)
                .iter()
                .all(|name| name.ends_with("/secrets") || name.ends_with("/everything"))
        );
        assert_eq!(names(Class::Outside), set(&[]));
        assert_eq!(names(Class::Drift), set(&[]), "the server accepted none");
        assert_eq!(names(Class::Crash).len(), 2);
    }
}
