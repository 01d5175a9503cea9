//! Every property of the spec, changed one at a time in a resource with a complete spec. A property whose change is rejected
//! (`storage.className`) or takes several phases (`appVersion`) has a scenario instead.

use serde_json::{Value, json};

use crate::scenario::Property;

/// Properties that are not changed here, and the scenario or the reason.
#[cfg(test)]
const ELSEWHERE: [(&str, &str); 3] = [
    ("appVersion", "scenario upgrade"),
    ("storage.className", "rejected once there are volumes; scenario refused-class"),
    ("paused", "nothing changes while it is set; scenario pause"),
];

pub(super) fn all() -> Vec<Property> {
    let both = |path: &'static str, change: Value, back: Value| Property { path, change, back: Some(back) };
    vec![
        both(
            "backup.bucketName",
            json!({"backup": {"bucketName": "other"}}),
            json!({"backup": {"bucketName": "backups"}}),
        ),
        both("backup.enabled", json!({"backup": {"enabled": true}}), json!({"backup": {"enabled": false}})),
        both(
            "backup.host",
            json!({"backup": {"host": "other.example.com"}}),
            json!({"backup": {"host": "store.example.com"}}),
        ),
        both(
            "backup.storageType",
            json!({"backup": {"storageType": "gcs"}}),
            json!({"backup": {"storageType": "s3"}}),
        ),
        both("backup", json!({"backup": null}), json!({"backup": super::scenarios::backup()})),
        both(
            "deletion.policy",
            json!({"deletion": {"policy": "Disconnect"}}),
            json!({"deletion": {"policy": "Uninstall"}}),
        ),
        both(
            "deletion.volumes",
            json!({"deletion": {"volumes": "Delete"}}),
            json!({"deletion": {"volumes": "Keep"}}),
        ),
        both(
            "features",
            json!({"features": {"one": false, "two": null, "three": true}}),
            json!({"features": {"one": true, "two": false, "three": null}}),
        ),
        both("image", json!({"image": "example.com/other"}), json!({"image": "example.com/app"})),
        // Volumes outlive instances, so changing it back has another result: scenario scale.
        Property { path: "replicas", change: json!({"replicas": 3}), back: None },
        both(
            "resources.requests",
            json!({"resources": {"requests": {"cpu": "20m"}}}),
            json!({"resources": {"requests": {"cpu": "15m"}}}),
        ),
        both(
            "resources.limits",
            json!({"resources": {"limits": {"memory": "300Mi"}}}),
            json!({"resources": {"limits": {"memory": "200Mi"}}}),
        ),
        both("resources", json!({"resources": null}), json!({"resources": super::scenarios::resources()})),
        Property { path: "storage.size", change: json!({"storage": {"size": "3Gi"}}), back: None },
        both(
            "upgrade.progressDeadlineSeconds",
            json!({"upgrade": {"progressDeadlineSeconds": 77}}),
            json!({"upgrade": {"progressDeadlineSeconds": 60}}),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of the properties in a schema, with dots. A type of Kubernetes counts as one property.
    fn paths(schema: &Value, path: &str, all: &mut Vec<String>) {
        let Some(properties) = schema["properties"].as_object().filter(|_| path != "resources") else {
            all.push(path.into());
            return;
        };
        for (name, below) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            paths(below, &path, all);
        }
    }

    #[test]
    fn every_property_of_the_schema_is_changed_in_a_test() {
        let definitions = (operator_example::PRODUCT.definitions)().unwrap();
        let [definition] = &definitions[..] else { panic!("{definitions:?}") };
        let definition = serde_json::to_value(definition.read().unwrap()).unwrap();
        let mut properties = Vec::new();
        let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        paths(schema, "", &mut properties);
        assert!(properties.len() > 10, "{properties:?}");
        for property in properties {
            let changed = all().iter().any(|known| known.path == property);
            let elsewhere = ELSEWHERE.iter().any(|(path, _)| *path == property);
            assert!(changed || elsewhere, "no test changes spec.{property}");
        }
    }
}
