//! Every reason in its words, and that a reason and a choice are the same thing.

use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::{Alertmanager, Prometheus, PrometheusAgent, SelectableKind, ThanosRuler};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::asker::Asker;
use crate::asking::{Labels, Namespaces, Selectors};
use crate::label_selector::Selector;
use crate::sample::read;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn known() -> Namespaces {
    BTreeMap::from([
        ("own".to_owned(), labels(&[("team", "a")])),
        ("other".to_owned(), labels(&[("team", "b")])),
        ("third".to_owned(), Labels::new()),
    ])
}

fn workload(spec: &Value) -> Value {
    let annotations = json!({"operator.prometheus.io/controller-id": "blue"});
    json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "Any",
        "metadata": {"namespace": "own", "name": "w", "annotations": annotations}, "spec": spec,
    })
}

/// What a Prometheus of the operator `blue` says about a ServiceMonitor `m` of the team b.
fn told(spec: &Value, namespace: &str, operator: &str) -> Option<String> {
    let server: Prometheus = read(workload(spec));
    let asker = Asker::Prometheus(&server);
    let (known, team) = (known(), labels(&[("team", "b")]));
    let view = View {
        operator,
        workload: asker.controller_id(),
        is_looked_into: namespace != "hidden",
        namespace: known.get(namespace).map(Labelled::from),
    };
    let asking = asker.asking(SelectableKind::ServiceMonitor).unwrap();
    let candidate = Candidate { namespace, name: "m", labels: Some((&team).into()) };
    why_not(&view, &asking, candidate).map(|reason| reason.to_string())
}

