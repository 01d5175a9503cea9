//! What is remembered of a workload from one pass to the next. The kernel owns it; losing it costs time and nothing else.

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;
use monitoring_rules::pack::Files;

use crate::bindings::Bindings;
use crate::load::{Content, Loading};
use crate::loaded::doubt::Doubt;
use crate::plan::{Rendered, Selections};
use crate::refused::{Accepted, Program};
use crate::stages::gather::contents::Contents;
use crate::stages::gather::outside::StorageClasses;
use crate::stages::gather::permissions::Patching;

/// Whether the Secret with the configuration has an annotation about what the operand refuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Record {
    /// It was not looked at yet.
    #[default]
    Unread,
    /// It has none.
    Empty,
    /// It has one.
    Kept,
}

impl Record {
    pub(crate) fn of(is_kept: bool) -> Self {
        if is_kept { Self::Kept } else { Self::Empty }
    }
}

/// All of it.
#[derive(Debug, Default)]
pub struct Memory {
    /// What it selects.
    pub(crate) selections: Selections,
    /// What was made of that.
    pub(crate) rendered: Rendered,
    /// The Secrets and ConfigMaps that were read.
    pub(crate) contents: Contents,
    /// The ConfigMaps with rules, at the versions at which they were read or written.
    pub(crate) rules: BTreeMap<String, (String, Files)>,
    /// When rules were last written by another process.
    pub(crate) rules_written: Option<Timestamp>,
    /// What the status of what it selects says.
    pub(crate) bindings: Bindings,
    /// What its pods run.
    pub(crate) loading: Loading,
    /// What its operand refuses.
    pub(crate) doubt: Doubt<Content>,
    /// Whether that is written down.
    pub(crate) record: Record,
    /// What was accepted last: whatever was not in it is suspected first.
    pub(crate) good: Option<Accepted>,
    /// What its pods were last planned to run.
    pub(crate) program: Option<Program>,
    /// Whether its pods may be patched.
    pub(crate) patching: Patching,
    /// The storage classes that were looked at.
    pub(crate) classes: StorageClasses,
    /// Whether the log says that a kind is left out that cannot be listed.
    pub(crate) is_told_of_unlisted: bool,
}
