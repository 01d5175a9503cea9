//! The StatefulSet of one shard of a server or agent.

use api_monitoring::Prometheus;
use formats::prometheus::UnsupportedField;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::EnvVar;

use super::pod::{self, Draft};
use super::{RULES, arguments, compaction, thanos_sidecar, volumes};
use crate::prometheus::Instance;
use crate::workload::defaults::or_default;
use crate::workload::image::Image;
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::PodError;
use crate::workload::statefulset::{self, PodInputs};

/// A StatefulSet that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("make StatefulSet spec: {0}")]
pub struct StatefulSetError(#[from] pub PodError);

/// An object, and the requested flags that its version does not have.
#[derive(Debug, Clone, PartialEq)]
pub struct Built<O> {
    /// The object.
    pub object: O,
    /// The flags.
    pub left_out: Vec<UnsupportedField>,
}

/// The StatefulSet of a shard of a server.
pub fn build(
    instance: &Instance<'_>,
    prometheus: &Prometheus,
    shard: i32,
    inputs: PodInputs<'_>,
) -> Result<Built<StatefulSet>, StatefulSetError> {
    let draft = draft(instance, prometheus, inputs)?;
    of_shard(instance, inputs.operator, shard, draft)
}

/// The StatefulSet of a shard, from its pods.
pub(crate) fn of_shard<'d>(
    instance: &'d Instance<'_>,
    operator: &OperatorConfig,
    shard: i32,
    mut draft: Draft<'d>,
) -> Result<Built<StatefulSet>, StatefulSetError> {
    draft.for_shard(instance, operator, shard);
    let selector = draft.selector.clone();
    let (template, left_out) = pod::build(instance, operator, draft)?;
    let spec = statefulset::spec(instance, Some(instance.replicas()), selector, template);
    let retention = instance.spec.persistent_volume_claim_retention_policy.as_ref();
    let object = statefulset::assemble(instance, operator, instance.shard_name(shard), spec, retention);
    Ok(Built { object, left_out })
}

fn draft<'d>(
    instance: &'d Instance<'_>,
    prometheus: &Prometheus,
    inputs: PodInputs<'_>,
) -> Result<Draft<'d>, PodError> {
    let (spec, operator, rules) = (&prometheus.spec, inputs.operator, inputs.rule_config_maps);
    let image = Image {
        whole: instance.spec.image.as_deref().unwrap_or_default(),
        base: or_default(&spec.base_image, &operator.prometheus_image),
        version: &format!("v{}", instance.version),
        tag: or_default(&spec.tag, ""),
        sha: or_default(&spec.sha, ""),
    };
    let mut draft = Draft::new(instance, image.build()?, inputs.tls_secrets, true)?;
    arguments::server(instance, spec, &mut draft.flags);
    volumes::put_server(&mut draft.volumes, instance, &spec.query_log_file, rules);
    draft.put_web_config(instance)?;
    let compaction = compaction::of(instance, spec).map_err(PodError::ThanosVersion)?;
    if let Some(thanos) = &spec.thanos {
        let sidecar = thanos_sidecar::build(instance, operator, thanos, compaction)?;
        draft.sidecars.push(sidecar.container);
        draft.volumes.of_pod.extend(sidecar.volumes);
    }
    compaction::put(compaction, instance, spec, &mut draft.flags);
    draft.volumes.watch_rules(RULES, rules);
    draft.environment = environment(instance);
    Ok(draft)
}

/// The garbage collection; since 2.53, it is part of the configuration.
fn environment(instance: &Instance<'_>) -> Vec<EnvVar> {
    let percent = instance.spec.runtime.as_ref().and_then(|runtime| runtime.go_gc);
    let percent = percent.filter(|_| !instance.at_least(2, 53));
    let variable =
        |percent: i32| EnvVar { name: "GOGC".into(), value: Some(percent.to_string()), ..EnvVar::default() };
    percent.map(variable).into_iter().collect()
}
