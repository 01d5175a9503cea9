//! What is there: all objects of a subject's kinds in one namespace. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::difference::Leaves;
use crate::plain::{Aliases, unpack};

/// An object: its kind as `kubectl` takes it, and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// `configmaps`, `statefulsets.apps`.
    pub kind: String,
    /// Its name; a star replaces what the server generated.
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

/// Fields that differ between any two runs, or that do not concern the operators.
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
const FOREIGN_STATUS: [&str; 6] = [
    "statefulsets.apps",
    "daemonsets.apps",
    "services",
    "poddisruptionbudgets.policy",
    "jobs.batch",
    "secrets",
];

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
                    "daemonsets.apps" => is_daemon_calm(object),
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

    /// The kinds of which something is new, changed or gone since an earlier state.
    pub fn changed_since(&self, earlier: &Self) -> BTreeSet<String> {
        let version = |state: &Self, name: &Name| {
            state.0.get(name).map(|object| {
                let metadata = &object["metadata"];
                (metadata["uid"].clone(), metadata["resourceVersion"].clone())
            })
        };
        let names = self.0.keys().chain(earlier.0.keys());
        names
            .filter(|name| version(self, name) != version(earlier, name))
            .map(|name| name.kind.clone())
            .collect()
    }

    /// Every leaf that is worth comparing; the namespace of the run is written as `NAMESPACE`, and unique ids by whose
    /// they are.
    pub fn leaves(&self, namespace: &str) -> Leaves {
        let (mut leaves, aliases) = (Leaves::new(), Aliases::of(self, namespace));
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
            if name.kind == "secrets" {
                unpack(&mut object);
            }
            forget_drift(&mut object);
            collect(&object, String::new(), &mut |path, value| {
                // That a status is about the present generation is asked of every settled state.
                if is_of_kubernetes(&path) || is_owner(&path) || path.ends_with("/observedGeneration") {
                    return;
                }
                let value = match value.as_str() {
                    Some(text) => aliases.in_text(text).into(),
                    None => value.clone(),
                };
                leaves.insert((name.clone(), aliases.in_text(&path)), value);
            });
        }
        leaves
    }
}

/// For some minutes a status mentions drift that was corrected. Only plans with drift cause it.
fn forget_drift(object: &mut Value) {
    let conditions = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    let told = conditions.into_iter().flatten().filter(|one| one["reason"] == "DriftCorrected");
    for condition in told {
        (condition["reason"], condition["message"]) = ("".into(), "".into());
    }
}

/// Whether there is a pod of the wanted kind on every node, and ready.
fn is_daemon_calm(set: &Value) -> bool {
    let status = &set["status"];
    let wanted = &status["desiredNumberScheduled"];
    let count = |field: &str| status[field].as_u64().unwrap_or(0);
    status["observedGeneration"] == set["metadata"]["generation"]
        && wanted.as_u64() == Some(count("numberReady"))
        && wanted.as_u64() == Some(count("updatedNumberScheduled"))
}

/// The UID of an owner, which differs between any two runs. The oracle checks that it is the right one.
fn is_owner(path: &str) -> bool {
    path.starts_with("/metadata/ownerReferences/") && path.ends_with("/uid")
}

/// Annotations and labels by which Kubernetes' own controllers remember what they did, or did not have to do.
fn is_of_kubernetes(path: &str) -> bool {
    let counts = ["/annotations/deprecated.daemonset.template.generation", "/labels/pod-template-generation"];
    if path.strip_prefix("/metadata").is_some_and(|path| counts.contains(&path)) {
        return true;
    }
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

/// A name as a step of a JSON pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::difference::Mask;

    fn state(objects: &[(&str, &str, Value)]) -> State {
        let name = |kind: &str, name: &str| Name { kind: kind.into(), name: name.into() };
        State(objects.iter().map(|(kind, called, object)| (name(kind, called), object.clone())).collect())
    }

    #[test]
    fn names_that_the_server_made_up_are_stars() {
        let pod = |name: &str| json!({"metadata": {"name": name, "generateName": "job-"}});
        let leaves = |name: &str| state(&[("pods", name, pod(name))]).leaves("n");
        assert_eq!(Mask::between(&leaves("job-x"), &leaves("job-y")).len(), 1, "the name alone");
    }

    #[test]
    fn a_change_that_was_undone_is_no_difference() {
        let told = |reason: &str, message: &str| {
            let condition =
                json!({"type": "Reconciled", "status": "True", "reason": reason, "message": message});
            state(&[("prometheuses", "a", json!({"status": {"conditions": [condition]}}))]).leaves("n")
        };
        assert_eq!(told("DriftCorrected", "Secret n/a was changed"), told("", ""));
        assert_ne!(told("NoSelectedResources", "none"), told("", ""));
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
