//! Whether a process lives and whether it is ready: named checks and named gates.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a check or a gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) name: String,
    pub(super) trouble: Option<String>,
}

impl Verdict {
    /// As the API server writes it.
    pub(super) fn line(&self) -> String {
        match &self.trouble {
            None => format!("[+]{} ok\n", self.name),
            Some(trouble) => format!("[-]{} failed: {trouble}\n", self.name),
        }
    }
}

type Check = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Checks that a restart would help against. Without any, a process that answers is alive.
#[derive(Clone, Default)]
pub struct Liveness(Arc<Mutex<BTreeMap<String, Check>>>);

impl Liveness {
    /// Adds a check, or replaces the one of that name. It must not wait. It says in words what is wrong.
    pub fn add(&self, name: &str, check: impl Fn() -> Result<(), String> + Send + Sync + 'static) {
        locked(&self.0).insert(name.to_owned(), Box::new(check));
    }

    pub(super) fn verdicts(&self) -> Vec<Verdict> {
        let verdict =
            |(name, check): (&String, &Check)| Verdict { name: name.clone(), trouble: check().err() };
        locked(&self.0).iter().map(verdict).collect()
    }
}

impl fmt::Debug for Liveness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(locked(&self.0).keys()).finish()
    }
}

/// Gates that all have to be open before a process is ready.
#[derive(Debug, Clone, Default)]
pub struct Readiness(Arc<Mutex<BTreeMap<String, Option<String>>>>);

impl Readiness {
    /// A gate that is closed until it is opened. `waits_for` says in words what has to happen first.
    pub fn gate(&self, name: &str, waits_for: &str) -> Gate {
        let gate = Gate { readiness: self.clone(), name: name.to_owned() };
        gate.close(waits_for);
        gate
    }

    /// Whether all gates are open.
    pub fn is_ready(&self) -> bool {
        locked(&self.0).values().all(Option::is_none)
    }

    pub(super) fn verdicts(&self) -> Vec<Verdict> {
        let verdict = |(name, trouble): (&String, &Option<String>)| Verdict {
            name: name.clone(),
            trouble: trouble.clone(),
        };
        locked(&self.0).iter().map(verdict).collect()
    }
}

/// One thing that readiness depends on. Cheap to clone; all clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    readiness: Readiness,
    name: String,
}

impl Gate {
    /// From now on nothing is missing here.
    pub fn open(&self) {
        locked(&self.readiness.0).insert(self.name.clone(), None);
    }

    /// Something is missing, in words.
    pub fn close(&self, reason: &str) {
        locked(&self.readiness.0).insert(self.name.clone(), Some(reason.to_owned()));
    }
}

/// What a lock holds is whole between any two statements here: a panic elsewhere does not spoil it.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
