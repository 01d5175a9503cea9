//! Cases of `workload` in `operators/monitoring`: servers, agents and the parts that all workloads share.

use std::collections::BTreeMap;

use anyhow::Result;
use api_monitoring::pod::Argument;
use api_monitoring::{Prometheus, PrometheusAgent};
use k8s_openapi::api::core::v1::Container;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use operator_monitoring::agent::plan as agent;
use operator_monitoring::prometheus::Instance;
use operator_monitoring::prometheus::plan::statefulset;
use operator_monitoring::workload::image::Image;
use operator_monitoring::workload::operator::{OperatorConfig, ReloaderConfig};
use operator_monitoring::workload::reloader::{Reload, Reloader, Values};
use operator_monitoring::workload::statefulset::PodInputs;
use operator_monitoring::workload::{arguments, merge};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Runner;
use crate::case::{Case, Expected};
use crate::compare::{self, Found, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("BuildArgs", |case| parts(case, build_args(case))),
    ("BuildImagePath", |case| parts(case, build_image(case))),
    ("CreateConfigReloader", |case| parts(case, config_reloader(case))),
    ("MergePatchContainers", |case| parts(case, merge_containers(case))),
    ("prometheus.makeStatefulSet", |case| workload(case, server(case))),
    ("prometheusagent.makeStatefulSet", |case| workload(case, agent_stateful_set(case))),
    ("prometheusagent.makeDaemonSet", |case| workload(case, agent_daemon_set(case))),
];

/// The recorded flags of the operator.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RecordedConfig {
    annotations: BTreeMap<String, String>,
    labels: BTreeMap<String, String>,
    local_host: String,
    cluster_domain: String,
    prometheus_default_base_image: String,
    alertmanager_default_base_image: String,
    thanos_default_base_image: String,
    reloader: RecordedReloader,
}

/// The recorded flags of the reloader container.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RecordedReloader {
    image: String,
    cpu_requests: String,
    cpu_limits: String,
    memory_requests: String,
    memory_limits: String,
    enable_probes: bool,
}

impl From<RecordedReloader> for ReloaderConfig {
    fn from(recorded: RecordedReloader) -> Self {
        Self {
            image: recorded.image,
            cpu_request: Quantity(recorded.cpu_requests),
            cpu_limit: Quantity(recorded.cpu_limits),
            memory_request: Quantity(recorded.memory_requests),
            memory_limit: Quantity(recorded.memory_limits),
            probes: recorded.enable_probes,
        }
    }
}

/// The flags of the operator.
pub(super) fn operator_config(case: &Case) -> Result<OperatorConfig> {
    let recorded: RecordedConfig = case.input("operatorConfig")?;
    let sharding = case.inputs.pointer("/options/topologySharding").and_then(Value::as_bool);
    Ok(OperatorConfig {
        annotations: recorded.annotations,
        labels: recorded.labels,
        local_host: recorded.local_host,
        prometheus_image: recorded.prometheus_default_base_image,
        alertmanager_image: recorded.alertmanager_default_base_image,
        thanos_image: recorded.thanos_default_base_image,
        cluster_domain: recorded.cluster_domain,
        reloader: recorded.reloader.into(),
        topology_sharding: sharding.unwrap_or_default(),
    })
}

/// The names of the Secrets with certificates and keys.
pub(super) fn tls_secrets(case: &Case) -> Result<Vec<String>> {
    let names = case.inputs.pointer("/tlsAssetsSecrets/secretNames").cloned();
    Ok(names.filter(|names| !names.is_null()).map(serde_json::from_value).transpose()?.unwrap_or_default())
}

/// A result as JSON.
pub(super) fn json_of<T: Serialize, E: std::fmt::Display>(result: Result<T, E>) -> Result<Found> {
    Ok(match result {
        Ok(object) => Ok(serde_json::to_value(object)?),
        Err(error) => Err(error.to_string()),
    })
}

/// Compares parts of pods. Inputs that cannot be parsed are an output, so that they do not match an expected error.
fn parts(case: &Case, found: Result<Found>) -> Outcome {
    match found {
        Ok(found) => compare::data(case, found),
        Err(error) => compare::data(case, Ok(Value::String(format!("{error:#}")))),
    }
}

/// Compares objects that create pods, without the namespace, which the client of the Prometheus Operator sets, the kind of
/// claims, which the API server sets, and the hash of the inputs, which may differ.
pub(super) fn workload(case: &Case, found: Result<Found>) -> Outcome {
    let mut case = case.clone();
    if let Expected::Output(expected) = &mut case.expected {
        comparable(expected);
    }
    let found = found.map(|found| {
        found.map(|mut object| {
            comparable(&mut object);
            object
        })
    });
    parts(&case, found)
}

