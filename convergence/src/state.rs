//! What is there: all objects of a subject's kinds in one namespace. Pure: two states are compared, and what cannot be
//! the same in two runs is masked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

/// An object: its kind as `kubectl` takes it, and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// `configmaps`, `statefulsets.apps`.
    pub kind: String,
    /// Its name; a star stands for what the server made up.
    pub name: String,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// All objects, as the server gave them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State(pub BTreeMap<Name, Value>);

/// Every leaf of every object, by object and JSON pointer.
pub type Leaves = BTreeMap<(Name, String), Value>;

/// One leaf that differs.
#[derive(Debug, Clone, Copy)]
pub struct Difference<'a> {
    /// Of which object.
    pub name: &'a Name,
    /// Where.
    pub path: &'a str,
    /// What should be there.
    pub expected: Option<&'a Value>,
    /// What is there.
    pub found: Option<&'a Value>,
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |side: Option<&Value>| side.map_or_else(|| "nothing".into(), Value::to_string);
        write!(f, "{} {}: expected {}, found {}", self.name, self.path, said(self.expected), said(self.found))
    }
}

/// Leaves that are not compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mask(BTreeSet<(Name, String)>);

/// Fields that two runs never share, or that are nobody's of ours.
const FIELDS: [&str; 12] = [
    "/metadata/creationTimestamp",
    "/metadata/deletionGracePeriodSeconds",
    "/metadata/generation",
    "/metadata/managedFields",
    "/metadata/resourceVersion",
    "/metadata/selfLink",
    "/metadata/uid",
    "/spec/clusterIP",
    "/spec/clusterIPs",
    "/spec/volumeName",
    "/status/startTime",
    "/status/qosClass",
];

/// Kinds whose status the operator neither writes nor waits for: Kubernetes' own controllers fill it in when they will.
const FOREIGN_STATUS: [&str; 5] =
    ["statefulsets.apps", "services", "poddisruptionbudgets.policy", "jobs.batch", "secrets"];

impl State {
    /// One object.
    pub fn get(&self, kind: &str, name: &str) -> Option<&Value> {
        self.0.get(&Name { kind: kind.into(), name: name.into() })
    }

    /// All objects of a kind.
    pub fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |(name, _)| name.kind == kind).map(|(_, object)| object)
    }

    /// Whether Kubernetes has nothing more to do: nothing is on its way out, pods have come to something, claims have
    /// what they ask for, sets have seen what they should be.
    pub fn is_calm(&self) -> bool {
        self.0.iter().all(|(name, object)| {
            let leaving = !object["metadata"]["deletionTimestamp"].is_null();
            let held = object["metadata"]["finalizers"]
                .as_array()
                .is_some_and(|all| all.iter().any(|finalizer| finalizer == FOREIGN_FINALIZER));
            (!leaving || held)
                && match name.kind.as_str() {
                    "pods" => {
                        let phase = object["status"]["phase"].as_str();
                        phase.is_some_and(|phase| phase != "Pending") && !self.is_orphan(object)
                    }
                    "persistentvolumeclaims" => {
                        object["status"]["capacity"]["storage"]
                            == object["spec"]["resources"]["requests"]["storage"]
                    }
                    "statefulsets.apps" => self.is_set_calm(object),
                    _ => true,
                }
        })
    }

    /// Whether its owners are gone, so that it will go too.
    fn is_orphan(&self, object: &Value) -> bool {
        let owners = object["metadata"]["ownerReferences"].as_array();
        let is_there =
            |owner: &Value| self.0.values().any(|object| object["metadata"]["uid"] == owner["uid"]);
        owners.is_some_and(|owners| !owners.is_empty() && !owners.iter().any(is_there))
    }

    fn is_set_calm(&self, set: &Value) -> bool {
        let (spec, status) = (&set["spec"], &set["status"]);
        let pods = || self.of_kind("pods").filter(|pod| is_owned_by(pod, &set["metadata"]["uid"]));
        let ready = pods().filter(|pod| is_ready(pod)).count();
        let number =
            |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        status["observedGeneration"] == set["metadata"]["generation"]
            && number(&status["replicas"]) == pods().count()
            && number(&spec["replicas"]) == pods().count()
            && number(&status["readyReplicas"]) == ready
    }

    /// Every leaf that is worth comparing; the namespace of the run is written as `NAMESPACE`.
    pub fn leaves(&self, namespace: &str) -> Leaves {
        let mut leaves = Leaves::new();
        for (name, object) in &self.0 {
            let owners = object["metadata"]["ownerReferences"].as_array();
            let numbered = owners.into_iter().flatten().any(|owner| owner["kind"] == "StatefulSet");
            let made_up = object["metadata"]["generateName"].as_str().filter(|_| !numbered);
            let called = made_up.map_or_else(|| name.name.clone(), |start| format!("{start}*"));
            let name = Name { kind: name.kind.clone(), name: called };
            let mut object = object.clone();
            for field in FIELDS {
                remove(&mut object, field);
            }
            if FOREIGN_STATUS.contains(&name.kind.as_str()) {
                remove(&mut object, "/status");
            }
            collect(&object, String::new(), &mut |path, value| {
                // That a status is about the present generation is asked of every settled state.
                if is_of_kubernetes(&path) || is_owner(&path) || path.ends_with("/observedGeneration") {
                    return;
                }
                let value = match value.as_str() {
                    Some(text) => text.replace(namespace, "NAMESPACE").into(),
                    None => value.clone(),
                };
                leaves.insert((name.clone(), path), value);
            });
        }
        leaves
    }
}

