//! Drift: changes of our objects by another writer, which were corrected.

use std::fmt;

use super::WriteAction;
use super::request::Target;
use crate::fields;
use crate::object::{Key, Object};
use crate::report::Note;

/// An object that was corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// Its kind.
    kind: &'static str,
    /// Its name.
    key: Key,
    /// The field manager that changed it, if the server reports one.
    by: Option<String>,
    /// The first field that differed.
    field: String,
}

impl Drift {
    /// The drift that a write corrects, given that the same was desired before.
    pub(super) fn of(target: Target<'_>, live: &Object, action: &WriteAction, manager: &str) -> Option<Self> {
        let (WriteAction::Apply { because: field, .. } | WriteAction::Replace { because: field, .. }) =
            action
        else {
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
        let by = by.as_deref().unwrap_or("another writer");
        write!(f, "{kind} {key} was changed by {by} ({field}) and has been written back")
    }
}
