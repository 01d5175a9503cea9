//! The DaemonSet of an agent that runs on every node. It stores no data and has no shards.

use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::draft;
use crate::prometheus::Instance;
use crate::prometheus::plan::pod;
use crate::prometheus::plan::statefulset::Built;
use crate::workload::labels::labels;
use crate::workload::metadata;
use crate::workload::pod::PodError;
use crate::workload::reloader::Values;
use crate::workload::statefulset::PodInputs;

/// A DaemonSet that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("make DaemonSet spec: {0}")]
pub struct DaemonSetError(#[from] pub PodError);

/// The DaemonSet.
pub fn build(instance: &Instance<'_>, inputs: PodInputs<'_>) -> Result<Built<DaemonSet>, DaemonSetError> {
    let operator = inputs.operator;
    let mut draft = draft(instance, inputs, false)?;
    draft.mount_web_config(instance, true)?;
    draft.values = Values { node: true, shard: Some(0), ..Values::default() };
    draft.selector = instance.selector(operator, None);
    let selector = draft.selector.clone();
    let (template, left_out) = pod::build(instance, operator, draft)?;
    let own = labels(instance.naming.controller_labels.iter().copied());
    let object = DaemonSet {
        metadata: metadata::pod_controller(instance.owner, operator, instance.object_name(), &own, &selector),
        spec: Some(DaemonSetSpec {
            min_ready_seconds: instance.workload.min_ready_seconds.filter(|seconds| *seconds != 0),
            selector: LabelSelector { match_labels: Some(selector), ..LabelSelector::default() },
            template,
            ..DaemonSetSpec::default()
        }),
        ..DaemonSet::default()
    };
    Ok(Built { object, left_out })
}
