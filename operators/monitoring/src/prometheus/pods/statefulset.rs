//! The StatefulSet of one shard of a server.

use api_monitoring::Prometheus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::EnvVar;

use super::flags::Flags;
use super::instance::Instance;
use super::pod::{self, Draft, PodError};
use super::shard::{self, Built, Shard, StatefulSetError};
use super::volumes::{Data, Volumes};
use super::{arguments, compaction, thanos_sidecar, topology};
use crate::workload::defaults::or_default;
use crate::workload::image::Image;
use crate::workload::operator::OperatorConfig;

/// The StatefulSet.
pub fn build(
    instance: &Instance<'_>,
    prometheus: &Prometheus,
    rule_config_maps: &[String],
    shard: &Shard<'_>,
) -> Result<Built<StatefulSet>, StatefulSetError> {
    let mut flags = Flags::new(&instance.version);
    let draft = draft(instance, prometheus, rule_config_maps, shard, &mut flags).map_err(StatefulSetError)?;
    let selector = draft.selector.clone();
    let template = pod::build(instance, shard.operator, draft).map_err(StatefulSetError)?;
    let object = shard::assemble(instance, shard, selector, template);
    Ok(Built { object, left_out: flags.left_out })
}

fn draft<'d>(
    instance: &'d Instance<'_>,
    prometheus: &Prometheus,
    rule_config_maps: &[String],
    shard: &Shard<'_>,
    flags: &mut Flags<'_>,
) -> Result<Draft<'d>, PodError> {
    let (spec, operator) = (&prometheus.spec, shard.operator);
    let image = image(instance, prometheus, operator)?;
    arguments::shared(instance, flags);
    arguments::server(instance, spec, flags);
    let mut volumes = Volumes::shared(instance, shard.tls_secrets, Data::Kept)?;
    volumes.put_server(instance, &spec.query_log_file, rule_config_maps);
    volumes.put_web_config(instance, flags)?;
    let compaction = compaction::of(instance, spec).map_err(PodError::ThanosVersion)?;
    let mut sidecars = Vec::new();
    if let Some(thanos) = &spec.thanos {
        let sidecar = thanos_sidecar::build(instance, operator, thanos, compaction)?;
        sidecars.push(sidecar.container);
        volumes.of_pod.extend(sidecar.volumes);
    }
    compaction::put(compaction, instance, spec, flags);
    volumes.watch_rules(rule_config_maps);
    let place = topology::place(instance.spec, operator, shard.number);
    Ok(Draft {
        image,
        arguments: std::mem::take(&mut flags.arguments),
        environment: environment(instance),
        volumes,
        sidecars,
        values: topology::values(place, shard.number),
        node_selector: topology::node_selector(instance.spec, place),
        selector: instance.selector(operator, Some(shard.number)),
    })
}

fn image(
    instance: &Instance<'_>,
    prometheus: &Prometheus,
    operator: &OperatorConfig,
) -> Result<String, PodError> {
    let spec = &prometheus.spec;
    let image = Image {
        whole: instance.spec.image.as_deref().unwrap_or_default(),
        base: or_default(&spec.base_image, &operator.prometheus_image),
        version: &format!("v{}", instance.version),
        tag: or_default(&spec.tag, ""),
        sha: or_default(&spec.sha, ""),
    };
    Ok(image.build()?)
}

/// From 2.53 on, the configuration says how memory is cleaned up.
fn environment(instance: &Instance<'_>) -> Vec<EnvVar> {
    let percent = instance.spec.runtime.as_ref().and_then(|runtime| runtime.go_gc);
    let percent = percent.filter(|_| !instance.at_least(2, 53));
    let variable =
        |percent: i32| EnvVar { name: "GOGC".into(), value: Some(percent.to_string()), ..EnvVar::default() };
    percent.map(variable).into_iter().collect()
}