/// The identity of an owner, which no two runs share. That it is the right one is asked of what the operator made.
fn is_owner(path: &str) -> bool {
    path.starts_with("/metadata/ownerReferences/") && path.ends_with("/uid")
}

/// Annotations by which Kubernetes' own controllers remember what they did, or did not have to do.
fn is_of_kubernetes(path: &str) -> bool {
    let key = path.strip_prefix("/metadata/annotations/").and_then(|key| key.split_once("~1"));
    key.is_some_and(|(domain, _)| domain.ends_with("kubernetes.io"))
}

/// A finalizer that a plan puts on objects as somebody else would.
pub const FOREIGN_FINALIZER: &str = "example.com/somebody-else";

fn is_owned_by(object: &Value, uid: &Value) -> bool {
    object["metadata"]["ownerReferences"]
        .as_array()
        .is_some_and(|all| all.iter().any(|owner| &owner["uid"] == uid))
}

/// Whether a condition of an object is true.
pub fn holds(object: &Value, condition: &str) -> bool {
    let all = object["status"]["conditions"].as_array();
    all.into_iter().flatten().any(|one| one["type"] == condition && one["status"] == "True")
}

/// Whether a pod is ready.
pub fn is_ready(pod: &Value) -> bool {
    holds(pod, "Ready")
}

fn remove(object: &mut Value, field: &str) {
    let Some((parent, last)) = field.rsplit_once('/') else { return };
    if let Some(parent) = object.pointer_mut(parent).and_then(Value::as_object_mut) {
        parent.remove(last);
    }
}

/// Walks to every leaf. Elements of a list that have a type or a name are found by it, so that their order is no
/// difference; empty maps and lists are leaves.
fn collect(value: &Value, path: String, leaf: &mut impl FnMut(String, &Value)) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (name, below) in map {
                collect(below, format!("{path}/{}", escape(name)), leaf);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for (at, below) in list.iter().enumerate() {
                let called = below["type"].as_str().or(below["name"].as_str());
                let step = called.map_or_else(|| at.to_string(), |called| format!("[{called}]"));
                collect(below, format!("{path}/{step}"), leaf);
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            leaf(path, value);
        }
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Whether a text is a point in time.
fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.parse::<k8s_openapi::jiff::Timestamp>().is_ok())
}

