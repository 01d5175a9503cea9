//! Relabeling steps: those that the operator adds, those of users, and the one that enforces the namespace label.

use api_monitoring::relabel::RelabelConfig;
use formats::yaml::{Map, Value};
use monitoring_select::Server;

use crate::job::Resource;

/// The first step of every job: it copies the name of the job to a label that users' steps can use.
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

/// The steps of a user, and then the one that adds the namespace to everything that a resource scrapes, unless the resource is
/// excluded. It is the last one, so that none of the user's steps can undo it.
pub fn with_enforced(server: &Server<'_>, resource: Resource<'_>, own: &[RelabelConfig]) -> Vec<Map> {
    let Resource { kind, namespace, name } = resource;
    let label = &server.spec.enforced_namespace_label;
    let mut excluded = server.spec.excluded_from_enforcement.iter();
    let is_excluded = label.is_empty() || excluded.any(|one| one.refers_to(kind, namespace, name));
    let enforced = (!is_excluded).then(|| set(label.clone(), namespace.to_owned()));
    configured(own).chain(enforced).collect()
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
    fn the_namespace_is_enforced_last_unless_the_resource_is_excluded() {
        let excluded = |name: &str| ObjectReference {
            group: String::new(),
            resource: "probes".into(),
            namespace: "ns".into(),
            name: name.into(),
        };
        let own = [RelabelConfig { action: "labeldrop".into(), ..RelabelConfig::default() }];
        let users = Map::new().with("action", "labeldrop");
        for (label, name, expected) in [
            ("tenant", "other", vec![users.clone(), set("tenant", "ns")]),
            ("tenant", "name", vec![users.clone()]),
            ("", "other", vec![users.clone()]),
        ] {
            let spec = SharedSpec {
                enforced_namespace_label: label.into(),
                excluded_from_enforcement: vec![excluded(name)],
                ..SharedSpec::default()
            };
            let server = Server::new(("a", "b"), &spec, Version::new(3, 0, 0));
            let resource = Resource { kind: SelectableKind::Probe, namespace: "ns", name: "name" };
            assert_eq!(with_enforced(&server, resource, &own), expected);
        }
    }

    #[test]
    fn names_become_names_of_labels() {
        assert_eq!(label_name("app.kubernetes.io/näme-1_b"), "app_kubernetes_io_n_me_1_b");
    }
}
