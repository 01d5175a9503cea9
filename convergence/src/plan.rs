//! Plans: a scenario with one perturbation, and their names. Pure.

use std::fmt;

use kernel::faults::{Cut, Fault, Refusal};

use crate::class::Class;
use crate::drift::{Act, Drift};
use crate::injection_point::InjectionPoint;
use crate::scenario::Property;
use crate::standin::CallFault;

/// What an outdated cache shows of a resource that was deleted and created again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownState {
    /// The resource before it was deleted.
    Running,
    /// The resource while it was being deleted.
    Deleting,
}

/// One thing that goes wrong. The first `change` is 0.
#[derive(Debug, Clone)]
pub enum Perturbation {
    /// One request fails, or the process is killed at it.
    Fault(InjectionPoint, Fault),
    /// All writes of a kind are rejected until the status reports it.
    Denied {
        /// The change at which this starts.
        change: usize,
        /// The kind.
        kind: String,
        /// The error.
        refusal: Refusal,
    },
    /// The first watch of a kind fails when the operator starts.
    Blocked {
        /// The change before which the operator starts.
        change: usize,
        /// The kind.
        kind: String,
        /// The error.
        fault: Fault,
    },
    /// The watch events of a kind are delayed until the operator sends no more requests. Then they arrive, or the watch
    /// expires.
    Held {
        /// The change during which this happens.
        change: usize,
        /// The kind.
        kind: String,
        /// Whether the watch expires.
        expired: bool,
    },
    /// The watch of a kind is interrupted when the change is made.
    Cut {
        /// The change.
        change: usize,
        /// The kind.
        kind: String,
        /// How it ends.
        how: Cut,
    },
    /// The n-th call to an instance after the change fails, before or after it was executed.
    Outside {
        /// The change.
        change: usize,
        /// Which call. The first is 1.
        nth: u64,
        /// How it fails.
        fault: CallFault,
    },
    /// The operator does not run while the change is made.
    Absent {
        /// The change.
        change: usize,
    },
    /// Passes are forced at the end. Nothing may be written.
    Idle,
    /// The resource is deleted and created again. Then an operator starts with an outdated cache of a kind, or of all kinds.
    Stale {
        /// The kind. If there is none, all kinds.
        kind: Option<String>,
        /// What the cache shows.
        shown: ShownState,
    },
    /// Somebody else changes a child object.
    Drift(Drift),
    /// A property is changed, and changed back.
    Property(Property),
}

impl Perturbation {
    /// The change during which it happens. None if it happens after all changes.
    pub fn change(&self) -> Option<usize> {
        match self {
            Self::Fault(point, _) => Some(point.change),
            Self::Denied { change, .. }
            | Self::Blocked { change, .. }
            | Self::Held { change, .. }
            | Self::Cut { change, .. }
            | Self::Outside { change, .. }
            | Self::Absent { change } => Some(*change),
            Self::Idle | Self::Stale { .. } | Self::Drift(_) | Self::Property(_) => None,
        }
    }

    /// The part of a plan's name that distinguishes the variants of a class.
    pub fn variant(&self) -> String {
        match self {
            Self::Fault(_, fault) => fault.as_str().into(),
            Self::Denied { refusal, .. } => format!("denied-{}", refusal.code()),
            Self::Blocked { fault, .. } => format!("blocked-{}", fault.as_str()),
            Self::Held { expired: false, .. } => "held".into(),
            Self::Held { expired: true, .. } => "held-then-expired".into(),
            Self::Cut { how, .. } => format!("cut-{how:?}").to_lowercase(),
            Self::Outside { fault: CallFault::Refused, .. } => "outside-refused".into(),
            Self::Outside { fault: CallFault::AnswerLost, .. } => "outside-answer-lost".into(),
            Self::Absent { .. } => "absent".into(),
            Self::Idle => "idle".into(),
            Self::Stale { shown, .. } => format!("stale-{shown:?}").to_lowercase(),
            Self::Drift(drift) => format!("drift/{}", drift.act.name()),
            Self::Property(_) => "property".into(),
        }
    }
}

/// A scenario with one perturbation.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The name of the scenario.
    pub scenario: &'static str,
    /// The perturbation.
    pub perturbation: Perturbation,
}

impl Plan {
    /// The class of its perturbation.
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
        write!(f, "{}", self.perturbation.variant())?;
        match &self.perturbation {
            Perturbation::Fault(point, _) => write!(f, "/{point}"),
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
