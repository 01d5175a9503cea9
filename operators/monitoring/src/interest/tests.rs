//! Whom changes concern, why an object is not selected, and which workloads are gone for sure.

use std::collections::BTreeMap;

use kernel::store::Event;
use kernel::stores::{Filter, Namespaces, Scopes};
use kube::api::DynamicObject;
use serde_json::json;

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

fn asks(spec: &Value) -> Asks {
    Asks::read(&json!({"spec": spec}), &[(kinds::SERVICE_MONITOR, "serviceMonitor"), (kinds::RULE, "rule")])
}

#[test]
fn a_workload_asks_by_labels_and_namespace() {
    let near = object("a", "m", &json!({"team": "x"}));
    let far = object("b", "m", &json!({"team": "x"}));
    let namespace = object("", "b", &json!({"kind": "far"}));
    let me = Key::new("a", "p");
    let asked = |spec: Value, object: &Object| {
        asks(&spec).ask_for(&me, kinds::SERVICE_MONITOR, object, Some(&namespace))
    };
    assert!(!asked(json!({}), &near), "no selector selects nothing");
    assert!(asked(json!({"serviceMonitorSelector": {}}), &near));
    assert!(!asked(json!({"ruleSelector": {}}), &near));
    assert!(!asked(json!({"serviceMonitorSelector": {"matchLabels": {"team": "y"}}}), &near));
    assert!(!asked(json!({"serviceMonitorSelector": {}}), &far));
    assert!(asked(json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}}), &far));
    let other = json!({"matchLabels": {"kind": "near"}});
    assert!(!asked(json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": other}), &far));
}

#[test]
fn an_alertmanager_asks_for_the_base_that_it_names() {
    let base = made(kinds::ALERTMANAGER_CONFIG, &json!({"namespace": "a", "name": "base"}), json!({}));
    let spec = json!({"spec": {"alertmanagerConfiguration": {"name": "base"}}});
    let asks = Asks::read(&spec, &[(kinds::ALERTMANAGER_CONFIG, "alertmanagerConfig")]);
    assert!(asks.ask_for(&Key::new("a", "w"), kinds::ALERTMANAGER_CONFIG, &base, None));
    assert!(!asks.ask_for(&Key::new("b", "w"), kinds::ALERTMANAGER_CONFIG, &base, None));
}

#[test]
fn a_namespace_concerns_those_who_look_into_it() {
    let namespace = object("", "b", &json!({"kind": "far"}));
    assert!(!asks(&json!({"serviceMonitorSelector": {}})).look_into(&namespace));
    assert!(asks(&json!({"ruleNamespaceSelector": {}})).look_into(&namespace));
    assert!(
        !asks(&json!({"ruleNamespaceSelector": {"matchLabels": {"kind": "near"}}})).look_into(&namespace)
    );
}

/// Stores of an operator that looks at a part of the cluster, after the first lists.
fn stores(scopes: &Scopes, there: impl IntoIterator<Item = (Kind, Object)>) -> Stores {
    let stores = Stores::new(&[OfPrometheus::DECLARATION], "test", scopes);
    for (_, partition) in stores.iter() {
        partition.objects.write().see(Event::Begin);
    }
    for (kind, object) in there {
        let partition = stores.partition(kind, &object.key().namespace.clone());
        partition.unwrap().write().see(Event::Listed(object));
    }
    for (_, partition) in stores.iter() {
        partition.objects.write().see(Event::Complete);
    }
    stores
}

fn selections(controller_id: &str) -> Selections {
    Selections {
        primary: OfPrometheus::DECLARATION.primary,
        selectable: OfPrometheus::SELECTABLE,
        application: OfPrometheus::APPLICATION,
        governing: OfPrometheus::GOVERNING,
        configuration: OfPrometheus::configuration,
        readers: Arc::default(),
        found: Arc::default(),
        has_bindings: true,
        controller_id: controller_id.into(),
        asks: Mutex::default(),
    }
}

fn prometheus(namespace: &str, name: &str, spec: &Value) -> (Kind, Object) {
    let metadata = json!({"namespace": namespace, "name": name});
    (kinds::PROMETHEUS, made(kinds::PROMETHEUS, &metadata, json!({"spec": spec})))
}

/// A monitor that speaks of one Prometheus that is there and of two that are not.
fn bound() -> (Kind, Object) {
    let binding = |namespace: &str, name: &str| {
        json!({
            "group": "monitoring.coreos.com", "resource": "prometheuses", "namespace": namespace, "name": name,
            "conditions": [],
        })
    };
    let bindings = json!([binding("ours", "here"), binding("ours", "gone"), binding("theirs", "other")]);
    let metadata = json!({"namespace": "ours", "name": "m"});
    let object = made(kinds::SERVICE_MONITOR, &metadata, json!({"status": {"bindings": bindings}}));
    (kinds::SERVICE_MONITOR, object)
}

fn gone(scopes: &Scopes) -> Vec<String> {
    let stores = stores(scopes, [bound(), prometheus("ours", "here", &json!({}))]);
    let mut gone: Vec<String> = selections("").at_start(&stores).iter().map(ToString::to_string).collect();
    gone.sort();
    gone
}

#[test]
fn only_workloads_that_are_gone_for_sure_are_swept() {
    let everywhere = Scopes::from(Namespaces::AllBut(Vec::new()));
    assert_eq!(gone(&everywhere), ["ours/gone", "theirs/other"]);
    assert_eq!(gone(&Namespaces::AllBut(vec!["theirs".into()]).into()), ["ours/gone"]);
    let ours = Namespaces::Only(vec!["ours".into()]);
    let instances = Scopes { some: BTreeMap::from([(kinds::PROMETHEUS, ours)]), ..everywhere.clone() };
    assert_eq!(gone(&instances), ["ours/gone"]);
    let labels = Filter { labels: Some("a=b".into()), fields: None };
    let filtered = Scopes { filters: BTreeMap::from([(kinds::PROMETHEUS, labels)]), ..everywhere };
    assert_eq!(gone(&filtered), Vec::<String>::new());
}

#[test]
fn pods_and_secrets_of_workloads_that_we_do_not_see_concern_nobody() {
    let scopes = Scopes::from(Namespaces::AllBut(Vec::new()));
    let stores = stores(&scopes, [prometheus("ours", "here", &json!({}))]);
    let concerned = |kind: Kind, name: &str| {
        let labels = json!({"app.kubernetes.io/name": "prometheus", "app.kubernetes.io/instance": name});
        let owner = json!([{
            "apiVersion": "monitoring.coreos.com/v1", "kind": "Prometheus", "name": name, "uid": "1", "controller": true,
        }]);
        let metadata = json!({"namespace": "ours", "name": "x", "labels": labels, "ownerReferences": owner});
        selections("").concerned(kind, &made(kind, &metadata, json!({})), &stores)
    };
    for kind in [kinds::POD, kinds::SECRET, kinds::CONFIG_MAP] {
        assert_eq!(concerned(kind, "here"), Some(vec![Key::new("ours", "here")]), "{}", kind.kind);
        assert_eq!(concerned(kind, "other"), Some(vec![]), "{}", kind.kind);
    }
}

#[test]
fn why_an_object_is_not_selected_is_told() {
    let near = Namespaces::Only(vec!["ours".into()]);
    let scopes =
        Scopes { some: BTreeMap::from([(kinds::RULE, near)]), ..Namespaces::AllBut(Vec::new()).into() };
    let everywhere =
        json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}, "ruleSelector": {}});
    let (_, workload) = prometheus("ours", "here", &everywhere);
    let namespace = made(kinds::NAMESPACE, &json!({"name": "theirs"}), json!({}));
    let stores = stores(&scopes, [(kinds::NAMESPACE, namespace)]);
    let told = |kind: Kind, operator: &str| {
        selections(operator).why_not(&workload, (kind, &object("theirs", "m", &json!({}))), &stores)
    };
    assert_eq!(told(kinds::SERVICE_MONITOR, ""), None);
    for (kind, operator, words) in [
        (kinds::RULE, "", "the operator does not look into namespace theirs: see its flags and rights"),
        (
            kinds::SERVICE_MONITOR,
            "blue",
            r#"the workload names no operator, and this one serves those that name "blue""#,
        ),
        (kinds::PROBE, "", "the workload has no selector for this kind, and without one it selects nothing"),
    ] {
        assert_eq!(told(kind, operator).as_deref(), Some(words));
    }
}
