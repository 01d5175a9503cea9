use std::sync::Arc;

use kernel::object::Object;
use serde_json::json;

use super::*;

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
        assert_eq!(rolled_out(&app, &applied), expected, "{updated} of 2");
    }
}