impl Mask {
    /// What differs between two runs in which nothing went wrong.
    pub fn between(one: &Leaves, other: &Leaves) -> Self {
        let keys: BTreeSet<&(Name, String)> = one.keys().chain(other.keys()).collect();
        Self(keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).cloned().collect())
    }

    /// How many leaves are masked.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is masked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is masked, a line each.
    pub fn describe(&self) -> Vec<String> {
        self.0.iter().map(|(name, path)| format!("           masked {name} {path}")).collect()
    }

    /// The differences that matter, a line each. `ignored` says which never do.
    pub fn differences(
        &self,
        expected: &Leaves,
        found: &Leaves,
        ignored: impl Fn(&Difference<'_>) -> bool,
    ) -> Vec<String> {
        let keys: BTreeSet<&(Name, String)> = expected.keys().chain(found.keys()).collect();
        let mut lines = Vec::new();
        for key in keys {
            let (name, path) = key;
            let difference = Difference { name, path, expected: expected.get(key), found: found.get(key) };
            let Difference { expected, found, .. } = difference;
            let times = expected.is_some_and(is_time) && found.is_some_and(is_time);
            if expected != found && !times && !self.0.contains(key) && !ignored(&difference) {
                lines.push(difference.to_string());
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state(objects: &[(&str, &str, Value)]) -> State {
        let name = |kind: &str, name: &str| Name { kind: kind.into(), name: name.into() };
        State(objects.iter().map(|(kind, called, object)| (name(kind, called), object.clone())).collect())
    }

    #[test]
    fn what_differs_without_a_fault_is_no_difference() {
        let run = |namespace: &str, password: &str, size: &str| {
            let object = json!({
                "metadata": {"name": "a", "namespace": namespace, "uid": password, "labels": {"a/b": "1"}},
                "data": {"password": password, "size": size},
            });
            state(&[("secrets", "a", object)]).leaves(namespace)
        };
        let (one, two) = (run("plan-1", "x", "1"), run("plan-2", "y", "1"));
        let mask = Mask::between(&one, &two);
        assert_eq!(mask.len(), 1);
        assert_eq!(mask.differences(&one, &run("plan-3", "z", "1"), |_| false), Vec::<String>::new());
        assert_eq!(
            mask.differences(&one, &run("plan-3", "z", "2"), |_| false),
            ["secrets/a /data/size: expected \"1\", found \"2\""]
        );
        let gone = mask.differences(&one, &Leaves::new(), |_| false);
        assert!(gone.contains(&"secrets/a /metadata/labels/a~1b: expected \"1\", found nothing".to_owned()));
    }

    #[test]
    fn names_that_the_server_made_up_are_stars() {
        let pod = |name: &str| json!({"metadata": {"name": name, "generateName": "job-"}});
        let leaves = |name: &str| state(&[("pods", name, pod(name))]).leaves("n");
        assert_eq!(Mask::between(&leaves("job-x"), &leaves("job-y")).len(), 1, "the name alone");
    }

    #[test]
    fn a_set_is_calm_when_its_pods_are_counted() {
        let set = |ready: u8| {
            json!({
                "metadata": {"uid": "1", "generation": 2}, "spec": {"replicas": 1},
                "status": {"observedGeneration": 2, "replicas": 1, "readyReplicas": ready},
            })
        };
        let mut pod = json!({
            "metadata": {"ownerReferences": [{"uid": "1"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        });
        assert!(state(&[("statefulsets.apps", "a", set(1)), ("pods", "a-0", pod.clone())]).is_calm());
        assert!(!state(&[("statefulsets.apps", "a", set(0)), ("pods", "a-0", pod.clone())]).is_calm());
        pod["metadata"]["ownerReferences"][0]["uid"] = "2".into();
        assert!(!state(&[("pods", "a-0", pod)]).is_calm(), "its owner is gone");
    }
}
