//! What is remembered of a workload from one pass to the next. The kernel owns it. If it is lost, it is read or made again.

use std::collections::BTreeMap;

use k8s_openapi::jiff::Timestamp;
use monitoring_rules::pack::Files;

use crate::bindings::Bindings;
use crate::loaded::loading::Loading;
use crate::plan::{Rendered, Selections};
use crate::rejections::tracker::RejectionTracker;
use crate::rejections::{Accepted, OperandProgram};
use crate::stages::gather::contents::Contents;
use crate::stages::gather::outside::StorageClasses;
use crate::stages::gather::permissions::Patching;

/// What is remembered of a workload.
#[derive(Debug, Default)]
pub struct Memory {
    /// The resources that it selects.
    pub(crate) selections: Selections,
    /// What was made of them.
    pub(crate) rendered: Rendered,
    /// The Secrets and ConfigMaps that were read.
    pub(crate) contents: Contents,
    /// The ConfigMaps with rules, at the versions at which they were read or written.
    pub(crate) rules: BTreeMap<String, (String, Files)>,
    /// When another process last wrote rules.
    pub(crate) rules_written: Option<Timestamp>,
    /// The bindings in the status of the selected resources.
    pub(crate) bindings: Bindings,
    /// Which content its pods run.
    pub(crate) loading: Loading,
    /// The resources that its operand rejects.
    pub(crate) rejections: RejectionTracker,
    /// Whether the configuration Secret records rejections; none, if the Secret was not read yet.
    pub(crate) is_recorded: Option<bool>,
    /// The content that pods accepted last: resources that were not in it are suspected first.
    pub(crate) accepted: Option<Accepted>,
    /// The program of the pods that were last planned.
    pub(crate) program: Option<OperandProgram>,
    /// Whether the operator may patch its pods.
    pub(crate) patching: Patching,
    /// The storage classes that were read.
    pub(crate) classes: StorageClasses,
    /// Whether it was logged that a kind is ignored because it cannot be listed.
    pub(crate) is_unlisted_logged: bool,
}
