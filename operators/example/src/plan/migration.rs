//! The Jobs of an upgrade: one takes the data of instance 0 to the new version, one takes them back.

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
use crate::gather::{Inputs, Work};
use crate::names;
use crate::upgrade::{Errand, JobState};
use crate::validate::Valid;

const CONTAINER: &str = "migrate";

pub(super) fn build(valid: &Valid, inputs: &Inputs, errand: &Errand) -> Job {
    let mut arguments: Vec<String> =
        ["migrate", "--data", DATA_DIRECTORY, "--to", &errand.to].map(String::from).into();
    if errand.back {
        arguments.push("--back".into());
    }
    let container = Container {
        name: CONTAINER.into(),
        image: Some(format!("{}:{}", valid.image, errand.by)),
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
    let name = names::migration(&valid.name, errand.back, &errand.to);
    // What a Job does cannot be changed: one that is there stays as it was made, whatever the spec says now.
    let found = find(inputs, &name).and_then(|work| Some(work.job.spec.as_ref()?.template.clone()));
    let spec = JobSpec {
        // What the program itself refuses it would refuse again; what happens to its pod is worth another try.
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
        active_deadline_seconds: Some(valid.deadline),
        template: found.unwrap_or_else(|| PodTemplateSpec {
            metadata: Some(ObjectMeta { labels: Some(labels(valid)), ..ObjectMeta::default() }),
            spec: Some(pod(valid, inputs, container)),
        }),
        ..JobSpec::default()
    };
    Job { metadata: metadata(valid, name), spec: Some(spec), ..Job::default() }
}

fn pod(valid: &Valid, inputs: &Inputs, container: Container) -> PodSpec {
    let claim = format!("{}-{}-0", inputs.frame.claim, valid.name);
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

/// Two pods can share a volume on one node only. A wish and not a demand: the other pod may be gone.
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

/// Never those of an instance: clients must not be sent here.
fn labels(valid: &Valid) -> BTreeMap<String, String> {
    BTreeMap::from([(names::JOB_OF.into(), valid.name.clone())])
}

fn find<'a>(inputs: &'a Inputs, name: &str) -> Option<&'a Work> {
    inputs.jobs.iter().find(|work| work.job.metadata.name.as_deref() == Some(name))
}

/// How a Job is doing. One on its way out still works.
pub(super) fn state(inputs: &Inputs, name: &str) -> JobState {
    let Some(work) = find(inputs, name) else { return JobState::Absent };
    if work.job.metadata.deletion_timestamp.is_some() {
        return JobState::Running;
    }
    let conditions = work.job.status.as_ref().and_then(|status| status.conditions.as_ref());
    let holds = |kind: &str| {
        conditions
            .into_iter()
            .flatten()
            .find(|condition| condition.type_ == kind && condition.status == "True")
    };
    if holds("Complete").is_some() {
        return JobState::Done;
    }
    let Some(failed) = holds("Failed") else { return JobState::Running };
    let words = work.last_words.clone().or_else(|| failed.message.clone()).unwrap_or_default();
    JobState::Failed(words)
}
