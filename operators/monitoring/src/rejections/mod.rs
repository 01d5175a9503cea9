//! Rejected configurations: from the response of the pods to the resources that are excluded. Pure, except for a log line
//! about the start of a search.
//!
//! | file | owns |
//! |---|---|
//! | [`tracker`] | which resources are excluded, and for how long |
//! | [`search`] | the search for the causes of a rejection |
//! | [`suspects`], `ranking` | where the search starts: what the error names, and what changed last |
//! | [`record`] | the rejected resources, and the annotation that they are recorded in |
//! | [`resource`], [`parts`] | the names of a resource in a configuration, and the lines that come from it |
//! | [`operand`], `program` | the operand in one state, and the pods that run it |
//! | [`error_text`] | which parts of an error may be shown |

pub mod error_text;
pub mod operand;
pub mod parts;
mod program;
mod ranking;
pub mod record;
pub mod resource;
pub mod search;
pub mod suspects;
pub mod tracker;

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Pod;
use monitoring_select::SelectableKind;

use self::record::ResourceState;
use self::resource::ResourceRef;
use self::tracker::{LoadResult, RejectionTracker, Suspects};
use crate::kind::{Seen, Workload};
use crate::loaded::content::Content;
use crate::memory::Memory;
use crate::plan::{Excluded, Judged, Planned, PlannedConfiguration, Rendered};
use crate::stages::gather::Inputs;

pub(crate) use program::OperandProgram;
pub(crate) use ranking::Accepted;

/// How the pods responded to a content.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) content: Content,
    pub(crate) result: LoadResult,
    /// Whether a server runs, with this content or another one.
    pub(crate) is_running: bool,
}

fn resource(one: &Judged<'_>) -> ResourceRef {
    ResourceRef::of_key(one.kind, one.object.key())
}

/// The resources that a plan excludes.
pub(crate) fn left_out(excluded: &BTreeSet<ResourceRef>) -> Excluded {
    let mut out = Excluded::default();
    for resource in excluded {
        out[resource.kind].insert(format!("{}/{}", resource.namespace, resource.name));
    }
    out
}

/// All resources that the configuration could contain, and their states.
pub(crate) fn states<'j>(
    judged: impl IntoIterator<Item = Judged<'j>>,
) -> BTreeMap<ResourceRef, ResourceState> {
    let valid = judged.into_iter().filter(|one| one.rejection.is_none());
    valid.map(|one| (resource(&one), state(&one))).collect()
}

fn state(one: &Judged<'_>) -> ResourceState {
    let read = if one.read.is_empty() {
        String::new()
    } else {
        operand::short_hash([format!("{:?}", one.read).as_bytes()])
    };
    ResourceState { uid: one.object.uid().to_owned(), generation: one.object.generation(), read }
}

/// The pods that run the planned program, as far as that is known.
pub(crate) fn up_to_date<'s>(seen: &'s Seen, program: Option<&OperandProgram>) -> Vec<&'s Pod> {
    let counts = |pod: &&Pod| program.is_none_or(|program| program.is_run_by(pod, &seen.sets));
    seen.pods.iter().filter(counts).collect()
}

/// All selected resources, with the rejections of the operand.
pub(crate) fn with_rejections<'m>(rendered: &'m Rendered, tracker: &'m RejectionTracker) -> Vec<Judged<'m>> {
    let (mut judged, rejections): (Vec<Judged<'_>>, _) = (rendered.judged().collect(), tracker.rejections());
    if rejections.is_empty() {
        return judged;
    }
    for one in judged.iter_mut().filter(|one| one.rejection.is_none()) {
        one.rejection = rejections.get(&resource(one)).map(|rejection| rejection.message.as_str());
    }
    judged
}

/// Records the response of the pods, before a plan is made.
pub(crate) fn record_response(operand: &str, inputs: &Inputs, memory: &mut Memory) {
    let Some(Response { content, result, .. }) = &inputs.response else { return };
    let is_known = memory.accepted.as_ref().is_some_and(|accepted| accepted.is_of(content));
    let rendered: Vec<Judged<'_>> = memory.rendered.judged().collect();
    if *result == LoadResult::Accepted && !is_known && !memory.rejections.is_searching() {
        let excluded = memory.rejections.excluded();
        memory.accepted = Some(Accepted::new(content.clone(), &rendered, &excluded));
    }
    let describe = |resource: &ResourceRef, error: &str| {
        let object = rendered.iter().find(|one| self::resource(one) == *resource);
        let object = object.map(|one| one.object.value().into_owned()).unwrap_or_default();
        let field = suspects::quoted_field(&object, error);
        let field = field.map(|(path, value)| format!("{path} ({value:?}): ")).unwrap_or_default();
        format!("{operand} rejects it: {field}{}", error_text::redacted(error))
    };
    memory.rejections.record_result(content, result.clone(), &describe);
}

/// Starts a search if the planned content is the one that was rejected. Returns whether it did: then another pass follows
/// at once.
pub(crate) fn start_search<W: Workload>(planned: &Planned, inputs: &Inputs, memory: &mut Memory) -> bool {
    let program = OperandProgram::planned(planned);
    // Pods that run another program responded, unless the program stays the same.
    let is_same_program = memory.program.is_none() || memory.program == program;
    memory.program = program;
    let rejected = match &inputs.response {
        Some(Response { content, result: LoadResult::Rejected(error), is_running }) if is_same_program => {
            Some((content, error, *is_running))
        }
        Some(_) | None => None,
    };
    let tracker = &mut memory.rejections;
    if rejected.is_none() && !tracker.is_searching() && tracker.unexplained().is_none() {
        return false;
    }
    let content = Content::planned::<W>(planned, &inputs.key);
    tracker.set_content(&content);
    let Some((_, error, is_running)) = rejected.filter(|(rejected, ..)| **rejected == content) else {
        return false;
    };
    if !tracker.should_search(&content) {
        return false;
    }
    let judged: Vec<Judged<'_>> = memory.rendered.judged().collect();
    let excluded = tracker.excluded();
    let mut states = states(judged.iter().copied());
    states.retain(|resource, _| !excluded.contains(resource));
    let files = memory.rendered.rule_file_names().into_iter();
    let files = files.map(|(file, key)| (file, ResourceRef::of_key(SelectableKind::PrometheusRule, &key)));
    let text = planned.configuration.as_ref().map(PlannedConfiguration::text).unwrap_or_default();
    let parts = parts::Parts::read(&text, states.keys().cloned().collect(), files.collect());
    let named = suspects::mentioned(error, &parts).into_iter().flatten().cloned().collect();
    let (ranked, new) = ranking::rank(&judged, &states, memory.accepted.as_ref());
    tracker.start_search(content, error.clone(), Suspects { states, named, new, ranked, is_running });
    true
}
