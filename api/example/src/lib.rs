//! The `ExampleApp` of the CNCF Operator White Paper, field by field, with what a user expects beside them.
//! Types only: no input, no output, no decisions.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user wants of the application.
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
    /// Version to run. The operator goes there one minor version at a time and never back.
    #[schemars(regex(pattern = r"^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$"), length(max = 64))]
    pub app_version: String,
    /// Features by name, on or off. A change needs no restart.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, bool>,
    /// Where and whether backups are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<BackupSpec>,
    /// Number of instances. The first takes the writes, the others serve reads.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 100))]
    pub replicas: i32,
    /// Processor and memory of each instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// The volume of each instance.
    #[serde(default)]
    pub storage: StorageSpec,
    /// Image without a tag, in place of the official one. The tag is always the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub image: Option<String>,
    /// How upgrades are done.
    #[serde(default)]
    pub upgrade: UpgradeSpec,
    /// Whether the operator leaves everything as it is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// What happens when this resource is deleted.
    #[serde(default)]
    pub deletion: DeletionSpec,
}

/// Where backups go.
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

/// How upgrades are done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeSpec {
    /// Seconds that each stage of an upgrade may take. After that it is rolled back.
    #[serde(default = "five_minutes")]
    #[schemars(range(min = 1, max = 86400))]
    pub progress_deadline_seconds: i32,
}

impl Default for UpgradeSpec {
    fn default() -> Self {
        Self { progress_deadline_seconds: five_minutes() }
    }
}

/// What happens at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletionSpec {
    /// Whether the application goes too.
    #[serde(default)]
    pub policy: DeletionPolicy,
    /// Whether its volumes go with it.
    #[serde(default)]
    pub volumes: VolumePolicy,
}

/// Whether the application goes with its resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeletionPolicy {
    /// Everything is removed.
    #[default]
    Uninstall,
    /// Everything keeps running, without an operator.
    Disconnect,
}

/// Whether volumes go with an uninstalled application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum VolumePolicy {
    /// They stay, with their data.
    #[default]
    Keep,
    /// They are deleted.
    Delete,
}

/// What the operator says about the application.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExampleAppStatus {
    /// The version in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<String>,
    /// Where the application answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The Secret with its credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_secret_name: Option<String>,
    /// What is known about backups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<BackupStatus>,
    /// The upgrade under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<UpgradeStatus>,
    /// The last upgrade, if it was rolled back. It is not tried again until the wanted version or image changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_upgrade: Option<FailedUpgrade>,
    /// What was found of an application that ran before the operator came, and stays as it was.
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
    /// The generation that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// What holds and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// An upgrade under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeStatus {
    /// The version before it.
    pub from: String,
    /// The version after it.
    pub to: String,
    /// How far it is.
    pub phase: UpgradePhase,
    /// Since when.
    pub since: Time,
    /// Why it goes back, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<UpgradeCause>,
}

/// Why an upgrade goes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeCause {
    /// In one word.
    pub reason: String,
    /// In words that a person can act on.
    pub message: String,
}

/// How far an upgrade is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UpgradePhase {
    /// The instances that follow are replaced, one at a time.
    Followers,
    /// Writes wait, and the data are migrated.
    Migrating,
    /// The instance that takes the writes is replaced.
    Writer,
    /// Everything runs the new version and is watched for a while.
    Watching,
    /// The data go back to the version before.
    ReturningData,
    /// The instances go back to the version before.
    ReturningInstances,
}

/// An upgrade that was rolled back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedUpgrade {
    /// The version that did not come about.
    pub version: String,
    /// Its image, if it was not the official one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// When it was given up.
    pub time: Time,
    /// Why.
    #[serde(flatten)]
    pub cause: UpgradeCause,
}

/// What was found of an application that ran before the operator came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdoptedStatus {
    /// The labels by which its instances are found.
    pub selector: BTreeMap<String, String>,
    /// The Service that names its instances.
    pub service_name: String,
    /// The name of the volume with its data.
    pub claim_name: String,
    /// The Secret with its credentials.
    pub auth_secret_name: String,
    /// The `ConfigMap` with its features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features_name: Option<String>,
}

/// What is known about backups.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupStatus {
    /// When the last one was finished.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use kube::CustomResourceExt;
    use serde_json::json;

    use super::*;

    /// The white paper's example, with straight quotation marks and a whole time.
    const PAPER: &str = r#"
apiVersion: example-app.appdelivery.cncf.io/v1alpha1
kind: ExampleApp
metadata:
  name: appdelivery-example-app
spec:
  appVersion: 0.0.1
  features:
    exampleFeature1: true
    exampleFeature2: false
  backup:
    enabled: true
    storageType: "s3"
    host: "my-backup.example.com"
    bucketName: "example-backup"
status:
  currentVersion: 0.0.1
  url: https://myloadbalancer/exampleapp/
  authSecretName: appdelivery-example-app-auth
  backup:
    lastBackupTime: "2021-07-15T12:00:00Z"
"#;

    #[test]
    fn the_example_of_the_paper_is_read_whole() {
        let app: ExampleApp = serde_saphyr::from_str(PAPER).unwrap();
        assert_eq!(app.spec.app_version, "0.0.1");
        let mut written = serde_json::to_value(&app).unwrap();
        let defaults = written["spec"].as_object_mut().unwrap();
        for field in ["replicas", "storage", "upgrade", "deletion"] {
            assert!(defaults.remove(field).is_some(), "{field} has a default");
        }
        let expected: serde_json::Value = serde_saphyr::from_str(PAPER).unwrap();
        assert_eq!(written, expected, "nothing of it is lost");
    }

    #[test]
    fn a_resource_with_only_a_version_gets_defaults() {
        let spec: ExampleAppSpec = serde_json::from_value(json!({"appVersion": "0.1.0"})).unwrap();
        assert_eq!(spec.replicas, 1);
        assert_eq!(spec.storage.size, Quantity("1Gi".into()));
        assert_eq!(
            spec.deletion,
            DeletionSpec { policy: DeletionPolicy::Uninstall, volumes: VolumePolicy::Keep }
        );
    }

    #[test]
    fn the_definition_has_a_status_and_a_scale_and_is_small() {
        let definition = ExampleApp::crd();
        let version = &definition.spec.versions[0];
        let subresources = version.subresources.as_ref().unwrap();
        assert!(subresources.status.is_some() && subresources.scale.is_some());
        assert!(serde_json::to_vec(&definition).unwrap().len() < 256 * 1024);
    }
}