fn comparable(object: &mut Value) {
    let remove = |object: &mut Value, keys: &[&str]| {
        if let Value::Object(fields) = object {
            fields.retain(|key, _| !keys.contains(&key.as_str()));
        }
    };
    remove(&mut object["metadata"], &["namespace"]);
    if let Some(annotations) = object.pointer_mut("/metadata/annotations") {
        remove(annotations, &["prometheus-operator-input-hash"]);
    }
    if let Some(Value::Array(claims)) = object.pointer_mut("/spec/volumeClaimTemplates") {
        for claim in claims {
            remove(claim, &["apiVersion", "kind"]);
        }
    }
    remove_empty_names(object);
}

/// Removes empty names: the types of one side serialize a missing name as an empty one.
fn remove_empty_names(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, value| !(key == "name" && value == ""));
            fields.values_mut().for_each(remove_empty_names);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_empty_names),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn build_args(case: &Case) -> Result<Found> {
    let (own, additional): (Vec<Argument>, Vec<Argument>) =
        (case.input("args")?, case.input("additionalArgs")?);
    json_of(arguments::build(&own, &additional).map(some))
}

fn build_image(case: &Case) -> Result<Found> {
    let part = |name| case.input::<String>(name);
    let (whole, base, version) = (part("specImage")?, part("baseImage")?, part("version")?);
    let (tag, sha) = (part("tag")?, part("sha")?);
    json_of(Image { whole: &whole, base: &base, version: &version, tag: &tag, sha: &sha }.build())
}

fn config_reloader(case: &Case) -> Result<Found> {
    let text = |name| case.input::<String>(name);
    let config: RecordedReloader = case.input("reloader")?;
    let (level, format, policy, zone) =
        (text("logLevel")?, text("logFormat")?, text("imagePullPolicy")?, text("zone")?);
    let daemon_set: bool = case.input("daemonSetMode")?;
    let reload = if case.input("useSignal")? {
        Reload::Signal(text("runtimeInfoURL")?)
    } else {
        Reload::Request(text("reloadURL")?)
    };
    let local_host = text("localHost")?;
    let shard: Option<i32> = case.input("shard")?;
    let reloader = Reloader {
        init: case.input("initContainer")?,
        reload,
        config_file: text("configFile")?,
        output_file: text("configEnvsubstFile")?,
        watched_directories: case.input("watchedDirectories")?,
        web_config_file: text("webConfigFile")?,
        listen_local: case.input::<bool>("listenLocal")?.then_some(local_host),
        log_level: &level,
        log_format: &format,
        image_pull_policy: &policy,
        mounts: case.input("volumeMounts")?,
        values: Values {
            node: daemon_set,
            shard: shard.or(daemon_set.then_some(0)),
            zone: &zone,
            shard_in_zone: case.input("inzoneShard")?,
        },
    };
    let mut container = reloader.build(&config.into());
    container.name = text("name")?;
    json_of(anyhow::Ok(container))
}

fn merge_containers(case: &Case) -> Result<Found> {
    let (base, patches): (Vec<Container>, Vec<Container>) = (case.input("base")?, case.input("patches")?);
    json_of(merge::containers(base, &patches).map(some))
}

/// An empty list is recorded as null.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// Sets the name: the Prometheus Operator takes the name of the StatefulSet as an argument, our function computes it.
fn named(case: &Case, mut object: Value) -> Value {
    object["metadata"]["name"] = case.inputs["name"].clone();
    object
}

fn server(case: &Case) -> Result<Found> {
    let prometheus: Prometheus = case.input("prometheus")?;
    let rule_config_maps: Vec<String> = case.input("ruleConfigMapNames")?;
    let (operator, tls_secrets) = (operator_config(case)?, tls_secrets(case)?);
    let inputs =
        PodInputs { operator: &operator, tls_secrets: &tls_secrets, rule_config_maps: &rule_config_maps };
    let built =
        statefulset::build(&Instance::server(&prometheus)?, &prometheus, case.input("shard")?, inputs);
    Ok(json_of(built.map(|built| built.object))?.map(|object| named(case, object)))
}

fn agent_stateful_set(case: &Case) -> Result<Found> {
    let agent: PrometheusAgent = case.input("prometheusAgent")?;
    let (operator, tls_secrets) = (operator_config(case)?, tls_secrets(case)?);
    let inputs = PodInputs { operator: &operator, tls_secrets: &tls_secrets, rule_config_maps: &[] };
    let built = agent::statefulset::build(&Instance::agent(&agent)?, case.input("shard")?, inputs);
    Ok(json_of(built.map(|built| built.object))?.map(|object| named(case, object)))
}

fn agent_daemon_set(case: &Case) -> Result<Found> {
    let agent: PrometheusAgent = case.input("prometheusAgent")?;
    let (operator, tls_secrets) = (operator_config(case)?, tls_secrets(case)?);
    let inputs = PodInputs { operator: &operator, tls_secrets: &tls_secrets, rule_config_maps: &[] };
    let built = agent::daemonset::build(&Instance::agent(&agent)?, inputs);
    json_of(built.map(|built| built.object))
}
