//! The instances. An adopted application keeps its pod template until our template changes.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{
    RollingUpdateStatefulSetStrategy, StatefulSet, StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetSpec, StatefulSetUpdateStrategy,
};
use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, Container, ContainerPort, EnvVar, HTTPGetAction, Lifecycle, LifecycleHandler,
    PersistentVolumeClaim, PersistentVolumeClaimSpec, PodSpec, PodTemplateSpec, Probe, SecretVolumeSource,
    SleepAction, Volume, VolumeMount, VolumeResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kernel::object::Key;
use sha2::{Digest, Sha256};

use super::{confinement, features, metadata};
use crate::gather::Inputs;
use crate::names;
use crate::upgrade::Rollout;
use crate::validate::Valid;

const AUTH_DIRECTORY: &str = "/etc/example-app/auth";
const FEATURES_DIRECTORY: &str = "/etc/example-app/features";
pub(super) const DATA_DIRECTORY: &str = "/data";

pub(super) fn build(valid: &Valid, inputs: &Inputs, rollout: &Rollout) -> StatefulSet {
    let ours = template(valid, inputs, &rollout.version);
    let mut metadata = metadata(valid, valid.name.clone());
    let template = match keep(inputs, &ours) {
        None => ours,
        Some((found, mark)) => {
            metadata.annotations = Some(BTreeMap::from([(names::ADOPTED.into(), mark)]));
            found
        }
    };
    let spec = StatefulSetSpec {
        replicas: Some(valid.replicas),
        selector: LabelSelector {
            match_labels: Some(inputs.names.selector.clone()),
            ..LabelSelector::default()
        },
        service_name: Some(inputs.names.service.clone()),
        // Instances start together. They are still replaced one at a time.
        pod_management_policy: Some(management_policy(inputs)),
        update_strategy: Some(StatefulSetUpdateStrategy {
            type_: Some("RollingUpdate".into()),
            rolling_update: Some(RollingUpdateStatefulSetStrategy {
                partition: Some(rollout.partition),
                ..RollingUpdateStatefulSetStrategy::default()
            }),
        }),
        // Data are kept longer than instances: the resource defines whether they are deleted with the application.
        persistent_volume_claim_retention_policy: Some(StatefulSetPersistentVolumeClaimRetentionPolicy {
            when_deleted: Some("Retain".into()),
            when_scaled: Some("Retain".into()),
        }),
        template,
        volume_claim_templates: Some(vec![claim(valid, inputs)]),
        ..StatefulSetSpec::default()
    };
    StatefulSet { metadata, spec: Some(spec), ..StatefulSet::default() }
}

/// The existing template, and the mark of our template. The existing one stays while ours does not change: any other would
/// restart the pods.
fn keep(inputs: &Inputs, ours: &PodTemplateSpec) -> Option<(PodTemplateSpec, String)> {
    let set = inputs.set.as_ref()?;
    let mark = mark(ours);
    let before =
        set.object.metadata.annotations.as_ref().and_then(|annotations| annotations.get(names::ADOPTED));
    let unchanged = match before {
        Some(before) => *before == mark,
        None => !set.is_ours,
    };
    let found = set.object.spec.as_ref()?.template.clone();
    (unchanged && found != *ours).then_some((found, mark))
}

/// A hash of a template. It is written into objects and compared by later versions of the operator: another way to hash
/// would restart adopted pods.
fn mark(template: &PodTemplateSpec) -> String {
    let digest = Sha256::digest(serde_json::to_vec(template).unwrap_or_default());
    let mut start = [0; 8];
    start.copy_from_slice(&digest[..8]);
    format!("{:016x}", u64::from_be_bytes(start))
}

fn management_policy(inputs: &Inputs) -> String {
    let found = inputs.set.as_ref().and_then(|set| set.object.spec.as_ref()?.pod_management_policy.clone());
    found.unwrap_or_else(|| "Parallel".into())
}

