//! What the kernel reports to an observer that counts its work under other names. The kernel does not know those names: an
//! operator that replaces another one maps the occurrences to them.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use crate::call::Call;
use crate::declare::Kind;
use crate::object::{Key, Object};
use crate::queue::Outcome;
use crate::report::{Reconciled, SelectedCount};
use crate::store::Change;

/// How an object changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeAction {
    /// It was created.
    Added,
    /// It was changed.
    Updated,
    /// It was deleted.
    Deleted,
}

impl ChangeAction {
    /// How a change affects its object.
    pub fn of<K>(change: &Change<K>) -> Self {
        match (&change.before, &change.after) {
            (None, _) => Self::Added,
            (Some(_), Some(_)) => Self::Updated,
            (Some(_), None) => Self::Deleted,
        }
    }
}

/// An event in the process.
#[derive(Debug)]
pub enum Occurrence<'a> {
    /// All kinds that a controller requires are listed.
    Ready {
        /// Its name.
        controller: &'static str,
    },
    /// A stored object changed.
    Changed {
        /// Its kind.
        kind: Kind,
        /// Before and after.
        change: &'a Change<Object>,
    },
    /// A change triggered passes of a controller.
    Triggered {
        /// Its name.
        controller: &'static str,
        /// The kind of the object that changed.
        kind: Kind,
        /// How it changed.
        action: ChangeAction,
    },
    /// An event was added to the queue of a controller.
    Added {
        /// Its name.
        controller: &'static str,
    },
    /// The number of keys of a controller with a pass due, now or later, changed.
    Due {
        /// Its name.
        controller: &'static str,
        /// How many.
        keys: usize,
    },
    /// A pass starts.
    Started {
        /// The name of its controller.
        controller: &'static str,
        /// When.
        at: Instant,
        /// How long the oldest event has waited for it, if one caused it.
        latency: Option<Duration>,
    },
    /// A pass has ended.
    Ended {
        /// The name of its controller.
        controller: &'static str,
        /// When it started.
        at: Instant,
        /// How long it took.
        took: Duration,
        /// Its outcome.
        outcome: Outcome,
    },
    /// A pass of a resource has a result.
    Reconciled {
        /// The name of its controller.
        controller: &'static str,
        /// The resource.
        resource: &'a Key,
        /// The result.
        reconciled: Reconciled,
    },
    /// The number of objects of a kind that a resource selects.
    Selected {
        /// The name of its controller.
        controller: &'static str,
        /// The resource.
        resource: &'a Key,
        /// How many.
        count: &'a SelectedCount,
    },
    /// A status was written, or could not be.
    StatusWritten {
        /// The name of the controller.
        controller: &'static str,
        /// Whether it failed.
        failed: bool,
    },
    /// An object was deleted to be recreated.
    Recreated {
        /// The name of the controller.
        controller: &'static str,
        /// The kind of the object.
        kind: Kind,
    },
    /// The API server answered a request, or the client gave up.
    Answered {
        /// The request.
        call: &'a Call,
        /// The status code; nothing if there was no answer.
        code: Option<u16>,
        /// How long it took.
        took: Duration,
        /// How long the request waited in the client before it was sent.
        held_back: Duration,
    },
}

/// Observes occurrences. It must not block: the caller waits for it.
pub trait Observer: Debug + Send + Sync {
    /// Called for each occurrence.
    fn sees(&self, occurrence: &Occurrence<'_>);
}
