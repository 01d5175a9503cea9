//! Tests of what is remembered of selected resources. It affects the duration of a pass, but not its result.

use std::cell::RefCell;
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kernel::declare::{Kind, Scope};
use kernel::stores::All;
use monitoring_select::LabelsByNamespace;
use monitoring_select::selection::{ResourceSelector, Selectors};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::plan::selection::Candidates;

const KIND: Kind = Kind { group: "g", version: "v1", kind: "K", plural: "ks", scope: Scope::Namespaces };

fn object((namespace, name): (u8, u8), generation: u8, is_wanted: bool) -> Arc<Object> {
    // These names sort differently as pairs and as texts.
    let namespace = ["a", "a-b", "b"][usize::from(namespace % 3)];
    let (name, wanted) = (format!("n{name}"), is_wanted.to_string());
    let object = json!({ "metadata": {
        "namespace": namespace, "name": name, "uid": format!("{namespace}/{name}"),
        "generation": generation, "labels": { "wanted": wanted },
    }});
    Arc::new(Object::new(serde_json::from_value(object).unwrap(), &KIND.resource()))
}

/// The input of a pass: the resources with their generations and the label `wanted`, whether the selector requires that
/// label, and whether the resources come in reverse order.
type Found = (BTreeMap<(u8, u8), (u8, bool)>, bool, bool);

fn passes() -> impl Strategy<Value = Vec<Found>> {
    let resources = prop::collection::btree_map((0u8..3, 0u8..6), (1u8..4, any::<bool>()), 0..12);
    prop::collection::vec((resources, any::<bool>(), any::<bool>()), 1..8)
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_what_is_remembered(passes in passes()) {
        let everything = LabelSelector::default();
        let wanted = [("wanted".to_owned(), "true".to_owned())].into();
        let wanted = LabelSelector { match_labels: Some(wanted), ..LabelSelector::default() };
        let known: LabelsByNamespace =
            ["a", "a-b", "b"].map(|name| (name.to_owned(), BTreeMap::new())).into();
        let made = RefCell::new(Vec::new());
        let make = |object: &Object| {
            made.borrow_mut().push(object.uid().to_owned());
            object.generation()
        };
        let (mut selection, mut memo, mut last) = (Selection::default(), Memo::default(), BTreeMap::new());
        for (resources, by_label, backwards) in passes {
            let mut all: Vec<Arc<Object>> = Vec::new();
            for (key, (generation, is_wanted)) in &resources {
                let same = last.remove(key).filter(|(state, _)| *state == (*generation, *is_wanted));
                let object = same.map_or_else(|| object(*key, *generation, *is_wanted), |(_, object)| object);
                last.insert(*key, ((*generation, *is_wanted), Arc::clone(&object)));
                all.push(object);
            }
            if backwards {
                all.reverse();
            }
            let selectors = Selectors {
                namespaces: Some(&everything),
                labels: Some(if by_label { &wanted } else { &everything }),
                named: None,
            };
            let selector = ResourceSelector::new("a", selectors).unwrap();
            let all_of_kind = All::from(all.clone());
            let candidates = Candidates::new(&selector, &known, &all_of_kind);
            made.borrow_mut().clear();
            selection.pass(&candidates);
            memo.pass(Vec::new(), &Objects::default(), &selection, make);
            prop_assert_eq!(memo.made(), made.borrow().len());

            let mut expected: Vec<(String, i64)> = Vec::new();
            for object in all.iter().filter(|object| !by_label || object.label("wanted") == Some("true")) {
                expected.push((object.uid().to_owned(), object.generation()));
            }
            expected.sort();
            let found: Vec<(String, i64)> =
                memo.iter().map(|(name, value)| (name.to_string(), *value)).collect();
            prop_assert_eq!(found, expected);
            made.borrow_mut().clear();
            selection.pass(&candidates);
            memo.pass(Vec::new(), &Objects::default(), &selection, make);
            prop_assert!(memo.made() == 0 && made.borrow().is_empty());
        }
    }
}

#[test]
fn only_resources_that_change_are_rendered() {
    let everything = LabelSelector::default();
    let selectors = Selectors { labels: Some(&everything), ..Selectors::default() };
    let (selector, known) = (ResourceSelector::new("a", selectors).unwrap(), LabelsByNamespace::new());
    let mut all: Vec<Arc<Object>> = (0..9).map(|name| object((0, name), 1, true)).collect();
    let (mut selection, mut memo) = (Selection::default(), Memo::default());
    let mut made = |all: &[Arc<Object>]| {
        let all_of_kind = All::from(all.to_vec());
        let candidates = Candidates::new(&selector, &known, &all_of_kind);
        selection.pass(&candidates);
        memo.pass(Vec::new(), &Objects::default(), &selection, |_| ());
        (memo.made(), memo.iter().count())
    };
    assert_eq!(made(&all), (9, 9));
    assert_eq!(made(&all), (0, 9));
    let gone = all.remove(3);
    assert_eq!(made(&all), (0, 8));
    all.insert(3, gone);
    assert_eq!(made(&all), (1, 9));
    all[5] = object((0, 5), 2, true);
    assert_eq!(made(&all), (1, 9));
    // Only its labels change.
    all[5] = object((0, 5), 2, false);
    assert_eq!(made(&all), (0, 9));
}
