//! What differs between a desired object and the present one. The server sets defaults, keeps what others added and
//! normalises quantities: these are not differences. Pure; called by `apply`.
//!
//! A false difference costs one request that changes nothing. A missed one is drift that is never corrected: if uncertain,
//! values differ.

mod renamed;
mod tables;

use serde_json::Value;

pub use self::renamed::with_our_names;
use self::tables::{ASSIGNED, DEFAULTS, DROPPED, KEYED, MAPS, QUANTITIES, WHOLE};
use crate::quantity::Amount;

/// The path of the first desired value that `live` does not have; `None` if it has all.
pub fn missing(desired: &Value, live: &Value) -> Option<String> {
    lacks("", desired, live, Additional::Differs)
}

/// The path of the first value besides metadata and status that is present, not desired, and no default of the server.
pub fn surplus(desired: &Value, live: &Value) -> Option<String> {
    let live = live.as_object()?;
    let ours = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata" | "status");
    live.iter().filter(|(name, _)| ours(name)).find_map(|(name, value)| exceeds(name, desired, value))
}

/// Whether all that is not desired of this field of `parent` is a default of the server.
pub fn is_filled_in(name: &str, parent: &Value, live: &Value) -> bool {
    exceeds(name, parent, live).is_none()
}

/// Whether a desired value of this field certainly differs. Additional values do not count: the server, or a webhook, may
/// add them to every write.
pub fn is_denied(name: &str, desired: &Value, live: &Value) -> bool {
    lacks(name, desired, live, Additional::Same).is_some()
}

/// Whether additional values that may matter count as a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Additional {
    Differs,
    Same,
}

fn below(step: &str, path: &str) -> String {
    if path.is_empty() { step.to_owned() } else { format!("{step}.{path}") }
}

fn lacks(name: &str, desired: &Value, live: &Value, additional: Additional) -> Option<String> {
    match (desired, live) {
        (Value::Object(wanted), Value::Null) if wanted.is_empty() && !MAPS.contains(&name) => {
            Some(String::new())
        }
        (Value::Object(wanted), _) => {
            let differs = wanted.iter().find_map(|(step, value)| {
                let present = live.get(step).unwrap_or(&Value::Null);
                let same = QUANTITIES.contains(&name) && is_same_amount(value, present);
                if same {
                    None
                } else {
                    lacks(step, value, present, additional).map(|path| below(step, &path))
                }
            });
            let more = || {
                let is_one = additional == Additional::Differs && WHOLE.contains(&name);
                is_one.then(|| more_than(desired, live)).flatten()
            };
            differs.or_else(more)
        }
        (Value::Array(wanted), Value::Array(present)) => {
            let keys = keys_of(name, wanted, present);
            let has_all = match (keys, additional) {
                ([], Additional::Differs) => {
                    wanted.len() == present.len()
                        && wanted.iter().zip(present).all(|(wanted, present)| is_same(wanted, present))
                }
                ([], Additional::Same) => wanted.iter().all(|wanted| {
                    present.iter().any(|present| lacks("", wanted, present, additional).is_none())
                }),
                _ => has_named(wanted, present, keys, additional),
            };
            (!has_all).then(String::new)
        }
        _ if QUANTITIES.contains(&name) && is_same_amount(desired, live) => None,
        _ if live.is_null() && is_dropped(name, desired) => None,
        _ => (desired != live).then(String::new),
    }
}

/// Whether two elements without a name are equal: they are values, so additional fields count.
fn is_same(wanted: &Value, present: &Value) -> bool {
    lacks("", wanted, present, Additional::Differs).is_none() && more_than(wanted, present).is_none()
}

/// Whether a list has all desired elements, by name and in this order.
fn has_named(wanted: &[Value], present: &[Value], keys: &[&str], additional: Additional) -> bool {
    let mut rest = present.iter();
    wanted.iter().all(|wanted| {
        let found = rest.find(|present| is_namesake(wanted, present, keys));
        found.is_some_and(|present| lacks("", wanted, present, additional).is_none())
    })
}

