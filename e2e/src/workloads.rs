//! Objects that create pods, and Services.

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, StatefulSet, StatefulSetSpec};
use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::{
    Affinity, NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm, PersistentVolumeClaim,
    PodAffinityTerm, PodAntiAffinity, PodSpec, PreferredSchedulingTerm, Service, ServicePort, ServiceSpec,
    Toleration,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::api::ObjectMeta;

use crate::pods::{labels, template, words};

/// The port of pods that serve HTTP.
pub const PORT: u16 = 8080;

/// Selects the pods with this label `app`.
pub fn selector(app: &str) -> LabelSelector {
    LabelSelector { match_labels: Some(labels(&[("app", app)])), ..LabelSelector::default() }
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() }
}

/// A StatefulSet with a claim for each replica, and all replicas started at the same time.
pub fn stateful_set(
    name: &str,
    replicas: i32,
    spec: PodSpec,
    claims: Vec<PersistentVolumeClaim>,
) -> StatefulSet {
    StatefulSet {
        metadata: named(name),
        spec: Some(StatefulSetSpec {
            replicas: Some(replicas),
            service_name: Some(name.into()),
            pod_management_policy: Some("Parallel".into()),
            selector: selector(name),
            template: template(name, spec),
            volume_claim_templates: Some(claims),
            ..StatefulSetSpec::default()
        }),
        ..StatefulSet::default()
    }
}

/// A Deployment.
pub fn deployment(name: &str, replicas: i32, spec: PodSpec) -> Deployment {
    Deployment {
        metadata: named(name),
        spec: Some(DeploymentSpec {
            replicas: Some(replicas),
            selector: selector(name),
            template: template(name, spec),
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

/// A Job that runs once and does not retry.
pub fn job(name: &str, spec: PodSpec) -> Job {
    Job { metadata: named(name), spec: Some(once(name, spec)), ..Job::default() }
}

/// The spec of a Job that runs once and does not retry.
pub fn once(app: &str, spec: PodSpec) -> JobSpec {
    let spec = PodSpec { restart_policy: Some("Never".into()), ..spec };
    JobSpec { backoff_limit: Some(0), template: template(app, spec), ..JobSpec::default() }
}

/// Whether the Job succeeded.
pub fn is_complete(job: &Job) -> bool {
    job.status.as_ref().and_then(|status| status.succeeded) == Some(1)
}

/// The addresses of a Service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// One address for all pods.
    Shared,
    /// A headless Service: a DNS name for each pod.
    PerPod,
}

/// A Service for the pods with the label `app`.
pub fn service(name: &str, app: &str, address: Address) -> Service {
    Service {
        metadata: named(name),
        spec: Some(ServiceSpec {
            selector: Some(labels(&[("app", app)])),
            cluster_ip: match address {
                Address::Shared => None,
                Address::PerPod => Some("None".into()),
            },
            ports: Some(vec![ServicePort {
                name: Some("http".into()),
                port: i32::from(PORT),
                ..ServicePort::default()
            }]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

/// Puts no two pods with this label `app` on one node.
pub fn apart(app: &str) -> Affinity {
    Affinity {
        pod_anti_affinity: Some(PodAntiAffinity {
            required_during_scheduling_ignored_during_execution: Some(vec![PodAffinityTerm {
                label_selector: Some(selector(app)),
                topology_key: "kubernetes.io/hostname".into(),
                ..PodAffinityTerm::default()
            }]),
            ..PodAntiAffinity::default()
        }),
        ..Affinity::default()
    }
}

/// Prefers a node.
pub fn prefers(node: &str) -> Affinity {
    Affinity {
        node_affinity: Some(NodeAffinity {
            preferred_during_scheduling_ignored_during_execution: Some(vec![PreferredSchedulingTerm {
                weight: 100,
                preference: NodeSelectorTerm {
                    match_expressions: Some(vec![NodeSelectorRequirement {
                        key: "kubernetes.io/hostname".into(),
                        operator: "In".into(),
                        values: Some(words(&[node])),
                    }]),
                    ..NodeSelectorTerm::default()
                },
            }]),
            ..NodeAffinity::default()
        }),
        ..Affinity::default()
    }
}

/// Evicts a pod from a lost node after five seconds instead of five minutes.
pub fn evicted_early() -> Vec<Toleration> {
    ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
        .map(|taint| Toleration {
            key: Some(taint.into()),
            operator: Some("Exists".into()),
            effect: Some("NoExecute".into()),
            toleration_seconds: Some(5),
            ..Toleration::default()
        })
        .into()
}
