//! Reads and writes resources, and generates the definition.

use kube::CustomResourceExt;
use serde_json::json;

use super::*;

/// The example of the white paper, with straight quotation marks and a complete time.
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
fn all_fields_of_the_example_of_the_paper_are_read() {
    let app: ExampleApp = serde_saphyr::from_str(PAPER).unwrap();
    assert_eq!(app.spec.app_version, "0.0.1");
    let mut written = serde_json::to_value(&app).unwrap();
    let defaults = written["spec"].as_object_mut().unwrap();
    for field in ["replicas", "storage", "upgrade", "deletion"] {
        assert!(defaults.remove(field).is_some(), "{field} has a default");
    }
    let expected: serde_json::Value = serde_saphyr::from_str(PAPER).unwrap();
    assert_eq!(written, expected, "all fields are kept");
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