/// What is present and not desired of an object.
fn more_than(desired: &Value, live: &Value) -> Option<String> {
    live.as_object()?.iter().find_map(|(step, value)| exceeds(step, desired, value))
}

/// What is present and not desired of the field `name` of `parent`.
fn exceeds(name: &str, parent: &Value, live: &Value) -> Option<String> {
    let desired = parent.get(name).unwrap_or(&Value::Null);
    if desired.is_null() {
        let is_default = |(field, text): &(&str, &str)| {
            *field == name && serde_json::from_str(text).is_ok_and(|value: Value| value == *live)
        };
        if ASSIGNED.contains(&name) || DEFAULTS.iter().any(is_default) || follows(name, parent, live) {
            return None;
        }
    }
    match (desired, live) {
        (Value::Null | Value::Object(_), Value::Object(_)) => {
            more_than(desired, live).map(|path| below(name, &path))
        }
        (Value::Array(wanted), Value::Array(present)) => {
            let keys = keys_of(name, wanted, present);
            let is_surplus = |(at, present): (usize, &Value)| {
                let wanted = if keys.is_empty() { wanted.get(at) } else { find(wanted, present, keys) };
                wanted.is_none_or(|wanted| more_than(wanted, present).is_some())
            };
            present.iter().enumerate().any(is_surplus).then(|| name.to_owned())
        }
        _ => (desired.is_null() && !is_empty(live)).then(|| name.to_owned()),
    }
}

/// Whether the server derived this value from its siblings.
fn follows(name: &str, parent: &Value, live: &Value) -> bool {
    let image = |parent: &Value| {
        let image = parent["image"].as_str()?.rsplit('/').next()?;
        let latest = !image.contains('@') && image.split_once(':').is_none_or(|(_, tag)| tag == "latest");
        Some(if latest { "Always" } else { "IfNotPresent" })
    };
    match name {
        "imagePullPolicy" => image(parent).is_some_and(|policy| live == policy),
        "targetPort" => parent["port"] == *live,
        _ => false,
    }
}

/// The fields that identify the elements of two lists; empty if the elements have no names, or names that are not unique.
fn keys_of(list: &str, one: &[Value], other: &[Value]) -> &'static [&'static str] {
    let keys: &[&str] = KEYED.iter().find(|(name, _)| *name == list).map_or(&[], |(_, keys)| keys);
    let is_named = |list: &[Value]| {
        list.iter().all(|element| list.iter().filter(|other| is_namesake(element, other, keys)).count() == 1)
    };
    if is_named(one) && is_named(other) { keys } else { &[] }
}

/// Whether two elements have the same name. A key that one of them lacks may be a default.
fn is_namesake(one: &Value, other: &Value, keys: &[&str]) -> bool {
    let pairs = || keys.iter().filter_map(|key| Some((one.get(key)?, other.get(key)?)));
    pairs().count() > 0 && pairs().all(|(one, other)| one == other)
}

fn find<'a>(list: &'a [Value], element: &Value, keys: &[&str]) -> Option<&'a Value> {
    list.iter().find(|other| is_namesake(element, other, keys))
}

fn is_same_amount(one: &Value, other: &Value) -> bool {
    let amount = |value: &Value| Amount::parse(value.as_str()?);
    amount(one).is_some_and(|one| amount(other) == Some(one))
}

/// Whether the server drops this value of this field.
fn is_dropped(name: &str, desired: &Value) -> bool {
    let nothing = [Value::from(false), Value::from(0), Value::from("")];
    is_empty(desired) || (DROPPED.contains(&name) && nothing.contains(desired))
}

