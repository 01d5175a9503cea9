//! The StatefulSet of one shard of a server or agent.

use formats::prometheus::LeftOut;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::PodTemplateSpec;

use super::instance::Instance;
use super::pod::PodError;
use crate::workload::labels::Labels;
use crate::workload::operator::OperatorConfig;
use crate::workload::statefulset::{self, Additions, Pods};

/// A StatefulSet that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("make StatefulSet spec: {0}")]
pub struct StatefulSetError(pub PodError);

/// What a shard is made from beside the resource.
#[derive(Debug, Clone, Copy)]
pub struct Shard<'s> {
    /// Its number.
    pub number: i32,
    /// What the flags of the operator say.
    pub operator: &'s OperatorConfig,
    /// The Secrets with certificates and keys.
    pub tls_secrets: &'s [String],
    /// Hash of all that it is made from.
    pub input_hash: &'s str,
}

/// An object, and what was asked for and is not in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Built<O> {
    /// The object.
    pub object: O,
    /// What the version does not have.
    pub left_out: Vec<LeftOut>,
}

/// The StatefulSet around its pods.
pub(crate) fn assemble(
    instance: &Instance<'_>,
    shard: &Shard<'_>,
    selector: Labels,
    template: PodTemplateSpec,
) -> StatefulSet {
    let spec = instance.spec;
    let service = spec.service_name.as_deref().unwrap_or_else(|| instance.kind.governing_service());
    let mut pods = statefulset::spec(Pods {
        service_name: service,
        replicas: Some(instance.replicas()),
        min_ready_seconds: spec.min_ready_seconds,
        management: spec.pod_management_policy.as_ref(),
        update_strategy: spec.update_strategy.as_ref(),
        selector,
        template,
    });
    pods.persistent_volume_claim_retention_policy.clone_from(&spec.persistent_volume_claim_retention_policy);
    let additions = Additions {
        labels: &instance.mode_labels(),
        storage: spec.storage.as_ref(),
        volume_name: &instance.volume_name(),
        volumes: &spec.volumes,
        image_pull_secrets: &spec.image_pull_secrets,
    };
    let owner = (instance.owner(), shard.operator);
    let name = instance.shard_name(shard.number);
    statefulset::assemble(owner, &name, shard.input_hash, pods, additions)
}
