//! The StatefulSets of all workloads, as far as they are alike.

use api_monitoring::pod::{PodManagementPolicy, StatefulSetUpdateStrategy, StorageSpec};
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};
use k8s_openapi::api::core::v1::{LocalObjectReference, PodTemplateSpec, ResourceRequirements, Volume};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::workload::labels::Labels;
use crate::workload::metadata::{self, Owner, Workload};
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::{self, some};
use crate::workload::storage::{self, Storage};

/// How long a pod may take to stop.
pub(crate) const GRACE_PERIOD: i64 = 120;

/// What a StatefulSet is made from beside the resource.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'s> {
    /// What the flags of the operator say.
    pub operator: &'s OperatorConfig,
    /// The Secrets with certificates and keys.
    pub tls_secrets: &'s [String],
}

/// What a StatefulSet says about its pods, and the pods.
#[derive(Debug)]
pub(crate) struct Pods<'p> {
    /// The Service that gives them their names.
    pub(crate) service_name: &'p str,
    /// How many there are.
    pub(crate) replicas: Option<i32>,
    /// How long a new one must be ready before it counts.
    pub(crate) min_ready_seconds: Option<i32>,
    /// Whether they are made one after the other.
    pub(crate) management: Option<&'p PodManagementPolicy>,
    /// How they are replaced.
    pub(crate) update_strategy: Option<&'p StatefulSetUpdateStrategy>,
    /// Labels by which they are known.
    pub(crate) selector: Labels,
    /// The pods.
    pub(crate) template: PodTemplateSpec,
}

/// What is added around the pods, most of it by the user.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Additions<'a> {
    /// Labels of the StatefulSet that its pods do not have.
    pub(crate) labels: &'a Labels,
    /// Where the data is kept.
    pub(crate) storage: Option<&'a StorageSpec>,
    /// The volume with the data.
    pub(crate) volume_name: &'a str,
    /// More volumes.
    pub(crate) volumes: &'a [Volume],
    /// Secrets with which images are pulled.
    pub(crate) image_pull_secrets: &'a [LocalObjectReference],
}

/// The StatefulSet without what the user adds.
pub(crate) fn spec(pods: Pods<'_>) -> StatefulSetSpec {
    // One pod after the other would stop at one that does not become ready.
    let policy = pods.management.map_or("Parallel", |policy| policy);
    StatefulSetSpec {
        service_name: Some(pods.service_name.to_owned()),
        replicas: pods.replicas,
        min_ready_seconds: pods.min_ready_seconds.filter(|seconds| *seconds != 0),
        pod_management_policy: Some(policy.to_owned()),
        update_strategy: Some(pod::update_strategy(pods.update_strategy)),
        selector: LabelSelector { match_labels: Some(pods.selector), ..LabelSelector::default() },
        template: pods.template,
        ..StatefulSetSpec::default()
    }
}

/// The StatefulSet of a resource, with what the user adds.
pub(crate) fn assemble(
    (owner, operator): (Owner<'_>, &OperatorConfig),
    name: &str,
    input_hash: &str,
    mut spec: StatefulSetSpec,
    additions: Additions<'_>,
) -> StatefulSet {
    let pod = spec.template.spec.get_or_insert_default();
    pod.image_pull_secrets = some(additions.image_pull_secrets.to_vec());
    let volumes = pod.volumes.get_or_insert_default();
    match storage::build(additions.storage, additions.volume_name) {
        Storage::Volume(volume) => volumes.push(*volume),
        Storage::Claim(claim) => spec.volume_claim_templates = Some(vec![*claim]),
    }
    volumes.extend(additions.volumes.iter().cloned());
    let selector = spec.selector.match_labels.clone().unwrap_or_default();
    let workload =
        Workload { name, labels: additions.labels, selector: &selector, input_hash: Some(input_hash) };
    StatefulSet {
        metadata: metadata::workload(owner, operator, workload),
        spec: Some(spec),
        ..StatefulSet::default()
    }
}

/// What the main container requests: memory, also if the user does not say how much.
pub(crate) fn put_memory(resources: &mut ResourceRequirements) {
    let requests = resources.requests.get_or_insert_default();
    requests.entry("memory".into()).or_insert_with(|| Quantity("200Mi".into()));
}
