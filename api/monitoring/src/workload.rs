//! What Prometheus, PrometheusAgent, Alertmanager and ThanosRuler have in common: a workload is a resource whose pods the
//! operator runs.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, Container, LocalObjectReference, PodSecurityContext, ResourceRequirements, Toleration, Volume,
    VolumeMount,
};
use kube::Resource;
use kube::core::object::HasStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pod::{
    Argument, DnsPolicy, EmbeddedMetadata, HostAlias, PodDnsConfig, PodManagementPolicy,
    StatefulSetUpdateStrategy, StorageSpec,
};
use crate::status::WorkloadStatus;
use crate::web::WebConfigFileFields;
use crate::{Alertmanager, Prometheus, PrometheusAgent, ThanosRuler};

/// A resource whose pods the operator runs.
pub trait WorkloadResource: Resource<DynamicType = ()> + HasStatus<Status: Serialize> {
    /// The fields that all workloads share.
    fn workload(&self) -> &WorkloadSpec;

    /// The version in the spec; empty for the default.
    fn version(&self) -> &str;

    /// The settings of the web configuration file.
    fn web(&self) -> Option<&WebConfigFileFields>;

    /// The fields of the status that all workloads share.
    fn workload_status(&self) -> Option<&WorkloadStatus>;
}

impl WorkloadResource for Prometheus {
    fn workload(&self) -> &WorkloadSpec {
        &self.spec.shared.workload
    }

    fn version(&self) -> &str {
        &self.spec.shared.version
    }

    fn web(&self) -> Option<&WebConfigFileFields> {
        self.spec.shared.web.as_ref().map(|web| &web.file)
    }

    fn workload_status(&self) -> Option<&WorkloadStatus> {
        self.status.as_ref().map(|status| &status.workload)
    }
}

impl WorkloadResource for PrometheusAgent {
    fn workload(&self) -> &WorkloadSpec {
        &self.spec.shared.workload
    }

    fn version(&self) -> &str {
        &self.spec.shared.version
    }

    fn web(&self) -> Option<&WebConfigFileFields> {
        self.spec.shared.web.as_ref().map(|web| &web.file)
    }

    fn workload_status(&self) -> Option<&WorkloadStatus> {
        self.status.as_ref().map(|status| &status.workload)
    }
}

impl WorkloadResource for Alertmanager {
    fn workload(&self) -> &WorkloadSpec {
        &self.spec.workload
    }

    fn version(&self) -> &str {
        &self.spec.version
    }

    fn web(&self) -> Option<&WebConfigFileFields> {
        self.spec.web.as_ref().map(|web| &web.file)
    }

    fn workload_status(&self) -> Option<&WorkloadStatus> {
        self.status.as_ref().map(|status| &status.workload)
    }
}

impl WorkloadResource for ThanosRuler {
    fn workload(&self) -> &WorkloadSpec {
        &self.spec.workload
    }

    fn version(&self) -> &str {
        self.spec.version.as_deref().unwrap_or_default()
    }

    fn web(&self) -> Option<&WebConfigFileFields> {
        self.spec.web.as_ref().map(|web| &web.file)
    }

    fn workload_status(&self) -> Option<&WorkloadStatus> {
        self.status.as_ref().map(|status| &status.workload)
    }
}

/// Fields that all workloads share.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadSpec {
    /// Labels and annotations added to the pods.
    pub pod_metadata: Option<EmbeddedMetadata>,
    /// While true, the operator leaves all objects of this resource unchanged.
    pub paused: bool,
    /// When the kubelet pulls the images: `Always`, `IfNotPresent` or `Never`.
    #[schemars(extend("enum" = ["", "Always", "Never", "IfNotPresent"]))]
    pub image_pull_policy: String,
    /// Secrets in the same namespace with credentials for pulling the images.
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Number of pods to run; of a sharded Prometheus, in each shard.
    pub replicas: Option<i32>,
    /// Lowest severity that is logged: `debug`, `info`, `warn` or `error`.
    #[schemars(extend("enum" = ["", "debug", "info", "warn", "error"]))]
    pub log_level: String,
    /// Format of the log lines: `logfmt` or `json`.
    #[schemars(extend("enum" = ["", "logfmt", "json"]))]
    pub log_format: String,
    /// Path prefix of all HTTP routes of the server.
    pub route_prefix: String,
    /// Storage for the data of each pod.
    pub storage: Option<StorageSpec>,
    /// Additional volumes of the pods.
    pub volumes: Vec<Volume>,
    /// Additional volume mounts of the main container.
    pub volume_mounts: Vec<VolumeMount>,
    /// Labels that a node must have to run the pods.
    pub node_selector: BTreeMap<String, String>,
    /// Scheduler that assigns the pods to nodes; unset means the default one.
    #[schemars(length(min = 1))]
    pub scheduler_name: String,
    /// CPU and memory requests and limits of the main container.
    pub resources: ResourceRequirements,
    /// Scheduling rules that attract the pods to nodes and other pods, or keep them apart.
    pub affinity: Option<Affinity>,
    /// Node taints that the pods tolerate.
    pub tolerations: Vec<Toleration>,
    /// Security settings of the pods, such as user, group and seccomp profile.
    pub security_context: Option<PodSecurityContext>,
    /// How the pods resolve DNS names.
    pub dns_policy: Option<DnsPolicy>,
    /// DNS servers, search domains and options of the pods, merged with those of `dnsPolicy`.
    pub dns_config: Option<PodDnsConfig>,
    /// Whether the pods get environment variables for the Services of their namespace.
    pub enable_service_links: Option<bool>,
    /// Existing Service that governs the StatefulSet; unset lets the operator create one.
    #[schemars(length(min = 1))]
    pub service_name: Option<String>,
    /// ServiceAccount that the pods run as.
    pub service_account_name: String,
    /// Whether the server listens on the loopback address only, not on the pod IP.
    pub listen_local: bool,
    /// Whether the StatefulSet creates and deletes its pods one by one or all in parallel.
    pub pod_management_policy: Option<PodManagementPolicy>,
    /// How the StatefulSet replaces its pods when their template changes.
    pub update_strategy: Option<StatefulSetUpdateStrategy>,
    /// Additional containers; one with the name of a generated container is merged into it.
    pub containers: Vec<Container>,
    /// Additional init containers; one with the name of a generated container is merged into it.
    pub init_containers: Vec<Container>,
    /// PriorityClass of the pods.
    pub priority_class_name: String,
    /// Name of the port of the web server, on the pods and the Service.
    #[schemars(extend("default" = "web"))]
    pub port_name: String,
    /// Seconds that a new pod must be ready before it counts as available.
    #[schemars(range(min = 0))]
    pub min_ready_seconds: Option<i32>,
    /// Additional entries for the hosts file of the pods.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["ip"]))]
    pub host_aliases: Vec<HostAlias>,
    /// Additional command-line arguments of the main container.
    pub additional_args: Vec<Argument>,
    /// Seconds that a pod has to stop before it is killed.
    #[schemars(range(min = 0))]
    pub termination_grace_period_seconds: Option<i64>,
    /// Whether the pods use the user namespace of the node; `false` gives them their own.
    pub host_users: Option<bool>,
}