fn template(valid: &Valid, inputs: &Inputs, version: &str) -> PodTemplateSpec {
    let mut labels = names::selector(&valid.name);
    labels.extend(inputs.names.selector.clone());
    let spec = PodSpec {
        containers: vec![container(valid, inputs, version)],
        security_context: Some(confinement::pod()),
        automount_service_account_token: Some(false),
        termination_grace_period_seconds: Some(30),
        volumes: Some(vec![
            Volume {
                name: "auth".into(),
                secret: Some(SecretVolumeSource {
                    secret_name: Some(inputs.names.secret.clone()),
                    ..SecretVolumeSource::default()
                }),
                ..Volume::default()
            },
            Volume {
                name: "features".into(),
                config_map: Some(ConfigMapVolumeSource {
                    name: inputs.names.features.clone(),
                    ..ConfigMapVolumeSource::default()
                }),
                ..Volume::default()
            },
        ]),
        ..PodSpec::default()
    };
    PodTemplateSpec {
        metadata: Some(ObjectMeta { labels: Some(labels), ..ObjectMeta::default() }),
        spec: Some(spec),
    }
}

fn container(valid: &Valid, inputs: &Inputs, version: &str) -> Container {
    let first = inputs.names.first_instance(&Key::new(&valid.namespace, &valid.name));
    let variable =
        |name: &str, value: String| EnvVar { name: name.into(), value: Some(value), ..EnvVar::default() };
    let mount = |name: &str, path: &str, read_only: Option<bool>| VolumeMount {
        name: name.into(),
        mount_path: path.into(),
        read_only,
        ..VolumeMount::default()
    };
    Container {
        name: names::CONTAINER.into(),
        image: Some(format!("{}:{version}", valid.image)),
        image_pull_policy: Some("IfNotPresent".into()),
        args: Some(vec!["serve".into()]),
        env: Some(vec![
            variable("EXAMPLE_APP_DATA", DATA_DIRECTORY.into()),
            variable("EXAMPLE_APP_AUTH_DIRECTORY", AUTH_DIRECTORY.into()),
            variable("EXAMPLE_APP_FEATURES_FILE", format!("{FEATURES_DIRECTORY}/{}", features::FILE)),
            variable("EXAMPLE_APP_LEADER_URL", format!("http://{first}")),
        ]),
        ports: Some(vec![ContainerPort {
            name: Some("http".into()),
            container_port: names::PORT,
            ..ContainerPort::default()
        }]),
        readiness_probe: Some(probe("/readyz", 2, 2)),
        liveness_probe: Some(probe("/healthz", 10, 6)),
        // Clients that still have the old address get their answer before the server stops listening.
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                sleep: Some(SleepAction { seconds: 2 }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        resources: Some(valid.resources.clone().unwrap_or_else(confinement::modest)),
        security_context: Some(confinement::container()),
        termination_message_policy: Some("FallbackToLogsOnError".into()),
        volume_mounts: Some(vec![
            mount(&inputs.names.claim, DATA_DIRECTORY, None),
            mount("auth", AUTH_DIRECTORY, Some(true)),
            mount("features", FEATURES_DIRECTORY, Some(true)),
        ]),
        ..Container::default()
    }
}

fn probe(path: &str, period: i32, failures: i32) -> Probe {
    Probe {
        http_get: Some(HTTPGetAction {
            path: Some(path.into()),
            port: IntOrString::Int(names::PORT),
            ..HTTPGetAction::default()
        }),
        period_seconds: Some(period),
        failure_threshold: Some(failures),
        timeout_seconds: Some(5),
        ..Probe::default()
    }
}

fn claim(valid: &Valid, inputs: &Inputs) -> PersistentVolumeClaim {
    let requests = BTreeMap::from([("storage".into(), Quantity(valid.size.clone()))]);
    PersistentVolumeClaim {
        metadata: ObjectMeta { name: Some(inputs.names.claim.clone()), ..ObjectMeta::default() },
        spec: Some(PersistentVolumeClaimSpec {
            access_modes: Some(vec!["ReadWriteOnce".into()]),
            storage_class_name: valid.class.clone(),
            resources: Some(VolumeResourceRequirements {
                requests: Some(requests),
                ..VolumeResourceRequirements::default()
            }),
            ..PersistentVolumeClaimSpec::default()
        }),
        ..PersistentVolumeClaim::default()
    }
}
