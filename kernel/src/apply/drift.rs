//! Drift: objects of ours that another writer changed, and that were corrected.

use std::fmt;

use super::Action;
use super::request::Target;
use crate::fields;
use crate::object::{Key, Object};
use crate::report::Note;

/// An object that was corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// Its kind.
    kind: &'static str,
    /// Which one.
    key: Key,
    /// The field manager that changed it, if the server tells.
    by: Option<String>,
    /// The first field that differed.
    field: String,
}

impl Drift {
    /// The drift that a write corrects, given that the same was desired before.
    pub(super) fn of(target: Target<'_>, live: &Object, action: &Action, manager: &str) -> Option<Self> {
        let (Action::Apply { because: field, .. } | Action::Replace { because: field, .. }) = action else {
            return None;
        };
        let by = fields::last_writer(&live.value(), manager);
        Some(Self { kind: target.kind.kind, key: target.key.clone(), by, field: field.clone() })
    }

    /// Its event.
    pub(crate) fn note(&self) -> Note {
        Note { alarming: true, reason: "DriftCorrected", message: self.to_string() }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, key, by, field } = self;
        let by = by.as_deref().unwrap_or("somebody else");
        write!(f, "{kind} {key} was changed by {by} ({field}) and has been written back")
    }
}
