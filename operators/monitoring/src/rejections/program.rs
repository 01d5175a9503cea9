//! Whether a pod runs the planned program. During a rollout of another image or other arguments, the response of the old pods
//! to a configuration does not hold for the new ones.

use std::collections::BTreeMap;

use crate::loaded::content::pod_template;
use crate::plan::Planned;
use crate::workload::labels;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The label with the revision of the template that a pod of a StatefulSet was created from.
const REVISION: &str = "controller-revision-hash";

/// The operand as pods start it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OperandProgram {
    /// The version label. Users may override it; then it has the same value in all planned pods.
    version: Option<String>,
    pub(super) image: String,
    arguments: Vec<String>,
}

impl OperandProgram {
    /// The program of the planned pods; none, if there are no pods.
    pub(super) fn planned(planned: &Planned) -> Option<Self> {
        let template = pod_template(planned)?;
        Self::of(template.metadata.as_ref()?, template.spec.as_ref()?)
    }

    fn of(metadata: &ObjectMeta, spec: &PodSpec) -> Option<Self> {
        // The operand is the first container, the reloader comes after it.
        let is_operand = |container: &&Container| !container.name.contains("reloader");
        let operand = spec.containers.iter().find(is_operand)?;
        let (command, arguments) = (operand.command.iter().flatten(), operand.args.iter().flatten());
        Some(Self {
            version: label(metadata, labels::VERSION).cloned(),
            image: operand.image.clone().unwrap_or_default(),
            arguments: command.chain(arguments).cloned().collect(),
        })
    }

    /// Whether a pod runs it. Admission webhooks may replace images in pods: then only the revision shows it. A pod without
    /// a known owner is not compared, except for its version.
    pub(super) fn is_run_by(&self, pod: &Pod, sets: &BTreeMap<String, StatefulSet>) -> bool {
        if label(&pod.metadata, labels::VERSION) != self.version.as_ref() {
            return false;
        }
        let Some(set) = owner(pod).and_then(|name| sets.get(name)) else { return true };
        let is_same =
            || pod.spec.as_ref().and_then(|spec| Self::of(&pod.metadata, spec)).as_ref() == Some(self);
        let revision = label(&pod.metadata, REVISION);
        is_same() || (revision.is_some() && revision == newest_revision(set))
    }
}

fn label<'m>(metadata: &'m ObjectMeta, name: &str) -> Option<&'m String> {
    metadata.labels.as_ref()?.get(name)
}

fn owner(pod: &Pod) -> Option<&str> {
    let owners = pod.metadata.owner_references.iter().flatten();
    let mut owners = owners.filter(|owner| owner.controller == Some(true) && owner.kind == "StatefulSet");
    owners.next().map(|owner| owner.name.as_str())
}

/// The revision of the current template, if the StatefulSet controller has observed it.
fn newest_revision(set: &StatefulSet) -> Option<&String> {
    let status = set.status.as_ref()?;
    let is_observed = status.observed_generation >= set.metadata.generation;
    status.update_revision.as_ref().filter(|_| is_observed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn program(image: &str) -> OperandProgram {
        OperandProgram { version: None, image: image.into(), arguments: vec!["--a".into()] }
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
    fn pods_with_the_previous_image_do_not_count() {
        let full = program("full");
        assert!(full.is_run_by(&pod("full", "old"), &sets(2, 2)));
        assert!(!full.is_run_by(&pod("own", "old"), &sets(2, 2)));
        assert!(full.is_run_by(&pod("mirror/full", "new"), &sets(2, 2)), "a webhook replaced the image");
        assert!(!full.is_run_by(&pod("own", "new"), &sets(3, 2)), "the newest is not known yet");
        assert!(full.is_run_by(&pod("own", "old"), &BTreeMap::new()), "the owner is not known");
    }

    #[test]
    fn only_pods_with_the_planned_version_label_count() {
        // The label of the pod, the label that is planned, and whether the pod counts.
        let cases = [
            (Some("3.13.0"), Some("3.13.0"), true),
            (Some("3.12.0"), Some("3.13.0"), false),
            // A user's own label.
            (Some("mine"), Some("mine"), true),
            (None, Some("3.13.0"), false),
            (None, None, true),
        ];
        for (label, planned, counts) in cases {
            let mut pod = pod("full", "new");
            let labels = pod.metadata.labels.get_or_insert_default();
            labels.extend(label.map(|label| (labels::VERSION.to_owned(), label.to_owned())));
            let program = OperandProgram { version: planned.map(Into::into), ..program("full") };
            assert_eq!(program.is_run_by(&pod, &BTreeMap::new()), counts, "{label:?} {planned:?}");
        }
    }
}