/// An empty map or list and an absent one are the same to the server.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.values().all(is_empty),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn wanted() -> Value {
        json!({"metadata": {"labels": {"a": "1"}}, "spec": {
            "args": ["x", "y"],
            "containers": [{"name": "app", "ports": [{"containerPort": 80}], "resources": {"requests": {"cpu": "1000m"}}}],
            "volumes": [], "replicas": 3,
        }})
    }

    fn present() -> Value {
        json!({"metadata": {"labels": {"a": "1", "foreign": "x"}, "uid": "1"}, "spec": {
            "args": ["x", "y"], "dnsPolicy": "ClusterFirst", "securityContext": {},
            "containers": [{
                "name": "app", "ports": [{"containerPort": 80, "protocol": "TCP"}],
                "resources": {"requests": {"cpu": "1"}}, "terminationMessagePath": "/dev/termination-log",
            }],
            "replicas": 3,
        }, "status": {"replicas": 2}})
    }

    #[test]
    fn defaults_of_the_server_are_not_differences() {
        assert_eq!(missing(&wanted(), &present()), None);
        assert_eq!(surplus(&wanted(), &present()), None);
    }

    #[test]
    fn a_value_that_another_writer_changed_is_missing() {
        for (path, value, expected) in [
            ("/spec/replicas", json!(2), "spec.replicas"),
            ("/spec/args", json!(["x", "y", "z"]), "spec.args"),
            ("/spec/args", json!(["y", "x"]), "spec.args"),
            ("/metadata/labels/a", json!(null), "metadata.labels.a"),
            ("/spec/containers/0/name", json!("other"), "spec.containers"),
            ("/spec/containers/0/resources/requests/cpu", json!("2"), "spec.containers"),
        ] {
            let mut live = present();
            *live.pointer_mut(path).unwrap() = value;
            assert_eq!(missing(&wanted(), &live).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn a_value_that_another_writer_added_is_surplus_and_not_missing() {
        for (path, value, expected) in [
            ("/spec", json!({"hostNetwork": true}), "spec.hostNetwork"),
            ("/spec", json!({"dnsPolicy": "Default"}), "spec.dnsPolicy"),
            ("/spec", json!({"volumes": [{"name": "extra"}]}), "spec.volumes"),
            ("/spec/containers/0", json!({"image": "other"}), "spec.containers"),
        ] {
            let mut live = present();
            let place = live.pointer_mut(path).unwrap().as_object_mut().unwrap();
            place.extend(value.as_object().unwrap().clone());
            assert_eq!(missing(&wanted(), &live), None, "{path}");
            assert_eq!(surplus(&wanted(), &live).as_deref(), Some(expected), "{path}");
        }
        let mut live = present();
        live["spec"]["containers"].as_array_mut().unwrap().push(json!({"name": "sidecar"}));
        assert_eq!(missing(&wanted(), &live), None, "a list with names may have additional elements");
        assert_eq!(surplus(&wanted(), &live).as_deref(), Some("spec.containers"));
    }

    #[test]
    fn maps_that_are_one_value_have_no_additional_keys() {
        for (desired, live, expected) in [
            (json!({"selector": {"a": "1"}}), json!({"selector": {"a": "1", "b": "2"}}), "selector.b"),
            (
                json!({"selector": {"matchLabels": {"a": "1"}}}),
                json!({"selector": {"matchLabels": {"a": "1", "b": "2"}}}),
                "selector.matchLabels.b",
            ),
            (
                json!({"tolerations": [{"key": "a"}]}),
                json!({"tolerations": [{"key": "a", "tolerationSeconds": 5}]}),
                "tolerations",
            ),
        ] {
            assert_eq!(missing(&desired, &live).as_deref(), Some(expected));
        }
        let claim = |more: Value| {
            let mut claim = json!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}});
            claim["spec"].as_object_mut().unwrap().extend(more["spec"].as_object().unwrap().clone());
            json!({"volumeClaimTemplates": [claim]})
        };
        let mut filled = claim(json!({"spec": {"volumeMode": "Filesystem"}}));
        filled["volumeClaimTemplates"][0]["kind"] = "PersistentVolumeClaim".into();
        filled["volumeClaimTemplates"][0]["status"] = json!({"phase": "Pending"});
        assert_eq!(missing(&claim(json!({"spec": {}})), &filled), None);
        let other = claim(json!({"spec": {"storageClassName": "fast"}}));
        assert_eq!(missing(&claim(json!({"spec": {}})), &other).as_deref(), Some("volumeClaimTemplates"));
    }

    #[test]
    fn additional_values_are_not_denied() {
        for (desired, live, expected) in [
            (json!({"selector": {"a": "1"}}), json!({"selector": {"a": "1", "b": "2"}}), false),
            (json!({"selector": {"a": "1", "b": "2"}}), json!({"selector": {"a": "1"}}), true),
            (json!({"claims": []}), json!({"claims": [{"size": 1}]}), false),
            (json!({"claims": [{"size": 1}]}), json!({"claims": [{"size": 1, "class": "x"}]}), false),
            (json!({"claims": [{"size": 2}]}), json!({"claims": [{"size": 1}]}), true),
            (json!({"claims": [{"size": 1}, {"size": 2}]}), json!({"claims": [{"size": 1}]}), true),
        ] {
            assert_eq!(is_denied("", &desired, &live), expected, "{desired} {live}");
        }
    }

    #[test]
    fn the_order_of_named_elements_counts() {
        let env = |names: &[&str]| json!({"env": names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>()});
        assert_eq!(missing(&env(&["a", "b"]), &env(&["x", "a", "y", "b"])), None);
        assert_eq!(missing(&env(&["b", "a"]), &env(&["a", "b"])).as_deref(), Some("env"));
    }

    #[test]
    fn values_that_the_server_drops_are_not_missing() {
        for (desired, same) in [
            (json!({"labels": {}}), true),
            (json!({"volumes": []}), true),
            (json!({"hostNetwork": false}), true),
            (json!({"value": ""}), true),
            (json!({"initialDelaySeconds": 0}), true),
            (json!({"emptyDir": {}}), false),
            (json!({"namespaceSelector": {}}), false),
            (json!({"allowPrivilegeEscalation": false}), false),
            (json!({"storageClassName": ""}), false),
            (json!({"runAsUser": 0}), false),
        ] {
            assert_eq!(missing(&desired, &json!({})).is_none(), same, "{desired}");
        }
        assert_eq!(missing(&json!({"sizeLimit": "1024Mi"}), &json!({"sizeLimit": "1Gi"})), None);
    }

    #[test]
    fn values_that_the_server_derives_are_not_surplus() {
        let pull = |image: &str, policy: &str| {
            let list = |one: Value| json!({"spec": {"containers": [one]}});
            surplus(
                &list(json!({"name": "a", "image": image})),
                &list(json!({"name": "a", "image": image, "imagePullPolicy": policy})),
            )
        };
        for (image, policy) in [
            ("app", "Always"),
            ("host:5000/app", "Always"),
            ("host:5000/app:latest", "Always"),
            ("app:1", "IfNotPresent"),
            ("app@sha256:00", "IfNotPresent"),
        ] {
            assert_eq!(pull(image, policy), None, "{image}");
            assert!(pull(image, "Never").is_some(), "{image}");
        }
        let ports = |port: Value| json!({"spec": {"ports": [port]}});
        let desired = ports(json!({"port": 80}));
        assert_eq!(surplus(&desired, &ports(json!({"port": 80, "targetPort": 80}))), None);
        assert!(surplus(&desired, &ports(json!({"port": 80, "targetPort": 81}))).is_some());
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3u8).prop_map(Value::from),
            "[a-c]".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let name =
                prop_oneof![Just("spec"), Just("containers"), Just("name"), Just("args"), Just("limits")];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map(name.prop_map(String::from), inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn nothing_differs_from_itself(value in json()) {
            prop_assert_eq!(missing(&value, &value), None);
            prop_assert_eq!(surplus(&value, &value), None);
        }
    }
}
