//! What follows from the writes: whether the pods run the written content, and which pods are touched. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Applied, Touch};
use kernel::condition::Statement;
use kernel::declare::Kind;
use kernel::flow::{Attempt, Observed, Plan};
use kernel::object::{Key, Stored as _};
use serde_json::Value;

use super::gather::Inputs;
use super::plan::Course;
use super::report::condition;
use super::{Context, WorkloadOperator};
use crate::kind::Workload;
use crate::kinds;
use crate::loaded;
use crate::loaded::content::Content;
use crate::loaded::loading::{Loading, Touching};
use crate::memory::Memory;
use crate::plan::{Child, PlanRemark, Planned};
use crate::status::{ConditionType, PodSummary};

/// The observed state of a workload.
#[derive(Debug, Default)]
pub struct Health {
    /// The state of its pods.
    pub(super) pods: PodSummary,
    /// Conditions that are only present while something is wrong.
    pub(super) failures: Vec<Condition>,
    /// Whether the pods run the written content; none, if the present condition is kept.
    pub(super) loaded: Option<Statement>,
}

/// Derives the state from what was written.
pub(super) fn observe<W: Workload>(
    resource: &W::Resource,
    attempt: &Attempt<'_, WorkloadOperator<W>>,
    memory: &mut Memory,
    context: Context<'_>,
) -> Observed<Health> {
    let Attempt { inputs, plan, applied, error } = attempt;
    if error.is_some() {
        memory.bindings.forget_attempts();
    }
    let pods = W::observe(resource, &inputs.seen.clone().with(applied));
    let mut observed: Observed<Health> = Health { pods, ..Health::default() }.into();
    let Some(Plan { course: Course { planned: Some(planned), actions, recorded, .. }, .. }) = plan else {
        observed.health.loaded = load_condition(memory, context.now);
        return observed;
    };
    remember_written(planned, &inputs.key, applied, memory);
    let configuration = Key::new(&inputs.key.namespace, &W::NAMING.configuration(&inputs.key.name));
    if applied.objects.contains_key(&(kinds::SECRET, configuration)) {
        memory.is_recorded = Some(recorded.as_ref().is_some_and(Value::is_string));
    }
    let (touches, soon) = touch::<W>(planned, inputs, applied, &mut memory.loading, context);
    observed.touches = touches;
    observed.requeue_after = [soon, actions.requeue_soon(applied)].into_iter().flatten().min();
    observed.health.failures = failures(planned, &actions.remarks(applied));
    observed.health.loaded = if inputs.seen.pods.is_empty() {
        // Without pods the condition is changed, but not added.
        condition(&W::status(resource), ConditionType::ConfigurationLoaded)
            .and_then(|_| loaded::condition::condition(&BTreeMap::new(), false))
    } else {
        load_condition(memory, context.now)
    };
    observed
}

/// Remembers the ConfigMaps with rules that were just written, so that they need not be read.
fn remember_written(planned: &Planned, key: &Key, applied: &Applied, memory: &mut Memory) {
    for child in &planned.children {
        let Child::ConfigMap(map) = child else { continue };
        let name = map.metadata.name.as_deref().unwrap_or_default();
        if let Some(now) = applied.objects.get(&(kinds::CONFIG_MAP, Key::new(&key.namespace, name))) {
            let files = map.data.clone().unwrap_or_default();
            memory.rules.insert(name.to_owned(), (now.identity().version.to_string(), files));
        }
    }
}

/// The pods that are touched, and when they are asked again.
fn touch<W: Workload>(
    planned: &Planned,
    inputs: &Inputs,
    applied: &Applied,
    loading: &mut Loading,
    context: Context<'_>,
) -> (Vec<Touch>, Option<Duration>) {
    let is_mounted = |(kind, _): &(Kind, Key)| [kinds::SECRET, kinds::CONFIG_MAP].contains(kind);
    let has_changed = applied.changed.iter().any(is_mounted);
    if inputs.seen.pods.is_empty() {
        loading.has_no_pods(has_changed);
        return (Vec::new(), None);
    }
    let content = (has_changed || loading.is_new()).then(|| Content::planned::<W>(planned, &inputs.key));
    let last_written = inputs.last_written.filter(|_| !has_changed);
    let touching = Touching {
        pods: &inputs.seen.pods,
        is_allowed: inputs.may_patch_pods == Some(true),
        pace: &context.settings.pace,
        now: context.now,
    };
    loading.after_write(content, last_written, touching)
}

/// The conditions that are present only while something is wrong.
fn failures(planned: &Planned, attention: &[String]) -> Vec<Condition> {
    let is_gap = |remark: &&PlanRemark| {
        matches!(remark, PlanRemark::Kept { .. } | PlanRemark::Absent { .. } | PlanRemark::LongName { .. })
    };
    let gaps: Vec<String> = planned.remarks.iter().filter(is_gap).map(ToString::to_string).collect();
    let failures = [(ConditionType::ReferencesResolved, &*gaps), (ConditionType::RolledOut, attention)];
    let failures = failures.into_iter().filter(|(_, messages)| !messages.is_empty());
    failures.map(|(kind, messages)| kind.failed(&messages.join("\n"))).collect()
}

/// Whether pods run the written content. If they do not, the message has the result of the search for the cause.
fn load_condition(memory: &Memory, now: Timestamp) -> Option<Statement> {
    let mut loaded = memory.loading.condition(now)?;
    if let Some(message) = memory.rejections.unexplained() {
        loaded.message = format!("{} ({message})", loaded.message);
    }
    Some(loaded)
}
