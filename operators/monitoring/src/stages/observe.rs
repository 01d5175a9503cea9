//! What follows from what was written: what the pods should run by now, and which of them are touched so that they do.
//! Pure.

use api_monitoring::status::Condition;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::Kind;
use kernel::flow::{Attempt, Observed};
use kernel::object::{Kept as _, Key};
use serde_json::Value;

use super::WorkloadOperator;
use super::gather::Inputs;
use super::plan::Course;
use crate::kind::{Seen, Workload};
use crate::kinds;
use crate::memory::{Memory, Record};
use crate::mounts;
use crate::plan::{Child, Planned};
use crate::settings::Settings;

/// How a workload is doing.
#[derive(Debug, Default)]
pub struct Health {
    /// What is there of it, also of what was just written.
    pub(super) seen: Seen,
    /// Whether pods run what was written; nothing, if it is not known, or if there are no pods.
    pub(super) loaded: Option<Condition>,
    /// Why nothing could be found that the operand refuses.
    pub(super) hopeless: Option<String>,
}

/// Looks at what was written.
pub(super) fn observe<W: Workload>(
    attempt: &Attempt<'_, WorkloadOperator<W>>,
    memory: &mut Memory,
    (settings, now): (&Settings, Timestamp),
) -> Observed<Health> {
    let Attempt { inputs, plan, applied, error } = attempt;
    if error.is_some() {
        memory.bindings.forget_tries();
    }
    let mut observed: Observed<Health> =
        Health { seen: inputs.seen.clone().with(applied), ..Health::default() }.into();
    let course = plan.map(|plan| &plan.course);
    if let Some(Course { planned: Some(planned), actions, refused, .. }) = course {
        remember::<W>(planned, inputs, (applied, refused.as_ref()), memory);
        let (touches, soon) = load::<W>(planned, (inputs, settings), applied, (memory, now));
        observed.touches = touches;
        observed.requeue_after = [soon, actions.requeue_soon(applied)].into_iter().flatten().min();
    }
    observed.health.loaded = memory.loading.condition(now);
    observed.health.hopeless = memory.doubt.hopeless().map(str::to_owned);
    observed
}

/// The pods that are touched, and when they are asked again.
fn load<W: Workload>(
    planned: &Planned,
    (inputs, settings): (&Inputs, &Settings),
    applied: &Applied,
    (memory, now): (&mut Memory, Timestamp),
) -> (Vec<kernel::apply::Touch>, Option<std::time::Duration>) {
    let mounted = |(kind, _): &(Kind, Key)| [kinds::SECRET, kinds::CONFIG_MAP].contains(kind);
    let loading = &mut memory.loading;
    let has_changed = applied.changed.iter().any(mounted);
    loading.plans(mounts::version(planned));
    if inputs.seen.pods.is_empty() {
        loading.nobody(has_changed);
        return (Vec::new(), None);
    }
    let content = (has_changed || loading.is_new()).then(|| mounts::content::<W>(planned, &inputs.key));
    let last = inputs.last_written.filter(|_| !has_changed);
    let may_touch = inputs.may_patch_pods == Some(true);
    loading.afterwards(content, last, (&inputs.seen.pods, may_touch, &settings.pace), now)
}

/// What is in the ConfigMaps that were just written: they need not be read.
fn remember<W: Workload>(
    planned: &Planned,
    inputs: &Inputs,
    (applied, refused): (&Applied, Option<&Value>),
    memory: &mut Memory,
) {
    let key = &inputs.key;
    for child in &planned.children {
        let Child::ConfigMap(map) = child else { continue };
        let name = map.metadata.name.as_deref().unwrap_or_default();
        if let Some(now) = applied.objects.get(&(kinds::CONFIG_MAP, Key::new(&key.namespace, name))) {
            let files = map.data.clone().unwrap_or_default();
            memory.rules.insert(name.to_owned(), (now.identity().version.to_string(), files));
        }
    }
    let secret = Key::new(&key.namespace, &W::NAMING.configuration(&key.name));
    if applied.objects.contains_key(&(kinds::SECRET, secret)) {
        memory.record = Record::of(refused.is_some_and(Value::is_string));
    }
}
