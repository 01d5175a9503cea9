//! Verdicts on objects.

use std::collections::{BTreeMap, BTreeSet};

use monitoring_assets::Reference;

use crate::problem::Problem;

/// An object that is taken in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted<'o> {
    /// Certificates and keys that must be mounted, by the names of their files.
    pub files: BTreeMap<String, &'o [u8]>,
    /// What was read for it: a change of one of these may change the verdict.
    pub references: BTreeSet<Reference>,
}

/// An object that is not taken in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Refused {
    /// Why.
    pub problem: Problem,
    /// What was read, or wanted, before that was found: a change of one of these may change the verdict.
    pub references: BTreeSet<Reference>,
}

/// Verdicts on many objects, by `namespace/name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts<'o> {
    /// Those that are taken in.
    pub accepted: BTreeMap<String, Accepted<'o>>,
    /// Those that are not.
    pub refused: BTreeMap<String, Refused>,
}

impl<'o> Verdicts<'o> {
    /// Adds a verdict.
    pub(crate) fn add(&mut self, name: String, verdict: Result<Accepted<'o>, Refused>) {
        match verdict {
            Ok(accepted) => drop(self.accepted.insert(name, accepted)),
            Err(refused) => drop(self.refused.insert(name, refused)),
        }
    }
}
