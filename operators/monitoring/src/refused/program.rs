//! Whether a pod runs the program that its workload asks for: while another image or other arguments are rolled out, what
//! pods from before take or do not says nothing about those to come.

use std::collections::BTreeMap;

use crate::plan::{Child, Planned};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};

/// How the controller of StatefulSets tells which template a pod was made from.
const REVISION: &str = "controller-revision-hash";

/// An operand as pods start it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Program {
    pub(super) image: String,
    arguments: Vec<String>,
}

impl Program {
    /// That of the pods that are planned; nothing, if there are none.
    pub(super) fn planned(planned: &Planned) -> Option<Self> {
        let pods = planned.children.iter().find_map(|child| match child {
            Child::StatefulSet(set) => set.spec.as_ref()?.template.spec.as_ref(),
            Child::DaemonSet(set) => set.spec.as_ref()?.template.spec.as_ref(),
            Child::ConfigMap(_) | Child::Secret(_) | Child::Service(_) => None,
        });
        Self::of(pods?)
    }

    fn of(pods: &PodSpec) -> Option<Self> {
        // The operand is the first container, the reloader comes after it.
        let is_operand = |container: &&Container| !container.name.contains("reloader");
        let operand = pods.containers.iter().find(is_operand)?;
        let (command, arguments) = (operand.command.iter().flatten(), operand.args.iter().flatten());
        Some(Self {
            image: operand.image.clone().unwrap_or_default(),
            arguments: command.chain(arguments).cloned().collect(),
        })
    }

    /// Whether a pod runs it. Somebody may put other images into pods than were asked for: then it shows only in the
    /// revision, and of pods without one nobody can tell.
    pub(super) fn is_run_by(&self, pod: &Pod, sets: &BTreeMap<String, StatefulSet>) -> bool {
        let Some(set) = owner(pod).and_then(|name| sets.get(name)) else { return true };
        let is_same = || pod.spec.as_ref().and_then(Self::of).as_ref() == Some(self);
        let revision = pod.metadata.labels.as_ref().and_then(|labels| labels.get(REVISION));
        is_same() || (revision.is_some() && revision == newest(set))
    }
}

fn owner(pod: &Pod) -> Option<&str> {
    let owners = pod.metadata.owner_references.iter().flatten();
    let mut owners = owners.filter(|owner| owner.controller == Some(true) && owner.kind == "StatefulSet");
    owners.next().map(|owner| owner.name.as_str())
}

/// The revision of the template as it is now, if its controller has seen it.
fn newest(set: &StatefulSet) -> Option<&String> {
    let status = set.status.as_ref()?;
    let is_seen = status.observed_generation >= set.metadata.generation;
    status.update_revision.as_ref().filter(|_| is_seen)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn program(image: &str) -> Program {
        Program { image: image.into(), arguments: vec!["--a".into()] }
    }

    fn pod(image: &str, revision: &str) -> Pod {
        let owner = json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "name": "prometheus-main", "uid": "s", "controller": true,
        });
        let operand = json!({"name": "prometheus", "image": image, "args": ["--a"]});
        let object = json!({
            "metadata": {"name": "p", "ownerReferences": [owner], "labels": {REVISION: revision}},
            "spec": {"containers": [{"name": "config-reloader", "image": "r"}, operand]},
        });
        serde_json::from_value(object).unwrap()
    }

    fn sets(generation: i64, observed: i64) -> BTreeMap<String, StatefulSet> {
        let set = json!({
            "metadata": {"name": "prometheus-main", "generation": generation},
            "status": {"replicas": 1, "observedGeneration": observed, "updateRevision": "new"},
        });
        BTreeMap::from([("prometheus-main".to_owned(), serde_json::from_value(set).unwrap())])
    }

    #[test]
    fn pods_from_before_another_image_do_not_count() {
        let full = program("full");
        assert!(full.is_run_by(&pod("full", "old"), &sets(2, 2)));
        assert!(!full.is_run_by(&pod("own", "old"), &sets(2, 2)));
        assert!(full.is_run_by(&pod("mirror/full", "new"), &sets(2, 2)), "somebody put another one there");
        assert!(!full.is_run_by(&pod("own", "new"), &sets(3, 2)), "the newest is not known yet");
        assert!(full.is_run_by(&pod("own", "old"), &BTreeMap::new()), "nobody can tell");
    }
}
