//! One thing that goes wrong with a scenario, and how it is called. Pure.

use std::fmt;

use kernel::faults::{Cut, Fault, Refusal};

use crate::class::Class;
use crate::drift::{Act, Drift};
use crate::scenario::Property;
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

    /// What happens, in one word: the part of a plan's name that tells variants of a class apart.
    pub fn word(&self) -> String {
        match self {
            Self::Fault(_, fault) => fault.as_str().into(),
            Self::Denied { refusal, .. } => format!("denied-{}", refusal.code()),
            Self::Blocked { fault, .. } => format!("blocked-{}", fault.as_str()),
            Self::Held { expired: false, .. } => "held".into(),
            Self::Held { expired: true, .. } => "held-then-expired".into(),
            Self::Cut { how, .. } => format!("cut-{how:?}").to_lowercase(),
            Self::Outside { mishap: Mishap::Refused, .. } => "outside-refused".into(),
            Self::Outside { mishap: Mishap::AnswerLost, .. } => "outside-answer-lost".into(),
            Self::Absent { .. } => "absent".into(),
            Self::Idle => "idle".into(),
            Self::Stale { moment, .. } => format!("stale-{moment:?}").to_lowercase(),
            Self::Drift(drift) => format!("drift/{}", drift.act.word()),
            Self::Property(_) => "property".into(),
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

impl Plan {
    /// What kind of thing goes wrong.
    pub fn class(&self) -> Class {
        Class::of(&self.perturbation)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.scenario)?;
        if let Some(change) = self.perturbation.change() {
            write!(f, "{}/", change + 1)?;
        }
        write!(f, "{}", self.perturbation.word())?;
        match &self.perturbation {
            Perturbation::Fault(spot, _) => write!(f, "/{spot}"),
            Perturbation::Denied { kind, .. }
            | Perturbation::Held { kind, .. }
            | Perturbation::Cut { kind, .. } => write!(f, "/{kind}"),
            Perturbation::Blocked { kind, .. } => write!(f, "/watch:{kind}"),
            Perturbation::Outside { nth, .. } => write!(f, "/#{nth}"),
            Perturbation::Absent { .. } | Perturbation::Idle => Ok(()),
            Perturbation::Stale { kind, .. } => write!(f, "/{}", kind.as_deref().unwrap_or("everything")),
            Perturbation::Drift(Drift { name, act: Act::Edit(pointer) }) => write!(f, "/{name}{pointer}"),
            Perturbation::Drift(drift) => write!(f, "/{}", drift.name),
            Perturbation::Property(property) => write!(f, "/{}", property.path),
        }
    }
}
