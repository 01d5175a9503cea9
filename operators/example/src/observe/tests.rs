use std::sync::Arc;

use kernel::object::Object;
use serde_json::json;

use super::*;
use crate::gather::{Credentials, Existing};

#[test]
fn a_template_that_was_changed_back_is_rolled_out_when_its_pods_are() {
    let app: ExampleApp = serde_json::from_value(
        json!({"metadata": {"name": "a", "namespace": "n"}, "spec": {"appVersion": "0.0.1"}}),
    )
    .unwrap();
    for (updated, expected) in [(1, false), (2, true)] {
        let set = json!({
            "metadata": {"name": "a", "namespace": "n", "generation": 3},
            "spec": {"selector": {}, "template": {}},
            "status": {
                "observedGeneration": 3, "replicas": 2, "updatedReplicas": updated,
                "currentRevision": "one", "updateRevision": "one",
            },
        });
        let set = Object::new(serde_json::from_value(set).unwrap(), &STATEFUL_SET.resource());
        let mut applied = Applied::default();
        applied.objects.insert((STATEFUL_SET, Key::new("n", "a")), Arc::new(set));
        assert_eq!(is_rolled_out(&app, &applied), expected, "{updated} of 2");
    }
}

#[test]
fn the_port_is_that_of_the_service_that_was_just_written() {
    let app: ExampleApp = serde_json::from_value(
        json!({"metadata": {"name": "a", "namespace": "n"}, "spec": {"appVersion": "0.0.1"}}),
    )
    .unwrap();
    let service =
        |port: i32| json!({"metadata": {"name": "a", "namespace": "n"}, "spec": {"ports": [{"port": port}]}});
    let inputs = Inputs {
        service: Some(Existing { object: serde_json::from_value(service(79)).unwrap(), is_ours: true }),
        ..Inputs::empty("a", Credentials { username: "u".into(), password: "p".into() })
    };
    let written = Object::new(serde_json::from_value(service(80)).unwrap(), &SERVICE.resource());
    let mut applied = Applied::default();
    let port = |applied: &Applied| observe(&app, &inputs, applied).port;
    assert_eq!(port(&applied), Some(79), "nothing was written");
    applied.objects.insert((SERVICE, Key::new("n", "a")), Arc::new(written));
    assert_eq!(port(&applied), Some(80));
}
