//! Readiness of the process, as a set of named gates. A process that responds is alive.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// Named gates. The process is ready when all of them are open; a closed gate says what is missing.
#[derive(Debug, Clone, Default)]
pub struct Readiness(Arc<Mutex<BTreeMap<String, Option<String>>>>);

impl Readiness {
    /// A closed gate. `waits_for` says what has to happen before it opens.
    pub fn gate(&self, name: &str, waits_for: &str) -> ReadinessGate {
        let gate = ReadinessGate { readiness: self.clone(), name: name.to_owned() };
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

/// A condition of readiness. Cheap to clone; all clones are the same gate.
#[derive(Debug, Clone)]
pub struct ReadinessGate {
    readiness: Readiness,
    name: String,
}

impl ReadinessGate {
    /// Opens the gate.
    pub fn open(&self) {
        self.readiness.0.lock().insert(self.name.clone(), None);
    }

    /// Closes the gate. `reason` says what is missing.
    pub fn close(&self, reason: &str) {
        self.readiness.0.lock().insert(self.name.clone(), Some(reason.to_owned()));
    }
}
