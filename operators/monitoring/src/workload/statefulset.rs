//! What the StatefulSets of all workloads have in common.

use api_monitoring::pod::StatefulSetUpdateStrategy;
use k8s_openapi::api::apps::v1::{
    RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetSpec, StatefulSetUpdateStrategy as CoreUpdateStrategy,
};
use k8s_openapi::api::core::v1::{PodTemplateSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::workload::instance::Instance;
use crate::workload::labels::{Labels, labels};
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::some;
use crate::workload::storage;

/// The inputs of pods, in addition to the resource.
#[derive(Debug, Clone, Copy)]
pub struct PodInputs<'p> {
    /// The settings that follow from the flags of the operator.
    pub operator: &'p OperatorConfig,
    /// The Secrets with certificates and keys.
    pub tls_secrets: &'p [String],
    /// The ConfigMaps with rules.
    pub rule_config_maps: &'p [String],
}

/// The StatefulSet of a resource, without the storage and the volumes that the user adds.
pub(crate) fn spec<S>(
    instance: &Instance<'_, S>,
    replicas: Option<i32>,
    selector: Labels,
    template: PodTemplateSpec,
) -> StatefulSetSpec {
    let workload = instance.workload;
    // With `OrderedReady`, a pod that does not become ready would block the others.
    let policy = workload.pod_management_policy.as_ref().map_or("Parallel", |policy| policy);
    StatefulSetSpec {
        service_name: Some(instance.service_name().to_owned()),
        replicas,
        min_ready_seconds: workload.min_ready_seconds.filter(|seconds| *seconds != 0),
        pod_management_policy: Some(policy.to_owned()),
        update_strategy: Some(update_strategy(workload.update_strategy.as_ref())),
        selector: LabelSelector { match_labels: Some(selector), ..LabelSelector::default() },
        template,
        ..StatefulSetSpec::default()
    }
}

/// The StatefulSet, with the storage and the volumes that the user adds.
pub(crate) fn assemble<S>(
    instance: &Instance<'_, S>,
    operator: &OperatorConfig,
    name: String,
    mut spec: StatefulSetSpec,
    claim_retention: Option<&StatefulSetPersistentVolumeClaimRetentionPolicy>,
) -> StatefulSet {
    let workload = instance.workload;
    spec.persistent_volume_claim_retention_policy = claim_retention.cloned();
    storage::put(workload.storage.as_ref(), &instance.volume_name(), &mut spec);
    let pod = spec.template.spec.get_or_insert_default();
    pod.image_pull_secrets = some(workload.image_pull_secrets.clone());
    pod.volumes.get_or_insert_default().extend(workload.volumes.iter().cloned());
    let selector = spec.selector.match_labels.clone().unwrap_or_default();
    let own = labels(instance.naming.controller_labels.iter().copied());
    StatefulSet {
        metadata: metadata::pod_controller(instance.owner, operator, name, &own, &selector),
        spec: Some(spec),
        ..StatefulSet::default()
    }
}

/// The update strategy; by default, pods are replaced one at a time.
fn update_strategy(strategy: Option<&StatefulSetUpdateStrategy>) -> CoreUpdateStrategy {
    let Some(strategy) = strategy else {
        return CoreUpdateStrategy { type_: Some("RollingUpdate".into()), ..CoreUpdateStrategy::default() };
    };
    CoreUpdateStrategy {
        type_: Some(strategy.type_.to_string()),
        rolling_update: strategy.rolling_update.as_ref().map(|rolling| RollingUpdateStatefulSetStrategy {
            max_unavailable: rolling.max_unavailable.clone(),
            ..RollingUpdateStatefulSetStrategy::default()
        }),
    }
}

/// Adds a memory request, if the user does not set one.
pub(crate) fn put_memory(resources: &mut ResourceRequirements) {
    let requests = resources.requests.get_or_insert_default();
    requests.entry("memory".into()).or_insert_with(|| Quantity("200Mi".into()));
}
