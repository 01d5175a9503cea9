//! Relabeling steps: those that the operator adds, those of users, and the label that is forced on what users scrape.

use api_monitoring::relabel::RelabelConfig;
use formats::yaml::{Map, Value};
use monitoring_select::Server;

use crate::job::Resource;

/// The group of all resources that can be excluded from enforcement.
const GROUP: &str = "monitoring.coreos.com";

/// The first step of every job: it keeps the name of the job where users' steps find it.
pub(crate) fn first() -> Map {
    copy("job", "__tmp_prometheus_job_name")
}

/// Copies a label.
pub(crate) fn copy(source: impl Into<Value>, target: impl Into<Value>) -> Map {
    Map::new().with("source_labels", vec![source.into()]).with("target_label", target)
}

/// Copies a label that has a value.
pub(crate) fn copy_present(source: impl Into<Value>, target: impl Into<Value>) -> Map {
    copy(source, target).with("regex", "(.+)").with("replacement", "${1}")
}

/// Sets a label.
pub(crate) fn set(target: impl Into<Value>, value: impl Into<Value>) -> Map {
    Map::new().with("target_label", target).with("replacement", value)
}

/// Keeps what matches.
pub(crate) fn keep(sources: Vec<Value>, regex: impl Into<Value>) -> Map {
    Map::new().with("action", "keep").with("source_labels", sources).with("regex", regex)
}

/// Drops what matches.
pub(crate) fn drop(sources: Vec<Value>, regex: impl Into<Value>) -> Map {
    Map::new().with("action", "drop").with("source_labels", sources).with("regex", regex)
}

/// Drops pods that no longer run.
pub(crate) fn drop_finished() -> Map {
    drop(vec!["__meta_kubernetes_pod_phase".into()], "(Failed|Succeeded)")
}

/// Copies labels of an object (`service`, `pod`) to labels of the same names.
pub(crate) fn copy_labels<'a>(
    object: &'static str,
    labels: impl IntoIterator<Item = &'a String>,
) -> impl Iterator<Item = Map> {
    labels.into_iter().map(move |label| {
        let label = label_name(label);
        copy_present(format!("__meta_kubernetes_{object}_label_{label}"), label)
    })
}

/// A name of Kubernetes as the name of a label.
pub(crate) fn label_name(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

/// Steps of users.
pub(crate) fn configured(steps: &[RelabelConfig]) -> impl Iterator<Item = Map> {
    steps.iter().map(|step| {
        let mut map = Map::new();
        if !step.source_labels.is_empty() {
            map.push(
                "source_labels",
                step.source_labels.iter().map(|label| label.0.clone()).collect::<Vec<_>>(),
            );
        }
        if let Some(separator) = &step.separator {
            map.push("separator", separator.clone());
        }
        if !step.target_label.is_empty() {
            map.push("target_label", step.target_label.clone());
        }
        if !step.regex.is_empty() {
            map.push("regex", step.regex.clone());
        }
        if step.modulus != 0 {
            map.push("modulus", step.modulus);
        }
        if let Some(replacement) = &step.replacement {
            map.push("replacement", replacement.clone());
        }
        if !step.action.is_empty() {
            map.push("action", step.action.to_lowercase());
        }
        map
    })
}

/// The step that adds the namespace to everything that a resource scrapes, unless the resource is excluded. It comes
/// after the user's own steps, so that none of them can undo it.
pub(crate) fn enforced(server: &Server<'_>, resource: Resource<'_>) -> Option<Map> {
    let label = &server.spec.enforced_namespace_label;
    let excluded = || {
        server.spec.excluded_from_enforcement.iter().any(|exclusion| {
            exclusion.resource == resource.kind.plural()
                && (exclusion.group.is_empty() || exclusion.group == GROUP)
                && !exclusion.namespace.is_empty()
                && exclusion.namespace == resource.namespace
                && (exclusion.name.is_empty() || exclusion.name == resource.name)
        })
    };
    (!label.is_empty() && !excluded()).then(|| set(label.clone(), resource.namespace.to_owned()))
}

#[cfg(test)]
mod tests {
    use api_monitoring::SelectableKind;
    use api_monitoring::prometheus::shared::SharedSpec;
    use api_monitoring::reference::ObjectReference;
    use formats::version::Version;

    use super::*;

    #[test]
    fn a_step_is_written_in_the_order_of_its_fields() {
        let step = RelabelConfig {
            source_labels: vec!["a".into(), "b".into()],
            separator: Some(String::new()),
            target_label: "c".into(),
            regex: ".*".into(),
            modulus: 3,
            replacement: Some(String::new()),
            action: "HashMod".into(),
        };
        let expected = Map::new()
            .with("source_labels", vec!["a", "b"])
            .with("separator", "")
            .with("target_label", "c")
            .with("regex", ".*")
            .with("modulus", 3)
            .with("replacement", "")
            .with("action", "hashmod");
        assert_eq!(configured(&[step, RelabelConfig::default()]).collect::<Vec<_>>(), [expected, Map::new()]);
    }

    #[test]
    fn the_namespace_is_enforced_but_for_exclusions() {
        let excluded = |group: &str, namespace: &str, name: &str| ObjectReference {
            group: group.into(),
            resource: "probes".into(),
            namespace: namespace.into(),
            name: name.into(),
        };
        for (exclusion, expected) in [
            (excluded("", "ns", ""), false),
            (excluded(GROUP, "ns", "me"), false),
            (excluded(GROUP, "ns", "you"), true),
            (excluded(GROUP, "", ""), true),
            (excluded("other", "ns", ""), true),
        ] {
            let spec = SharedSpec {
                enforced_namespace_label: "tenant".into(),
                excluded_from_enforcement: vec![exclusion],
                ..SharedSpec::default()
            };
            let server = Server::new(("a", "b"), &spec, Version::new(3, 0, 0));
            let resource = Resource { kind: SelectableKind::Probe, namespace: "ns", name: "me" };
            assert_eq!(enforced(&server, resource), expected.then(|| set("tenant", "ns")));
        }
    }

    #[test]
    fn names_become_names_of_labels() {
        assert_eq!(label_name("app.kubernetes.io/näme-1_b"), "app_kubernetes_io_n_me_1_b");
    }
}
