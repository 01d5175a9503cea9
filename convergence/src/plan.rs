//! What can go wrong with a scenario, one plan for each: pure, from what the scenario did when nothing went wrong.

use std::collections::BTreeSet;
use std::fmt;

use kernel::faults::{Cut, Fault, Refusal};

use crate::drift::{self, Drift};
use crate::reference::Reference;
use crate::scenario::{Aftermath, Extent, Property, Scenario, Subject, kind_name};
use crate::spot::Spot;
use crate::standin::Mishap;

/// What a stale view shows of a resource that was deleted and made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// It ran.
    Running,
    /// It was on its way out.
    Deleting,
}

/// One thing that goes wrong. `change` counts from 0.
#[derive(Debug, Clone)]
pub enum Perturbation {
    /// One write fails, or its process dies.
    Fault(Spot, Fault),
    /// No write of a kind is allowed until the status says so.
    Denied {
        /// From this change on.
        change: usize,
        /// What cannot be written.
        kind: String,
        /// How that is said.
        refusal: Refusal,
    },
    /// The first reads of a kind fail when the operator starts.
    Blocked {
        /// Before this change.
        change: usize,
        /// What cannot be read.
        kind: String,
        /// How that is said.
        fault: Fault,
    },
    /// The events of a kind are held back until all else is silent; then they come, or history is gone.
    Held {
        /// During this change.
        change: usize,
        /// Whose events.
        kind: String,
        /// Whether they never come.
        expired: bool,
    },
    /// The watch of a kind is cut when the change is made.
    Cut {
        /// Before this change.
        change: usize,
        /// Whose watch.
        kind: String,
        /// How it ends.
        how: Cut,
    },
    /// The n-th call to an instance since the change was made fails, before or after it was done.
    Outside {
        /// During this change.
        change: usize,
        /// Which call; the first is 1.
        nth: u64,
        /// What happens to it.
        mishap: Mishap,
    },
    /// The operator is away while the change is made.
    Absent {
        /// During this change.
        change: usize,
    },
    /// Passes are forced when everything is settled.
    Idle,
    /// The resource is deleted and made again; then an operator starts whose view of a kind, or of all, is old.
    Stale {
        /// Of what; of everything if absent.
        kind: Option<String>,
        /// What the view shows.
        moment: Moment,
    },
    /// Somebody else changes a child.
    Drift(Drift),
    /// A property changes, and back.
    Property(Property),
}

impl Perturbation {
    /// The change during which it happens; nothing if it happens when all changes are over.
    pub fn change(&self) -> Option<usize> {
        match self {
            Self::Fault(spot, _) => Some(spot.change),
            Self::Denied { change, .. }
            | Self::Blocked { change, .. }
            | Self::Held { change, .. }
            | Self::Cut { change, .. }
            | Self::Outside { change, .. }
            | Self::Absent { change } => Some(*change),
            Self::Idle | Self::Stale { .. } | Self::Drift(_) | Self::Property(_) => None,
        }
    }
}

/// A scenario with one thing going wrong.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Which scenario.
    pub scenario: &'static str,
    /// What goes wrong.
    pub perturbation: Perturbation,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.scenario)?;
        match &self.perturbation {
            Perturbation::Fault(spot, fault) => {
                write!(f, "{}/{}/{spot}", spot.change + 1, fault.as_str())
            }
            Perturbation::Denied { change, kind, refusal } => {
                write!(f, "{}/denied-{}/{kind}", change + 1, refusal.code().as_u16())
            }
            Perturbation::Blocked { change, kind, fault } => {
                write!(f, "{}/blocked-{}/watch:{kind}", change + 1, fault.as_str())
            }
            Perturbation::Held { change, kind, expired } => {
                let how = if *expired { "held-then-expired" } else { "held" };
                write!(f, "{}/{how}/{kind}", change + 1)
            }
            Perturbation::Cut { change, kind, how } => {
                write!(f, "{}/cut-{}/{kind}", change + 1, format!("{how:?}").to_lowercase())
            }
            Perturbation::Outside { change, nth, mishap } => {
                let mishap = match mishap {
                    Mishap::Refused => "refused",
                    Mishap::AnswerLost => "answer-lost",
                };
                write!(f, "{}/outside-{mishap}/#{nth}", change + 1)
            }
            Perturbation::Absent { change } => write!(f, "{}/absent", change + 1),
            Perturbation::Idle => write!(f, "idle"),
            Perturbation::Stale { kind, moment } => {
                let moment = format!("{moment:?}").to_lowercase();
                write!(f, "stale-{moment}/{}", kind.as_deref().unwrap_or("everything"))
            }
            Perturbation::Drift(drift) => write!(f, "drift/{drift}"),
            Perturbation::Property(property) => write!(f, "property/{}", property.path),
        }
    }
}

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
    let is_plainest = subject.scenarios.first().is_some_and(|first| first.name == scenario.name);
    if is_plainest {
        all.extend(at_start(subject, reference));
        all.extend(stale(subject));
    }
    all.push(Perturbation::Idle);
    if scenario.aftermath == Aftermath::Whole {
        all.extend(drift::all(subject, &reference.end).into_iter().map(Perturbation::Drift));
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
    let mut all = Vec::new();
    for change in scenario.from..scenario.changes.len() {
        for (at, kind) in kinds(subject).into_iter().enumerate() {
            let how = CUTS[(at + change) % CUTS.len()];
            // Scenarios of the same length begin their turns elsewhere.
            let place = change + scenario.name.len();
            if has_its_turn(subject.extent, at, place, 7) {
                let expired = (at + change) % 2 == 1;
                all.push(Perturbation::Held { change, kind: kind.clone(), expired });
            }
            if has_its_turn(subject.extent, at, place + 3, 7) {
                all.push(Perturbation::Cut { change, kind, how });
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

/// Every error at the first reads, and writes that are refused for longer.
fn at_start(subject: &Subject, reference: &Reference) -> Vec<Perturbation> {
    let mut all = Vec::new();
    for (at, kind) in kinds(subject).into_iter().enumerate() {
        let faults = REFUSALS.map(Fault::Refused).into_iter();
        let faults = faults.chain([Fault::Expired, Fault::Truncated, Fault::AnswerLost]);
        for (_, fault) in
            faults.enumerate().filter(|(number, _)| has_its_turn(subject.extent, *number, at, 5))
        {
            all.push(Perturbation::Blocked { change: 0, kind: kind.clone(), fault });
        }
    }
    for kind in subject.declaration.owned.iter().map(|owned| kind_name(owned.kind)) {
        if reference.spots.iter().any(|spot| spot.change == 0 && spot.target.kind == kind) {
            let denied = |refusal| Perturbation::Denied { change: 0, kind: kind.clone(), refusal };
            all.extend([Refusal::Forbidden, Refusal::InternalError].map(denied));
        }
    }
    all
}

fn stale(subject: &Subject) -> Vec<Perturbation> {
    let views: Vec<Option<String>> =
        std::iter::once(None).chain(kinds(subject).into_iter().map(Some)).collect();
    let mut all = Vec::new();
    for (at, kind) in views.into_iter().enumerate() {
        let moments = [Moment::Running, Moment::Deleting].into_iter().enumerate();
        let moments = moments.filter(|(number, _)| at == 0 || has_its_turn(subject.extent, *number, at, 2));
        all.extend(moments.map(|(_, moment)| Perturbation::Stale { kind: kind.clone(), moment }));
    }
    all
}

/// The kinds that are watched, each once.
fn kinds(subject: &Subject) -> BTreeSet<String> {
    subject.declaration.kinds().map(kind_name).collect()
}
