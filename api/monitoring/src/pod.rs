//! Fields of workloads about pods, volumes and rollouts.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    EmptyDirVolumeSource, EphemeralVolumeSource, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus,
    TopologySpreadConstraint as CoreConstraint,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::text;

/// DNS settings of a pod.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PodDnsConfig {
    /// IP addresses of more DNS servers.
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub nameservers: Vec<String>,
    /// More search domains for host name lookups.
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub searches: Vec<String>,
    /// More resolver options.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["name"]))]
    pub options: Vec<PodDnsConfigOption>,
}

/// One DNS resolver option.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct PodDnsConfigOption {
    /// Name of the option.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Value of the option, if it takes one.
    pub value: Option<String>,
}

text! {
    /// How a pod resolves DNS names.
    #[schemars(extend("enum" = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]))]
    DnsPolicy
}

text! {
    /// Which labels set by the operator a spread constraint also matches on.
    #[schemars(extend("enum" = ["OnResource", "OnShard"]))]
    AdditionalLabelSelectors
}

/// Rule that spreads pods over zones, nodes or other topology domains.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologySpreadConstraint {
    /// The constraint itself.
    #[serde(flatten)]
    pub constraint: CoreConstraint,
    /// Add the labels of the whole resource (`OnResource`) or of each shard (`OnShard`) to the selector.
    pub additional_label_selectors: Option<AdditionalLabelSelectors>,
}

/// Where a pod stores its data: an emptyDir, an ephemeral volume or a volume claim.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageSpec {
    /// Deprecated: mounts the data volume without a sub path; nothing replaces it.
    pub disable_mount_sub_path: bool,
    /// Store the data in an emptyDir, which is lost together with the pod.
    pub empty_dir: Option<EmptyDirVolumeSource>,
    /// Store the data in an ephemeral volume, which is deleted together with the pod.
    pub ephemeral: Option<EphemeralVolumeSource>,
    /// Volume claim created for each pod, so that the data is kept when the pod is deleted.
    pub volume_claim_template: EmbeddedClaim,
}

/// Host names for one IP address in the hosts file of a pod.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["ip", "hostnames"]))]
pub struct HostAlias {
    /// IP address of the entry.
    pub ip: String,
    /// Host names of the IP address.
    pub hostnames: Vec<String>,
}

/// Template of a persistent volume claim inside another object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EmbeddedClaim {
    /// Version of the claim, `v1`.
    pub api_version: Option<String>,
    /// Kind of the claim, `PersistentVolumeClaim`.
    pub kind: Option<String>,
    /// Name, labels and annotations of the claim.
    pub metadata: EmbeddedMetadata,
    /// Wanted size, class and access modes of the volume.
    pub spec: PersistentVolumeClaimSpec,
    /// Deprecated: has no effect, and nothing replaces it.
    pub status: PersistentVolumeClaimStatus,
}

/// Name, labels and annotations of an object that the operator creates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EmbeddedMetadata {
    /// Name of the created object.
    pub name: String,
    /// Labels of the created object.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the created object.
    pub annotations: BTreeMap<String, String>,
}

/// One extra command line argument of a container.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct Argument {
    /// Name of the argument, without leading dashes.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Value of the argument; empty for a bare flag.
    pub value: String,
}

text! {
    /// `OrderedReady` creates pods one after the other, `Parallel` all at once.
    #[schemars(extend("enum" = ["OrderedReady", "Parallel"]))]
    PodManagementPolicy
}

/// How a StatefulSet replaces its pods when their template changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["type"]), extend("x-kubernetes-validations" = [
    {"rule": "!(self.type != 'RollingUpdate' && has(self.rollingUpdate))", "message": "rollingUpdate requires type to be RollingUpdate"},
]))]
pub struct StatefulSetUpdateStrategy {
    /// Whether pods are replaced automatically or only after you delete them.
    #[serde(rename = "type")]
    pub type_: UpdateStrategyType,
    /// Settings of the `RollingUpdate` type.
    pub rolling_update: Option<RollingUpdateStatefulSetStrategy>,
}

/// Settings of the rolling update of a StatefulSet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdateStatefulSetStrategy {
    /// How many pods may be unavailable during the update, as number or percentage.
    pub max_unavailable: Option<IntOrString>,
}

text! {
    /// `RollingUpdate` replaces pods automatically, `OnDelete` after you delete them.
    #[schemars(extend("enum" = ["OnDelete", "RollingUpdate"]))]
    UpdateStrategyType
}
