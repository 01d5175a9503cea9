//! What the kernel reports to an observer that counts its work under other names. The kernel does not know those names: an
//! operator that replaces another one translates.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use crate::call::Call;
use crate::declare::Kind;
use crate::object::{Key, Object};
use crate::queue::Outcome;
use crate::report::{Reconciled, Selected};
use crate::store::Change;

/// What became of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// It is new.
    Added,
    /// It is another one than before.
    Updated,
    /// It is gone.
    Deleted,
}

impl Action {
    /// What a change did to its object.
    pub fn of<K>(change: &Change<K>) -> Self {
        match (&change.before, &change.after) {
            (None, _) => Self::Added,
            (Some(_), Some(_)) => Self::Updated,
            (Some(_), None) => Self::Deleted,
        }
    }
}

/// Something that happened.
#[derive(Debug)]
pub enum Occurrence<'a> {
    /// All that a controller must know is known.
    Ready {
        /// Its name.
        controller: &'static str,
    },
    /// What is known of an object is not what was known before.
    Changed {
        /// Its kind.
        kind: Kind,
        /// Before and after.
        change: &'a Change<Object>,
    },
    /// A change made passes of a controller due.
    Triggered {
        /// Its name.
        controller: &'static str,
        /// The kind of the object that changed.
        kind: Kind,
        /// What became of it.
        action: Action,
    },
    /// An event was added to the queue of a controller.
    Added {
        /// Its name.
        controller: &'static str,
    },
    /// So many keys of a controller have a pass due, now or later.
    Due {
        /// Its name.
        controller: &'static str,
        /// How many.
        keys: usize,
    },
    /// A pass begins.
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
        /// When it began.
        at: Instant,
        /// How long it took.
        took: Duration,
        /// What it came to.
        outcome: Outcome,
    },
    /// A pass of a resource came to this.
    Reconciled {
        /// The name of its controller.
        controller: &'static str,
        /// The resource.
        resource: &'a Key,
        /// How it came out.
        reconciled: Reconciled,
    },
    /// A resource selects so many objects of a kind.
    Selected {
        /// The name of its controller.
        controller: &'static str,
        /// The resource.
        resource: &'a Key,
        /// How many.
        count: &'a Selected,
    },
    /// A status was written, or could not be.
    StatusWritten {
        /// Who wrote.
        controller: &'static str,
        /// Whether it failed.
        failed: bool,
    },
    /// An object was deleted to be recreated.
    Recreated {
        /// Who did it.
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
        /// How long the client held the request back before that.
        held_back: Duration,
    },
}

/// Observes what happens. It must not block: the caller waits for it.
pub trait Observer: Debug + Send + Sync {
    /// Something happened.
    fn sees(&self, occurrence: &Occurrence<'_>);
}
