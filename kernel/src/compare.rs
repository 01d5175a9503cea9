//! What differs between an object that we want and the one that is there, in the eyes of the server: it fills in
//! defaults, keeps what others added and writes quantities its own way. Pure; called by `apply`.
//!
//! A difference that is none costs one request that changes nothing. One that is missed is drift that nobody mends: in
//! doubt, things differ.

use serde_json::Value;

use crate::quantity::Amount;

/// Lists whose elements have names, and by which fields; all others are compared as a whole.
const KEYED: [(&str, &[&str]); 14] = [
    ("containers", &["name"]),
    ("env", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("hostAliases", &["ip"]),
    ("imagePullSecrets", &["name"]),
    ("initContainers", &["name"]),
    ("ownerReferences", &["uid"]),
    ("ports", &["containerPort", "port", "protocol"]),
    ("resizePolicy", &["resourceName"]),
    ("topologySpreadConstraints", &["topologyKey", "whenUnsatisfiable"]),
    ("volumeDevices", &["devicePath"]),
    ("volumeMounts", &["mountPath"]),
    ("volumes", &["name"]),
    ("webhooks", &["name"]),
];

/// Maps whose values are quantities.
const QUANTITIES: [&str; 5] = ["capacity", "hard", "limits", "overhead", "requests"];

/// What the server fills in by itself where a field is absent.
const DEFAULTS: [(&str, &str); 40] = [
    ("allowPrivilegeEscalation", "true"),
    ("apiVersion", "\"v1\""),
    ("automountServiceAccountToken", "true"),
    ("completionMode", "\"NonIndexed\""),
    ("creationTimestamp", "null"),
    ("defaultMode", "420"),
    ("dnsPolicy", "\"ClusterFirst\""),
    ("enableServiceLinks", "true"),
    ("failureThreshold", "3"),
    ("imagePullPolicy", "\"IfNotPresent\""),
    ("initialDelaySeconds", "0"),
    ("internalTrafficPolicy", "\"Cluster\""),
    ("ipFamilyPolicy", "\"SingleStack\""),
    ("minReadySeconds", "0"),
    ("optional", "false"),
    ("parallelism", "1"),
    ("partition", "0"),
    ("periodSeconds", "10"),
    ("persistentVolumeClaimRetentionPolicy", r#"{"whenDeleted":"Retain","whenScaled":"Retain"}"#),
    ("podManagementPolicy", "\"OrderedReady\""),
    ("preemptionPolicy", "\"PreemptLowerPriority\""),
    ("protocol", "\"TCP\""),
    ("readOnly", "false"),
    ("resources", "{}"),
    ("restartPolicy", "\"Always\""),
    ("revisionHistoryLimit", "10"),
    ("rollingUpdate", r#"{"partition":0}"#),
    ("schedulerName", "\"default-scheduler\""),
    ("scheme", "\"HTTP\""),
    ("securityContext", "{}"),
    ("sessionAffinity", "\"None\""),
    ("successThreshold", "1"),
    ("suspend", "false"),
    ("terminationGracePeriodSeconds", "30"),
    ("terminationMessagePath", "\"/dev/termination-log\""),
    ("terminationMessagePolicy", "\"File\""),
    ("timeoutSeconds", "1"),
    ("type", "\"ClusterIP\""),
    ("updateStrategy", r#"{"rollingUpdate":{"partition":0},"type":"RollingUpdate"}"#),
    ("volumeMode", "\"Filesystem\""),
];

/// What the server alone decides.
const ASSIGNED: [&str; 8] = [
    "clusterIP",
    "clusterIPs",
    "healthCheckNodePort",
    "ipFamilies",
    "nodePort",
    "serviceAccount",
    "targetPort",
    "volumeName",
];

/// The path of the first thing that we want and that is not so; nothing if `live` has all of `desired`.
pub fn missing(desired: &Value, live: &Value) -> Option<String> {
    lacks("", desired, live)
}

/// The path of the first thing besides metadata and status that is there, that we do not want, and that the server did
/// not fill in by itself.
pub fn surplus(desired: &Value, live: &Value) -> Option<String> {
    let live = live.as_object()?;
    let ours = |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata" | "status");
    live.iter().filter(|(name, _)| ours(name)).find_map(|(name, value)| exceeds(name, &desired[name], value))
}

fn lacks(name: &str, desired: &Value, live: &Value) -> Option<String> {
    let below =
        |step: &str, path: String| if path.is_empty() { step.to_owned() } else { format!("{step}.{path}") };
    match (desired, live) {
        (Value::Object(desired), _) => desired.iter().find_map(|(step, value)| {
            let present = live.get(step).unwrap_or(&Value::Null);
            let same = QUANTITIES.contains(&name) && is_same_amount(value, present);
            if same { None } else { lacks(step, value, present).map(|path| below(step, path)) }
        }),
        (Value::Array(wanted), Value::Array(present)) => {
            let keys = keys_of(name, wanted, present);
            let differs = if keys.is_empty() {
                wanted.len() != present.len()
                    || wanted
                        .iter()
                        .zip(present)
                        .any(|(wanted, present)| lacks("", wanted, present).is_some())
            } else {
                wanted.iter().any(|wanted| {
                    find(present, wanted, keys).is_none_or(|present| lacks("", wanted, present).is_some())
                })
            };
            differs.then(String::new)
        }
        _ if is_empty(desired) && is_empty(live) => None,
        _ => (desired != live).then(String::new),
    }
}

fn exceeds(name: &str, desired: &Value, live: &Value) -> Option<String> {
    if ASSIGNED.contains(&name) && desired.is_null() {
        return None;
    }
    if desired.is_null() {
        let default = DEFAULTS.iter().find(|(field, _)| *field == name);
        let is_default = default
            .is_some_and(|(_, text)| serde_json::from_str(text).is_ok_and(|value: Value| value == *live));
        return (!is_default && !is_empty(live)).then(|| name.to_owned());
    }
    match (desired, live) {
        (Value::Object(_), Value::Object(live)) => {
            let deeper = |(step, value): (&String, &Value)| exceeds(step, &desired[step], value);
            live.iter().find_map(deeper).map(|path| format!("{name}.{path}"))
        }
        (Value::Array(wanted), Value::Array(present)) => {
            let keys = keys_of(name, wanted, present);
            let counterpart = |(at, present): (usize, &Value)| {
                let wanted = if keys.is_empty() { wanted.get(at) } else { find(wanted, present, keys) };
                wanted.is_none_or(|wanted| exceeds("", wanted, present).is_some())
            };
            present.iter().enumerate().any(counterpart).then(|| name.to_owned())
        }
        _ => None,
    }
}

/// By which fields the elements of two lists are told apart; none if they have no names, or share one.
fn keys_of(list: &str, one: &[Value], other: &[Value]) -> &'static [&'static str] {
    let keys: &[&str] = KEYED.iter().find(|(name, _)| *name == list).map_or(&[], |(_, keys)| keys);
    let is_named = |list: &[Value]| {
        list.iter().all(|element| list.iter().filter(|other| is_namesake(element, other, keys)).count() == 1)
    };
    if is_named(one) && is_named(other) { keys } else { &[] }
}

/// Whether two elements have one name. What one of them does not say may be a default.
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
    fn what_the_server_fills_in_is_no_difference() {
        assert_eq!(missing(&wanted(), &present()), None);
        assert_eq!(surplus(&wanted(), &present()), None);
    }

    #[test]
    fn what_somebody_changed_is_missing() {
        for (path, value, says) in [
            ("/spec/replicas", json!(2), "spec.replicas"),
            ("/spec/args", json!(["x", "y", "z"]), "spec.args"),
            ("/spec/args", json!(["y", "x"]), "spec.args"),
            ("/metadata/labels/a", json!(null), "metadata.labels.a"),
            ("/spec/containers/0/name", json!("other"), "spec.containers"),
            ("/spec/containers/0/resources/requests/cpu", json!("2"), "spec.containers"),
        ] {
            let mut live = present();
            *live.pointer_mut(path).unwrap() = value;
            assert_eq!(missing(&wanted(), &live).as_deref(), Some(says), "{path}");
        }
    }

    #[test]
    fn what_somebody_added_is_surplus_and_not_missing() {
        for (path, value, says) in [
            ("/spec", json!({"hostNetwork": true}), "spec.hostNetwork"),
            ("/spec", json!({"dnsPolicy": "Default"}), "spec.dnsPolicy"),
            ("/spec", json!({"volumes": [{"name": "extra"}]}), "spec.volumes"),
            ("/spec/containers/0", json!({"image": "other"}), "spec.containers"),
        ] {
            let mut live = present();
            let place = live.pointer_mut(path).unwrap().as_object_mut().unwrap();
            place.extend(value.as_object().unwrap().clone());
            assert_eq!(missing(&wanted(), &live), None, "{path}");
            assert_eq!(surplus(&wanted(), &live).as_deref(), Some(says), "{path}");
        }
        let mut live = present();
        live["spec"]["containers"].as_array_mut().unwrap().push(json!({"name": "sidecar"}));
        assert_eq!(missing(&wanted(), &live), None, "a list with names may have more");
        assert_eq!(surplus(&wanted(), &live).as_deref(), Some("spec.containers"));
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
