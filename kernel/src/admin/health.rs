//! Whether a process is ready: named gates. A process that answers is alive.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// Gates that all have to be open before a process is ready, each with what is missing until then.
#[derive(Debug, Clone, Default)]
pub struct Readiness(Arc<Mutex<BTreeMap<String, Option<String>>>>);

impl Readiness {
    /// A gate that is closed until it is opened. `waits_for` says what has to happen first.
    pub fn gate(&self, name: &str, waits_for: &str) -> Gate {
        let gate = Gate { readiness: self.clone(), name: name.to_owned() };
        gate.close(waits_for);
        gate
    }

    /// Whether all gates are open.
    pub fn is_ready(&self) -> bool {
        self.0.lock().values().all(Option::is_none)
    }

    /// A line for each gate, as the API server writes them.
    pub(super) fn lines(&self) -> String {
        let line = |(name, missing): (&String, &Option<String>)| match missing {
            None => format!("[+]{name} ok\n"),
            Some(missing) => format!("[-]{name} failed: {missing}\n"),
        };
        self.0.lock().iter().map(line).collect()
    }
}

/// One thing that readiness depends on. Cheap to clone; all clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    readiness: Readiness,
    name: String,
}

impl Gate {
    /// Nothing is missing here any more.
    pub fn open(&self) {
        self.readiness.0.lock().insert(self.name.clone(), None);
    }

    /// Something is missing.
    pub fn close(&self, reason: &str) {
        self.readiness.0.lock().insert(self.name.clone(), Some(reason.to_owned()));
    }
}
