//! The Jobs of an upgrade: one migrates the data of the first instance to the new version, one migrates them back.

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1::{
    Job, JobSpec, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule,
};
use k8s_openapi::api::core::v1::{
    Affinity, Container, PersistentVolumeClaimVolumeSource, PodAffinity, PodAffinityTerm, PodSpec,
    PodTemplateSpec, Volume, VolumeMount, WeightedPodAffinityTerm,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

use super::statefulset::DATA_DIRECTORY;
use super::{confinement, metadata};
use crate::gather::Inputs;
use crate::names;
use crate::upgrade::Migration;
use crate::validate::Valid;

const CONTAINER: &str = "migrate";

pub(super) fn build(valid: &Valid, inputs: &Inputs, migration: &Migration) -> Job {
    let mut arguments: Vec<String> =
        ["migrate", "--data", DATA_DIRECTORY, "--to", &migration.to].map(String::from).into();
    if migration.is_back {
        arguments.push("--back".into());
    }
    let container = Container {
        name: CONTAINER.into(),
        image: Some(format!("{}:{}", valid.image, migration.by)),
        image_pull_policy: Some("IfNotPresent".into()),
        args: Some(arguments),
        resources: Some(confinement::modest()),
        security_context: Some(confinement::container()),
        termination_message_policy: Some("FallbackToLogsOnError".into()),
        volume_mounts: Some(vec![VolumeMount {
            name: names::DATA.into(),
            mount_path: DATA_DIRECTORY.into(),
            ..VolumeMount::default()
        }]),
        ..Container::default()
    };
    let name = names::migration(&valid.name, migration.is_back, &migration.to);
    // The template of a Job is immutable: an existing Job keeps its template, even if the spec changed.
    let found = inputs.job(&name).and_then(|job| Some(job.job.spec.as_ref()?.template.clone()));
    let spec = JobSpec {
        // An error of the program would happen again; a lost pod is tried again.
        backoff_limit: Some(3),
        pod_failure_policy: Some(PodFailurePolicy {
            rules: vec![PodFailurePolicyRule {
                action: "FailJob".into(),
                on_exit_codes: Some(PodFailurePolicyOnExitCodesRequirement {
                    container_name: Some(CONTAINER.into()),
                    operator: "In".into(),
                    values: vec![1],
                }),
                ..PodFailurePolicyRule::default()
            }],
        }),
        active_deadline_seconds: Some(valid.facts.deadline),
        template: found.unwrap_or_else(|| PodTemplateSpec {
            metadata: Some(ObjectMeta { labels: Some(labels(valid)), ..ObjectMeta::default() }),
            spec: Some(pod(valid, inputs, container)),
        }),
        ..JobSpec::default()
    };
    Job { metadata: metadata(valid, name), spec: Some(spec), ..Job::default() }
}

fn pod(valid: &Valid, inputs: &Inputs, container: Container) -> PodSpec {
    let claim = format!("{}-{}-0", inputs.names.claim, valid.name);
    PodSpec {
        containers: vec![container],
        restart_policy: Some("Never".into()),
        affinity: Some(beside(&format!("{}-0", valid.name))),
        automount_service_account_token: Some(false),
        security_context: Some(confinement::pod()),
        volumes: Some(vec![Volume {
            name: names::DATA.into(),
            persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
                claim_name: claim,
                read_only: None,
            }),
            ..Volume::default()
        }]),
        ..PodSpec::default()
    }
}

/// Two pods can share a volume only on one node. The affinity is preferred, not required: the other pod may not exist.
fn beside(instance: &str) -> Affinity {
    let labels = BTreeMap::from([("statefulset.kubernetes.io/pod-name".into(), instance.into())]);
    let term = WeightedPodAffinityTerm {
        weight: 100,
        pod_affinity_term: PodAffinityTerm {
            label_selector: Some(LabelSelector { match_labels: Some(labels), ..LabelSelector::default() }),
            topology_key: "kubernetes.io/hostname".into(),
            ..PodAffinityTerm::default()
        },
    };
    let affinity = PodAffinity {
        preferred_during_scheduling_ignored_during_execution: Some(vec![term]),
        ..PodAffinity::default()
    };
    Affinity { pod_affinity: Some(affinity), ..Affinity::default() }
}

/// Labels of the pod. Not those of an instance, because Services must not select this pod.
fn labels(valid: &Valid) -> BTreeMap<String, String> {
    BTreeMap::from([(names::JOB_OF.into(), valid.name.clone())])
}
