use api_example::ExampleApp;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Service};
use kernel::apply::Applied;

use super::*;
use crate::gather::{Credentials, Existing, Listed};
use crate::upgrade::Timing;
use crate::validate::validate;

fn inputs() -> Inputs {
    Inputs::empty("a", Credentials { username: "u".into(), password: "p".into() })
}

fn planned(app: &Value, inputs: &Inputs) -> Plan<ExampleOperator> {
    let app: ExampleApp = serde_json::from_value(app.clone()).unwrap();
    let valid = validate(&app, inputs, Timing::default()).unwrap();
    plan(&valid, inputs, Timestamp::UNIX_EPOCH)
}

#[test]
fn a_disconnected_object_is_not_changed_again() {
    let app = json!({
        "metadata": {"name": "a", "namespace": "n", "uid": "1", "deletionTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"appVersion": "0.0.1", "deletion": {"policy": "Disconnect"}},
    });
    let services = |is_ours: bool| {
        let service = Some(Existing { object: Service::default(), is_ours });
        let work = planned(&app, &Inputs { service, ..inputs() }).work;
        let all = work.waves.iter().flatten();
        all.filter(|object| *object.key().name == *"a" && object.kind.kind == "Service").count()
    };
    assert_eq!((services(true), services(false)), (1, 0));
}

/// An application of one instance, in a phase of an upgrade or in none.
fn app(upgrade: &Value) -> Value {
    json!({
        "metadata": {"name": "a", "namespace": "n", "uid": "1"},
        "spec": {"appVersion": "0.0.2", "storage": {"size": "2Gi"}},
        "status": {"currentVersion": "0.0.2", "upgrade": upgrade},
    })
}

fn list<K: serde::de::DeserializeOwned>(kind: kernel::declare::Kind, value: &Value) -> Listed<K> {
    let object = Object::new(serde_json::from_value(value.clone()).unwrap(), &kind.resource());
    Listed { items: vec![serde_json::from_value(value.clone()).unwrap()], objects: vec![Arc::new(object)] }
}

/// A `StatefulSet` whose pod is of an old revision and cannot be started.
fn stuck() -> Inputs {
    let set: StatefulSet = serde_json::from_value(json!({
        "metadata": {"name": "a", "namespace": "n", "uid": "2", "generation": 1},
        "spec": {"replicas": 1, "selector": {}, "template": {}},
        "status": {"replicas": 1, "observedGeneration": 1, "currentRevision": "old", "updateRevision": "new"},
    }))
    .unwrap();
    let pod = json!({
        "metadata": {
            "name": "a-0", "namespace": "n", "uid": "3", "labels": {"controller-revision-hash": "between"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "a", "uid": "2", "controller": true}],
        },
        "spec": {"containers": [{"name": "app", "image": "x:0.0.2"}]},
        "status": {"phase": "Pending", "containerStatuses": [{
            "name": "app", "ready": false, "restartCount": 0, "image": "", "imageID": "",
            "state": {"waiting": {"reason": "ImagePullBackOff"}},
        }]},
    });
    let set = Some(Existing { object: set, is_ours: true });
    Inputs { set, pods: list(POD, &pod), ..inputs() }
}

#[test]
fn a_pod_that_blocks_a_rollout_is_deleted_unless_its_data_may_be_of_another_version() {
    let deleted = |upgrade: &Value| planned(&app(upgrade), &stuck()).work.deletions.len();
    assert_eq!(deleted(&Value::Null), 1);
    let upgrade = |phase: &str| json!({"from": "0.0.1", "to": "0.0.2", "phase": phase, "since": "1970-01-01T00:00:00Z"});
    assert_eq!(deleted(&upgrade("ReturningData")), 0);
    assert_eq!(deleted(&upgrade("ReturningInstances")), 1);
}

#[test]
fn claims_grow_when_they_are_bound_and_are_counted_until_they_have_grown() {
    let grown = |phase: &str, size: &str, capacity: &str| {
        let claim = json!({
            "metadata": {"name": "data-a-0", "namespace": "n", "uid": "4"},
            "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": size}}},
            "status": {"phase": phase, "capacity": {"storage": capacity}},
        });
        let claims: Listed<PersistentVolumeClaim> = list(CLAIM, &claim);
        let plan = planned(&app(&Value::Null), &Inputs { claims, ..inputs() });
        (plan.work.touches.len(), plan.course.small_volumes, plan.course.actions.remarks(&Applied::default()))
    };
    let waiting = "claim data-a-0 requests 2Gi and does not have it yet".to_owned();
    assert_eq!(grown("Pending", "1Gi", "1Gi"), (0, 0, vec![]));
    assert_eq!(grown("Bound", "1Gi", "1Gi"), (1, 1, vec![]));
    assert_eq!(grown("Bound", "2Gi", "1Gi"), (0, 1, vec![waiting]));
    assert_eq!(grown("Bound", "2Gi", "2Gi"), (0, 0, vec![]));
}

#[test]
fn a_step_that_is_logged_shows_no_credentials() {
    let upgrade =
        json!({"from": "0.0.1", "to": "0.0.2", "phase": "Migrating", "since": "1970-01-01T00:00:00Z"});
    let credentials = Credentials { username: "name-of-user".into(), password: "pass-of-user".into() };
    let inputs = Inputs { credentials, ..stuck() };
    let step = planned(&app(&upgrade), &inputs).step.expect("writes are held during a migration");
    let logged = format!("{step:?} {inputs:?}");
    assert!(!logged.contains("-of-user"), "{logged}");
}
