//! Drift: changes of our objects by another writer, which were corrected.

use std::fmt;

use super::request::Target;
use super::{WriteAction, Writer};
use crate::declare::Kind;
use crate::fields;
use crate::object::{Key, Object};
use crate::report::{EventReason, Note};

/// An object that was corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// Its kind.
    kind: Kind,
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
        Some(Self { kind: target.kind, key: target.key.clone(), by, field: field.clone() })
    }

    /// Its event.
    pub(crate) fn note(&self) -> Note {
        Note { alarming: true, reason: EventReason::DriftCorrected.as_str(), message: self.to_string() }
    }
}

impl Writer {
    /// The same drift with the field manager that caused it. Stores keep only what our own field managers own, so the server
    /// is asked, once for each drift.
    pub(super) async fn with_writer(&self, drift: Drift) -> Drift {
        if drift.by.is_some() {
            return drift;
        }
        // The answer is only for the event.
        let live = self.get(drift.kind, &drift.key).await.ok().flatten();
        let by = live.and_then(|live| fields::last_writer(&live.value(), self.manager));
        Drift { by, ..drift }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, key, by, field } = self;
        let by = by.as_deref().unwrap_or("another writer");
        write!(f, "{} {key} was changed by {by} ({field}) and has been written back", kind.kind)
    }
}
