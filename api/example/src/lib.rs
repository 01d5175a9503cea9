//! The `ExampleApp` of the CNCF Operator White Paper, with some more fields. Types only: no input, no output, no
//! decisions.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state of an application.
#[derive(CustomResource, JsonSchema, Debug, Clone, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "example-app.appdelivery.cncf.io",
    version = "v1alpha1",
    kind = "ExampleApp",
    plural = "exampleapps",
    shortname = "eapp",
    namespaced,
    status = "ExampleAppStatus",
    derive = "PartialEq",
    doc = "A small stateful application, run and upgraded by its operator.",
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Version", type_ = "string", json_path = ".status.currentVersion"),
    printcolumn(name = "Desired", type_ = "string", json_path = ".spec.appVersion"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        priority = 1
    ),
    printcolumn(name = "URL", type_ = "string", json_path = ".status.url", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct ExampleAppSpec {
    /// Version to run. The operator upgrades one minor version at a time, and does not downgrade.
    #[schemars(regex(pattern = r"^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$"), length(max = 64))]
    pub app_version: String,
    /// Features by name, enabled or disabled. A change does not restart instances.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, bool>,
    /// Whether backups are taken, and where they are stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<BackupSpec>,
    /// Number of instances. The first one receives the writes, the others serve reads.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// Processor and memory of each instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// The volume of each instance.
    #[serde(default)]
    pub storage: StorageSpec,
    /// Image without a tag, instead of the official one. The tag is always the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub image: Option<String>,
    /// Settings of upgrades.
    #[serde(default)]
    pub upgrade: UpgradeSpec,
    /// Whether the operator leaves all objects unchanged.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// What happens when this resource is deleted.
    #[serde(default)]
    pub deletion: DeletionSpec,
}

/// Settings of backups.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupSpec {
    /// Whether backups are taken.
    #[serde(default)]
    pub enabled: bool,
    /// Kind of store, such as `s3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_type: Option<String>,
    /// Host of the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Bucket in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket_name: Option<String>,
}

/// The volume of an instance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageSpec {
    /// Size. It can grow, not shrink.
    #[serde(default = "one_gibibyte")]
    pub size: Quantity,
    /// Storage class; the cluster's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<String>,
}

impl Default for StorageSpec {
    fn default() -> Self {
        Self { size: one_gibibyte(), class_name: None }
    }
}

/// Settings of upgrades.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeSpec {
    /// Seconds that each phase of an upgrade may take. After that, the upgrade is rolled back.
    #[serde(default = "five_minutes")]
    #[schemars(range(min = 1, max = 86400))]
    pub progress_deadline_seconds: i32,
}

impl Default for UpgradeSpec {
    fn default() -> Self {
        Self { progress_deadline_seconds: five_minutes() }
    }
}

/// What happens when the resource is deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletionSpec {
    /// Whether the application is removed.
    #[serde(default)]
    pub policy: DeletionPolicy,
    /// Whether its volumes are deleted.
    #[serde(default)]
    pub volumes: VolumePolicy,
}

/// Whether the application is removed with its resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeletionPolicy {
    /// Everything is removed.
    #[default]
    Uninstall,
    /// Everything keeps running, without an operator.
    Disconnect,
}

/// Whether volumes are deleted with an uninstalled application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum VolumePolicy {
    /// They stay, with their data.
    #[default]
    Keep,
    /// They are deleted.
    Delete,
}

/// The observed state of an application.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExampleAppStatus {
    /// The version in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<String>,
    /// URL of the application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The Secret with its credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_secret_name: Option<String>,
    /// State of backups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<BackupStatus>,
    /// The upgrade in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<UpgradeStatus>,
    /// The last upgrade, if it was rolled back. It is not tried again until the wanted version or image changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_upgrade: Option<FailedUpgrade>,
    /// Names of an adopted application, which ran before the operator was installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<AdoptedStatus>,
    /// Number of instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Number of instances that are ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_replicas: Option<i32>,
    /// Labels of the instances, for autoscalers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The generation that this status describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Conditions of the application.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// An upgrade in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeStatus {
    /// The version before it.
    pub from: String,
    /// The version after it.
    pub to: String,
    /// Its phase.
    pub phase: UpgradePhase,
    /// The time at which the phase started.
    pub since: Time,
    /// Why it is rolled back, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<UpgradeCause>,
}

/// Why an upgrade is rolled back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeCause {
    /// Reason in CamelCase.
    pub reason: String,
    /// Message for users.
    pub message: String,
}

/// The phase of an upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UpgradePhase {
    /// All instances except the first are replaced, one at a time.
    Followers,
    /// Writes are held, and the data are migrated.
    Migrating,
    /// The first instance is replaced.
    Writer,
    /// All instances run the new version and are watched for a time.
    Watching,
    /// The data are migrated back to the previous version.
    ReturningData,
    /// The instances are replaced with the previous version.
    ReturningInstances,
}

/// An upgrade that was rolled back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedUpgrade {
    /// The version of the upgrade.
    pub version: String,
    /// Its image, if it was not the official one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The time at which it was rolled back.
    pub time: Time,
    /// Why.
    #[serde(flatten)]
    pub cause: UpgradeCause,
}

/// Names of an adopted application, which ran before the operator was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdoptedStatus {
    /// The labels that select its instances.
    pub selector: BTreeMap<String, String>,
    /// The Service that gives its instances host names.
    pub service_name: String,
    /// The name of the volume with its data.
    pub claim_name: String,
    /// The Secret with its credentials.
    pub auth_secret_name: String,
    /// The `ConfigMap` with its features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features_name: Option<String>,
}

/// State of backups.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupStatus {
    /// The time at which the last backup finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_backup_time: Option<Time>,
}

fn one() -> i32 {
    1
}

fn five_minutes() -> i32 {
    300
}

fn one_gibibyte() -> Quantity {
    Quantity("1Gi".into())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests;
