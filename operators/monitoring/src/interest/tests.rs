//! Tests of which workloads a change concerns, and which workloads an object mentions.

use std::sync::Arc;

use kernel::index::interests;
use kernel::store::Event;
use kernel::stores::{Namespaces, Stores};
use kube::api::DynamicObject;
use serde_json::{Value, json};

use super::*;
use crate::OfPrometheus;

fn object(namespace: &str, name: &str, labels: &Value) -> Object {
    made(kinds::SERVICE_MONITOR, &json!({"namespace": namespace, "name": name, "labels": labels}), json!({}))
}

fn made(kind: Kind, metadata: &Value, mut rest: Value) -> Object {
    rest["metadata"] = metadata.clone();
    rest["metadata"]["uid"] = format!("{}/{}", kind.kind, metadata["name"]).into();
    rest["metadata"]["resourceVersion"] = "1".into();
    let dynamic: DynamicObject = serde_json::from_value(rest).unwrap();
    Object::new(dynamic, &kind.resource())
}

fn selectors(spec: &Value) -> WorkloadSelectors {
    WorkloadSelectors::read(
        &json!({"spec": spec}),
        &[SelectableKind::ServiceMonitor, SelectableKind::PrometheusRule],
    )
}

#[test]
fn resources_are_selected_by_labels_and_namespace() {
    let near = object("a", "m", &json!({"team": "x"}));
    let far = object("b", "m", &json!({"team": "x"}));
    let namespace = object("", "b", &json!({"kind": "far"}));
    let me = Key::new("a", "p");
    let selected = |spec: Value, object: &Object| {
        selectors(&spec).selects(&me, (SelectableKind::ServiceMonitor, object), Some(&namespace))
    };
    assert!(!selected(json!({}), &near), "no selector selects nothing");
    assert!(selected(json!({"serviceMonitorSelector": {}}), &near));
    assert!(!selected(json!({"ruleSelector": {}}), &near));
    assert!(!selected(json!({"serviceMonitorSelector": {"matchLabels": {"team": "y"}}}), &near));
    assert!(!selected(json!({"serviceMonitorSelector": {}}), &far));
    assert!(selected(json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}}), &far));
    let other = json!({"matchLabels": {"kind": "near"}});
    assert!(!selected(json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": other}), &far));
}

#[test]
fn an_alertmanager_selects_its_base() {
    let base = made(kinds::ALERTMANAGER_CONFIG, &json!({"namespace": "a", "name": "base"}), json!({}));
    let spec = json!({"spec": {"alertmanagerConfiguration": {"name": "base"}}});
    let selectors = WorkloadSelectors::read(&spec, &[SelectableKind::AlertmanagerConfig]);
    let is_selected = |namespace: &str| {
        selectors.selects(&Key::new(namespace, "w"), (SelectableKind::AlertmanagerConfig, &base), None)
    };
    assert_eq!((is_selected("a"), is_selected("b")), (true, false));
}

#[test]
fn a_namespace_concerns_workloads_whose_selectors_match_it() {
    let namespace = object("", "b", &json!({"kind": "far"}));
    assert!(!selectors(&json!({"serviceMonitorSelector": {}})).selects_namespace_of(&namespace));
    assert!(selectors(&json!({"ruleNamespaceSelector": {}})).selects_namespace_of(&namespace));
    assert!(
        !selectors(&json!({"ruleNamespaceSelector": {"matchLabels": {"kind": "near"}}}))
            .selects_namespace_of(&namespace)
    );
}

/// Stores that hold these objects.
fn stores(there: impl IntoIterator<Item = (Kind, Object)>) -> Stores {
    let stores = Stores::new(&[OfPrometheus::DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
    for (kind, object) in there {
        let partition = stores.partition(kind, &object.key().namespace.clone());
        partition.unwrap().write().see(Event::Applied(object));
    }
    stores
}

/// The workloads that an object concerns; none, if the declaration decides.
fn concerned(kind: Kind, object: &Object, stores: &Stores) -> Option<Vec<Key>> {
    let candidate = CandidateObject { kind, object, stores };
    interests(Selecting::<OfPrometheus>::default()).concerned(kinds::PROMETHEUS, &candidate)
}

fn prometheus(namespace: &str, name: &str, spec: &Value) -> (Kind, Object) {
    let metadata = json!({"namespace": namespace, "name": name});
    (kinds::PROMETHEUS, made(kinds::PROMETHEUS, &metadata, json!({"spec": spec})))
}

#[test]
fn the_status_of_an_object_mentions_workloads_of_the_kind() {
    let binding = |resource: &str, name: &str| {
        json!({
            "group": "monitoring.coreos.com", "resource": resource, "namespace": "ours", "name": name, "conditions": [],
        })
    };
    let bindings = [("prometheuses", "here"), ("prometheusagents", "agent"), ("prometheuses", "gone")];
    let status = json!({"bindings": bindings.map(|(resource, name)| binding(resource, name))});
    let metadata = json!({"namespace": "theirs", "name": "m"});
    let mentions = |kind: Kind| {
        Selecting::<OfPrometheus>::default().mentions(kind, &made(kind, &metadata, json!({"status": status})))
    };
    assert_eq!(mentions(kinds::SERVICE_MONITOR), ["here", "gone"].map(|name| Key::new("ours", name)));
    assert_eq!(mentions(kinds::ALERTMANAGER_CONFIG), [], "it cannot select them");
    assert_eq!(mentions(kinds::POD), []);
}

#[test]
fn objects_of_unknown_workloads_concern_no_workload() {
    let stores = stores([prometheus("ours", "here", &json!({}))]);
    let concerned = |kind: Kind, name: &str| {
        let labels = json!({"app.kubernetes.io/name": "prometheus", "app.kubernetes.io/instance": name});
        let owner = json!([{
            "apiVersion": "monitoring.coreos.com/v1", "kind": "Prometheus", "name": name, "uid": "1", "controller": true,
        }]);
        let metadata = json!({"namespace": "ours", "name": "x", "labels": labels, "ownerReferences": owner});
        concerned(kind, &made(kind, &metadata, json!({})), &stores)
    };
    for kind in [kinds::POD, kinds::SECRET, kinds::CONFIG_MAP] {
        assert_eq!(concerned(kind, "here"), Some(vec![Key::new("ours", "here")]), "{}", kind.kind);
        assert_eq!(concerned(kind, "other"), Some(vec![]), "{}", kind.kind);
    }
}

#[test]
fn names_and_selectors_decide_which_workloads_an_object_concerns() {
    let everywhere = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}});
    let own_service = json!({"serviceName": "mine", "serviceMonitorSelector": {}});
    let there = [prometheus("a", "one", &everywhere), prometheus("b", "two", &own_service)];
    let stores = stores(
        there
            .into_iter()
            .chain([(kinds::NAMESPACE, made(kinds::NAMESPACE, &json!({"name": "b"}), json!({})))]),
    );
    let (one, two) = (|| Key::new("a", "one"), || Key::new("b", "two"));
    for (kind, namespace, name, expected) in [
        (kinds::SERVICE_MONITOR, "b", "m", Some(vec![one(), two()])),
        (kinds::SERVICE_MONITOR, "a", "m", Some(vec![one()])),
        (kinds::RULE, "a", "r", Some(vec![])),
        (kinds::SECRET, "a", "prometheus-one", Some(vec![one()])),
        (kinds::SECRET, "b", "prometheus-one", Some(vec![])),
        (kinds::SERVICE, "a", "prometheus-operated", Some(vec![one()])),
        (kinds::SERVICE, "b", "prometheus-operated", Some(vec![])),
        (kinds::SERVICE, "b", "mine", Some(vec![two()])),
        (kinds::STATEFUL_SET, "a", "prometheus-one", None),
    ] {
        let object = made(kind, &json!({"namespace": namespace, "name": name}), json!({}));
        assert_eq!(concerned(kind, &object, &stores), expected, "{} {namespace}/{name}", kind.kind);
    }
}

#[test]
fn a_status_change_of_a_selected_object_causes_no_pass() {
    let object = |generation: i64, team: &str, status: &str| {
        let metadata =
            json!({"namespace": "a", "name": "m", "generation": generation, "labels": {"team": team}});
        Some(Arc::new(made(kinds::SERVICE_MONITOR, &metadata, json!({"status": status}))))
    };
    let matters = |kind: Kind, before: Option<Arc<Object>>, after: Option<Arc<Object>>| {
        Selecting::<OfPrometheus>::default().matters(kind, &Change { before, after })
    };
    let monitor = kinds::SERVICE_MONITOR;
    assert!(!matters(monitor, object(1, "x", "old"), object(1, "x", "new")));
    assert!(matters(kinds::STATEFUL_SET, object(1, "x", "old"), object(1, "x", "new")));
    assert!(matters(monitor, object(1, "x", "old"), object(2, "x", "old")));
    assert!(matters(monitor, object(1, "x", "old"), object(1, "y", "old")));
    assert!(matters(monitor, object(0, "x", "old"), object(0, "x", "new")), "generations are not counted");
    assert!(matters(monitor, None, object(1, "x", "old")) && matters(monitor, object(1, "x", "old"), None));
}
