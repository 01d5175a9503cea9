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
