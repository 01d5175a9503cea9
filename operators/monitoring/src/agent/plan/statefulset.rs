//! The StatefulSet of one shard of an agent.

use k8s_openapi::api::apps::v1::StatefulSet;

use super::draft;
use crate::prometheus::Instance;
use crate::prometheus::plan::statefulset::{Built, StatefulSetError, of_shard};
use crate::workload::statefulset::PodInputs;

/// The StatefulSet.
pub fn build(
    instance: &Instance<'_>,
    shard: i32,
    inputs: PodInputs<'_>,
) -> Result<Built<StatefulSet>, StatefulSetError> {
    let mut draft = draft(instance, inputs, true)?;
    draft.put_web_config(instance).map_err(StatefulSetError)?;
    of_shard(instance, inputs.operator, shard, draft)
}
