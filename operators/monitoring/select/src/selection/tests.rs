//! Which namespaces and resources are selected.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::sample::read;

type Labels = BTreeMap<String, String>;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn known() -> LabelsByNamespace {
    BTreeMap::from([
        ("own".to_owned(), labels(&[("team", "a")])),
        ("other".to_owned(), labels(&[("team", "b")])),
        ("third".to_owned(), Labels::new()),
    ])
}

/// Whether a workload in the namespace `own` selects a resource of team b.
fn selects(namespaces: Option<&Value>, resources: Option<&Value>, namespace: &str) -> bool {
    let selector = |value: &Value| -> LabelSelector { read(value.clone()) };
    let (namespaces, resources) = (namespaces.map(selector), resources.map(selector));
    let selectors = Selectors { namespaces: namespaces.as_ref(), labels: resources.as_ref(), named: None };
    let (known, team) = (known(), labels(&[("team", "b")]));
    let candidate = Candidate { namespace, name: "m", labels: Some((&team).into()) };
    let selector = ResourceSelector::new("own", selectors).unwrap();
    selector.selects(candidate, known.get(namespace).map(Labelled::from))
}

#[test]
fn namespaces_and_labels_decide() {
    let (all, team) = (json!({}), json!({"matchLabels": {"team": "a"}}));
    for (namespaces, resources, namespace, expected) in [
        (Some(&all), Some(&all), "other", true),
        (None, None, "own", false),
        (Some(&all), None, "own", false),
        (None, Some(&all), "own", true),
        (None, Some(&all), "other", false),
        // A selector that selects everything does not need the labels of the namespace.
        (Some(&all), Some(&all), "new", true),
        (Some(&team), Some(&all), "own", true),
        (Some(&team), Some(&all), "new", false),
        (Some(&team), Some(&all), "other", false),
        (Some(&team), Some(&all), "third", false),
        (None, Some(&team), "own", false),
    ] {
        let found = selects(namespaces, resources, namespace);
        assert_eq!(found, expected, "{namespaces:?} {resources:?} {namespace}");
    }
}

#[test]
fn an_invalid_selector_is_an_error() {
    let near: LabelSelector = read(json!({"matchExpressions": [{"key": "a", "operator": "Near"}]}));
    let all = LabelSelector::default();
    let message = |namespaces, labels| {
        let selectors = Selectors { namespaces, labels, named: None };
        ResourceSelector::new("own", selectors).unwrap_err().to_string()
    };
    assert_eq!(
        message(Some(&near), Some(&all)),
        "failed to convert namespace label selector to selector: \"Near\" is not a valid label selector operator"
    );
    assert_eq!(message(None, Some(&near)), "\"Near\" is not a valid label selector operator");
}

#[test]
fn a_named_resource_is_selected_beside_the_workload_and_nowhere_else() {
    let selectors = Selectors { named: Some("base"), ..Selectors::default() };
    let selector = ResourceSelector::new("own", selectors).unwrap();
    let selects = |namespace, name| selector.selects(Candidate { namespace, name, labels: None }, None);
    assert!(selects("own", "base"));
    assert!(!selects("other", "base"));
    assert!(!selects("own", "other"));
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
    fn what_is_selected_follows_from_namespaces_and_labels(
        (namespaces, labels) in (any_selector(), any_selector()),
        known in prop::collection::btree_map("[xyz]", any_labels(), 0..4),
        (namespace, name) in ("[xyz]", "[mn]"),
        own_labels in any_labels(),
        is_named in any::<bool>(),
    ) {
        let named = is_named.then_some("m");
        let selectors = Selectors { namespaces: namespaces.as_ref(), labels: labels.as_ref(), named };
        let selector = ResourceSelector::new("x", selectors).unwrap();
        let candidate = Candidate { namespace: &namespace, name: &name, labels: Some((&own_labels).into()) };
        let namespaced = selector.in_namespaces(&known);
        // The namespaces that match; an unknown one matches a selector that selects everything.
        let matching: BTreeSet<&str> = match &namespaces {
            None => BTreeSet::from(["x"]),
            Some(selector) => {
                let selector = CheckedSelector::new(selector).unwrap();
                let matching = known.iter().filter(|(_, labels)| selector.matches(Some((*labels).into())));
                let unknown = Some(namespace.as_str()).filter(|_| selector.selects_everything());
                matching.map(|(name, _)| name.as_str()).chain(unknown).collect()
            }
        };
        let matches = labels.as_ref().is_some_and(|labels| {
            CheckedSelector::new(labels).unwrap().matches(Some((&own_labels).into()))
        });
        let is_named = is_named && namespace == "x" && name == "m";
        let expected = is_named || (matching.contains(namespace.as_str()) && matches);
        prop_assert_eq!(namespaced.selects(candidate), expected);
        prop_assert_eq!(selector.selects(candidate, known.get(&namespace).map(Labelled::from)), expected);
    }
}
