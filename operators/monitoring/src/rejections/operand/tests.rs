use std::sync::Arc;

use api_monitoring::Prometheus;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::Named;
use serde_json::{Value, json};

use super::*;
use crate::OfPrometheus;
use crate::kind::Workload as _;

fn prometheus(spec: &Value) -> Prometheus {
    let metadata = json!({"name": "main", "namespace": "team", "generation": 7});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
}

fn own(replicas: i32) -> Prometheus {
    let jobs = json!({"name": "jobs", "key": "jobs.yaml"});
    prometheus(&json!({"version": "v3.13.1", "replicas": replicas, "additionalScrapeConfigs": jobs}))
}

fn secret(name: &str, version: &str, text: &str) -> Secret {
    let mut secret = Secret {
        data: Some([("jobs.yaml".to_owned(), ByteString(text.into()))].into()),
        ..Secret::default()
    };
    secret.metadata.namespace = Some("team".into());
    secret.metadata.name = Some(name.into());
    secret.metadata.resource_version = Some(version.into());
    secret
}

/// The state of a Prometheus with these Secrets, of which it references one.
fn state(resource: &Prometheus, secrets: [Secret; 2]) -> OperandState {
    let mut objects = Objects::default();
    for secret in secrets {
        objects.add_secret(secret);
    }
    let spec = serde_json::to_value(resource).unwrap()["spec"].clone();
    let own = Named::in_fields(&spec, OfPrometheus::REFERENCE_FIELDS).of_namespace("team");
    let inputs = Inputs { spec, own, objects: Arc::new(objects), ..Inputs::default() };
    OperandState::of("Prometheus 3.13.1", &inputs, &Planned::default())
}

#[test]
fn the_state_depends_on_the_spec_and_its_references() {
    let monitors = || secret("of-a-monitor", "1", "a");
    let first = state(&own(1), [secret("jobs", "1", "a"), monitors()]);
    assert_eq!((first.by.as_str(), first.workload.len()), ("Prometheus 3.13.1", 16));
    assert_ne!(state(&own(1), [secret("jobs", "2", "b"), monitors()]), first, "its own jobs changed");
    let image = prometheus(&json!({"version": "v3.13.1", "image": "full"}));
    assert_ne!(state(&image, [secret("jobs", "1", "a"), monitors()]), first);
}

#[test]
fn scaling_and_touches_do_not_change_the_state() {
    let first = state(&own(1), [secret("jobs", "1", "a"), secret("of-a-monitor", "1", "a")]);
    let other = state(&own(3), [secret("jobs", "2", "a"), secret("of-a-monitor", "2", "b")]);
    assert_eq!(first, other);
}

fn of(spec: &Value, image: &str, jobs: &str) -> String {
    let files = BTreeMap::from([("jobs".to_owned(), jobs.as_bytes().to_vec())]);
    workload_hash(spec, image, [Directory { path: "Secret team/own", files: &files }])
}

#[test]
fn everything_that_affects_acceptance_changes_the_hash() {
    let spec = json!({"image": "own", "version": "v3.13.1", "replicas": 1});
    let first = of(&spec, "own", "- job_name: a");
    assert_eq!(first.len(), HASH_LENGTH);
    assert_ne!(of(&json!({"image": "full", "version": "v3.13.1"}), "own", "- job_name: a"), first);
    assert_ne!(of(&spec, "full", "- job_name: a"), first, "the operator has another default");
    assert_ne!(of(&spec, "own", "- job_name: b"), first);
    assert_ne!(workload_hash(&spec, "own", []), first, "the Secret is missing");
}

#[test]
fn number_and_size_of_servers_do_not_change_the_hash() {
    let spec = json!({"version": "v3.13.1", "replicas": 1});
    let sizes = json!({"memory": "1Gi"});
    let scaled = json!({"version": "v3.13.1", "replicas": 2, "shards": 3, "paused": false, "resources": sizes, "storage": {}});
    assert_eq!(of(&spec, "own", ""), of(&scaled, "own", ""));
}