#[test]
fn every_reason_has_its_words() {
    let all = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}});
    let team = json!({"matchLabels": {"team": "a"}});
    let by_namespace = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": team});
    let by_label = json!({"serviceMonitorSelector": team});
    for (spec, namespace, operator, words) in [
        (&all, "other", "blue", None),
        (&all, "other", "green", Some(r#"the workload is for the operator "blue", and this one is "green""#)),
        (&all, "other", "", Some(r#"the workload is for the operator "blue", and this one has no id"#)),
        (
            &all,
            "hidden",
            "blue",
            Some("the operator does not look into namespace hidden: see its flags and rights"),
        ),
        (
            &json!({}),
            "own",
            "blue",
            Some("the workload has no selector for this kind, and without one it selects nothing"),
        ),
        (
            &json!({"serviceMonitorSelector": {}}),
            "other",
            "blue",
            Some(
                "it is in namespace other, and without a selector for namespaces only those in own are selected",
            ),
        ),
        // Who takes all need not know what they are called.
        (&all, "new", "blue", None),
        (
            &by_namespace,
            "new",
            "blue",
            Some("the labels of namespace new are not known, and the workload selects by them"),
        ),
        (
            &by_namespace,
            "other",
            "blue",
            Some(r#"namespace other is not selected: its label team is "b", must be "a""#),
        ),
        (
            &by_namespace,
            "third",
            "blue",
            Some(r#"namespace third is not selected: its label team is not there, must be "a""#),
        ),
        (&by_label, "own", "blue", Some(r#"its label team is "b", must be "a""#)),
    ] {
        assert_eq!(told(spec, namespace, operator).as_deref(), words, "{spec} {namespace} {operator}");
    }
    let unnamed = Unselected::OtherOperator { workload: "", operator: "blue" };
    let words = r#"the workload names no operator, and this one serves those that name "blue""#;
    assert_eq!(unnamed.to_string(), words);
}

#[test]
fn each_workload_selects_the_kinds_that_it_can_take() {
    let mut spec = json!({"queryEndpoints": ["q"]});
    for kind in SelectableKind::ALL.map(SelectableKind::selector_prefix) {
        spec[format!("{kind}Selector")] = json!({"matchLabels": {"kind": kind}});
    }
    let server: Prometheus = read(workload(&spec));
    let agent: PrometheusAgent = read(workload(&spec));
    let alertmanager: Alertmanager = read(workload(&spec));
    let ruler: ThanosRuler = read(workload(&spec));
    let asked = |asker: Asker<'_>| -> String {
        let label = |kind: SelectableKind| -> Option<String> {
            asker.selectors(kind).labels?.match_labels.as_ref()?.get("kind").cloned()
        };
        SelectableKind::ALL
            .into_iter()
            .map(|kind| label(kind).unwrap_or_else(|| "-".into()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(asked(Asker::Prometheus(&server)), "serviceMonitor podMonitor probe scrapeConfig rule -");
    assert_eq!(asked(Asker::Agent(&agent)), "serviceMonitor podMonitor probe scrapeConfig - -");
    assert_eq!(asked(Asker::Alertmanager(&alertmanager)), "- - - - - alertmanagerConfig");
    assert_eq!(asked(Asker::ThanosRuler(&ruler)), "- - - - rule -");
}

#[test]
fn a_selector_that_cannot_be_read_selects_nothing_and_is_named() {
    let near = json!({"matchExpressions": [{"key": "a", "operator": "Near"}]});
    let words = |spec: &Value| {
        let server: Prometheus = read(workload(spec));
        Asker::Prometheus(&server).asking(SelectableKind::PodMonitor).unwrap_err().to_string()
    };
    assert_eq!(
        words(&json!({"podMonitorSelector": {}, "podMonitorNamespaceSelector": near})),
        "failed to convert namespace label selector to selector: \"Near\" is not a valid label selector operator"
    );
    assert_eq!(
        words(&json!({"podMonitorSelector": near})),
        "\"Near\" is not a valid label selector operator"
    );
}

#[test]
fn what_an_alertmanager_names_is_selected_beside_it_and_nowhere_else() {
    let alertmanager: Alertmanager = read(workload(&json!({"alertmanagerConfiguration": {"name": "base"}})));
    let asking = Asker::Alertmanager(&alertmanager).asking(SelectableKind::AlertmanagerConfig).unwrap();
    let why_not = |namespace, name| asking.why_not(Candidate { namespace, name, labels: None }, None);
    assert_eq!(why_not("own", "base"), None);
    assert_eq!(why_not("other", "base"), Some(Unselected::NoSelector));
    assert_eq!(why_not("own", "other"), Some(Unselected::NoSelector));
}

fn any_labels() -> impl Strategy<Value = Labels> {
    let value = prop::sample::select(&["1", "2"][..]).prop_map(str::to_owned);
    prop::collection::btree_map(prop::sample::select(&["a", "b"][..]).prop_map(str::to_owned), value, 0..3)
}

fn any_selector() -> impl Strategy<Value = Option<LabelSelector>> {
    let operator = prop::sample::select(&["In", "NotIn", "Exists", "DoesNotExist"][..]);
    let expression = (prop::sample::select(&["a", "b"][..]), operator).prop_map(|(key, operator)| {
        let values = if operator.ends_with("In") { json!(["1"]) } else { json!([]) };
        json!({"key": key, "operator": operator, "values": values})
    });
    let expressions = prop::collection::vec(expression, 0..2);
    let selector = (any_labels(), expressions).prop_map(|(labels, expressions)| {
        read(json!({"matchLabels": labels, "matchExpressions": expressions}))
    });
    prop::option::of(selector)
}

proptest! {
    #[test]
    fn a_choice_and_its_reason_agree(
        (namespaces, labels) in (any_selector(), any_selector()),
        known in prop::collection::btree_map("[xyz]", any_labels(), 0..4),
        (place, name) in ("[xyz]", "[mn]"),
        own_labels in any_labels(),
        is_named in any::<bool>(),
    ) {
        let selectors = Selectors {
            named: is_named.then_some("m"),
            ..Selectors::new(namespaces.as_ref(), labels.as_ref())
        };
        let asking = Asking::new("x", selectors).unwrap();
        let candidate = Candidate { namespace: &place, name: &name, labels: Some((&own_labels).into()) };
        let among = asking.among(&known);
        // The namespaces that are meant, in which the labels are looked at; one of which nothing is known, by those who mean all.
        let meant: BTreeSet<&str> = match &namespaces {
            None => BTreeSet::from(["x"]),
            Some(selector) => {
                let selector = Selector::new(selector).unwrap();
                let meant = known.iter().filter(|(_, labels)| selector.matches(Some((*labels).into())));
                let unseen = Some(place.as_str()).filter(|_| selector.takes_all());
                meant.map(|(name, _)| name.as_str()).chain(unseen).collect()
            }
        };
        let matches = labels.as_ref().is_some_and(|labels| Selector::new(labels).unwrap().matches(Some((&own_labels).into())));
        let expected = (is_named && place == "x" && name == "m") || (meant.contains(place.as_str()) && matches);
        prop_assert_eq!(among.asks_for(candidate), expected);
        prop_assert_eq!(among.why_not(candidate), asking.why_not(candidate, known.get(&place).map(Labelled::from)));
        if let Some(reason) = among.why_not(candidate) {
            prop_assert!(!reason.to_string().is_empty());
        }
    }
}
