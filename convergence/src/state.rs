//! All objects of the declared kinds in one namespace. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::difference::Leaves;
use crate::plain::{Aliases, decode};

/// An object: its kind as on the command line of `kubectl`, and its name.
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

/// All objects, as the API server returned them.
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

/// Kinds whose status the operator neither writes nor waits for: Kubernetes' own controllers write it at any time.
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

    /// Whether the controllers of Kubernetes have nothing more to do: no object is being deleted, pods have started or ended,
    /// claims have the requested size, and every StatefulSet and DaemonSet has observed its spec.
    pub fn is_settled(&self) -> bool {
        self.0.iter().all(|(name, object)| {
            let is_deleting = !object["metadata"]["deletionTimestamp"].is_null();
            let held = object["metadata"]["finalizers"]
                .as_array()
                .is_some_and(|all| all.iter().any(|finalizer| finalizer == FOREIGN_FINALIZER));
            (!is_deleting || held)
                && match name.kind.as_str() {
                    "pods" => {
                        let phase = object["status"]["phase"].as_str();
                        phase.is_some_and(|phase| phase != "Pending") && !self.is_orphan(object)
                    }
                    "persistentvolumeclaims" => {
                        object["status"]["capacity"]["storage"]
                            == object["spec"]["resources"]["requests"]["storage"]
                    }
                    "statefulsets.apps" => self.is_set_settled(object),
                    "daemonsets.apps" => is_daemon_set_settled(object),
                    _ => true,
                }
        })
    }

    /// Whether none of its owners exists, so that it will be deleted too.
    fn is_orphan(&self, object: &Value) -> bool {
        let owners = object["metadata"]["ownerReferences"].as_array();
        let exists = |owner: &Value| self.0.values().any(|object| object["metadata"]["uid"] == owner["uid"]);
        owners.is_some_and(|owners| !owners.is_empty() && !owners.iter().any(exists))
    }

    fn is_set_settled(&self, set: &Value) -> bool {
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

    /// The kinds with objects that were created, changed or deleted since an earlier state.
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

    /// Every leaf that is compared. The namespace of the run is replaced by `NAMESPACE`, and each UID by the name of its
    /// object.
    pub fn leaves(&self, namespace: &str) -> Leaves {
        let (mut leaves, aliases) = (Leaves::new(), Aliases::of(self, namespace));
        for (name, object) in &self.0 {
            let owners = object["metadata"]["ownerReferences"].as_array();
            let numbered = owners.into_iter().flatten().any(|owner| owner["kind"] == "StatefulSet");
            let generated = object["metadata"]["generateName"].as_str().filter(|_| !numbered);
            let shown = generated.map_or_else(|| name.name.clone(), |start| format!("{start}*"));
            let name = Name { kind: name.kind.clone(), name: shown };
            let mut object = object.clone();
            for field in FIELDS {
                remove(&mut object, field);
            }
            if FOREIGN_STATUS.contains(&name.kind.as_str()) {
                remove(&mut object, "/status");
            }
            if name.kind == "secrets" {
                decode(&mut object);
            }
            remove_drift(&mut object);
            collect(&object, String::new(), &mut |path, value| {
                // Every settled state has a status of the current generation, so that is not compared.
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

/// Removes the message about corrected drift, which a status has for some minutes. Only plans with drift cause it.
fn remove_drift(object: &mut Value) {
    let conditions = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    let corrected = conditions.into_iter().flatten().filter(|one| one["reason"] == "DriftCorrected");
    for condition in corrected {
        (condition["reason"], condition["message"]) = ("".into(), "".into());
    }
}

/// Whether there is an up-to-date and ready pod on every node.
fn is_daemon_set_settled(set: &Value) -> bool {
    let status = &set["status"];
    let wanted = &status["desiredNumberScheduled"];
    let count = |field: &str| status[field].as_u64().unwrap_or(0);
    status["observedGeneration"] == set["metadata"]["generation"]
        && wanted.as_u64() == Some(count("numberReady"))
        && wanted.as_u64() == Some(count("updatedNumberScheduled"))
}

/// Whether a leaf is the UID of an owner, which differs between any two runs. `oracle` checks it.
fn is_owner(path: &str) -> bool {
    path.starts_with("/metadata/ownerReferences/") && path.ends_with("/uid")
}

/// Whether a leaf is an annotation or a label in which Kubernetes' own controllers store their state.
fn is_of_kubernetes(path: &str) -> bool {
    let counts = ["/annotations/deprecated.daemonset.template.generation", "/labels/pod-template-generation"];
    if path.strip_prefix("/metadata").is_some_and(|path| counts.contains(&path)) {
        return true;
    }
    let key = path.strip_prefix("/metadata/annotations/").and_then(|key| key.split_once("~1"));
    key.is_some_and(|(domain, _)| domain.ends_with("kubernetes.io"))
}

/// A finalizer that plans add to objects, as another controller would.
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

/// Visits every leaf. Elements of a list with a type or a name are identified by it, so that their order does not matter.
/// Empty maps and lists are leaves.
fn collect(value: &Value, path: String, leaf: &mut impl FnMut(String, &Value)) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (name, below) in map {
                collect(below, format!("{path}/{}", escape(name)), leaf);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for (at, below) in list.iter().enumerate() {
                let key = below["type"].as_str().or(below["name"].as_str());
                let step = key.map_or_else(|| at.to_string(), |key| format!("[{key}]"));
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
        State(objects.iter().map(|(kind, of, object)| (name(kind, of), object.clone())).collect())
    }

    #[test]
    fn generated_names_end_with_a_star() {
        let pod = |name: &str| json!({"metadata": {"name": name, "generateName": "job-"}});
        let leaves = |name: &str| state(&[("pods", name, pod(name))]).leaves("n");
        assert_eq!(Mask::between(&leaves("job-x"), &leaves("job-y")).len(), 1, "the name alone");
    }

    #[test]
    fn a_corrected_drift_is_no_difference() {
        let leaves = |reason: &str, message: &str| {
            let condition =
                json!({"type": "Reconciled", "status": "True", "reason": reason, "message": message});
            state(&[("prometheuses", "a", json!({"status": {"conditions": [condition]}}))]).leaves("n")
        };
        assert_eq!(leaves("DriftCorrected", "Secret n/a was changed"), leaves("", ""));
        assert_ne!(leaves("NoSelectedResources", "none"), leaves("", ""));
    }

    #[test]
    fn a_set_has_settled_when_its_status_counts_its_pods() {
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
        assert!(state(&[("statefulsets.apps", "a", set(1)), ("pods", "a-0", pod.clone())]).is_settled());
        assert!(!state(&[("statefulsets.apps", "a", set(0)), ("pods", "a-0", pod.clone())]).is_settled());
        pod["metadata"]["ownerReferences"][0]["uid"] = "2".into();
        assert!(!state(&[("pods", "a-0", pod)]).is_settled(), "its owner does not exist");
    }
}
