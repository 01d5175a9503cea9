use serde_json::json;

use super::*;

/// Pods in the order in which they were made: unique id, name, revision, whether it is gone.
fn pods(all: &[(&str, &str, &str, bool)]) -> Pods {
    let mut pods = Pods::default();
    for (uid, name, revision, gone) in all {
        let pod = json!({"metadata": {
            "uid": uid, "name": name, "generateName": "main-", "labels": {"controller-revision-hash": revision},
            "ownerReferences": [{"kind": "StatefulSet", "name": "main", "controller": true}],
        }});
        pods.see(&pod, true);
        if *gone {
            pods.see(&pod, false);
        }
    }
    pods
}

fn set() -> Name {
    Name { kind: "statefulsets.apps".into(), name: "main".into() }
}

/// What is wrong where two pods are usual, the second of which was rolled once.
fn wrong(found: &Pods, effect: &Effect) -> Vec<String> {
    let usual = usual();
    judge([&usual, &usual], found, effect, &BTreeMap::new())
}

fn usual() -> Pods {
    pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", true), ("3", "main-1", "b", false)])
}

#[test]
fn as_many_pods_as_usual_are_well() {
    assert_eq!(wrong(&usual(), &Effect::None), Vec::<String>::new());
}

#[test]
fn a_rollout_too_many_is_wrong_though_the_end_is_the_same() {
    let found = pods(&[
        ("1", "main-0", "a", true),
        ("2", "main-1", "a", true),
        ("3", "main-1", "b", true),
        ("4", "main-1", "b", false),
        ("5", "main-0", "a", false),
    ]);
    assert_eq!(
        wrong(&found, &Effect::None),
        [
            "pods/main-0: 2 made and 1 removed, where 1 made and 1 left are usual",
            "pods/main-1: 3 made and 2 removed, where 2 made and 1 left are usual",
        ]
    );
}

#[test]
fn a_rollout_that_did_not_happen_and_a_pod_that_stays_are_wrong() {
    assert_eq!(
        wrong(&pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", false)]), &Effect::None).len(),
        1
    );
    let stays =
        pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", false), ("3", "main-1", "b", false)]);
    assert_eq!(wrong(&stays, &Effect::None).len(), 1);
}

#[test]
fn a_range_is_what_the_two_undisturbed_runs_did() {
    let (once, twice) = (
        pods(&[("1", "main-0", "a", false)]),
        pods(&[("1", "main-0", "a", true), ("2", "main-0", "a", false)]),
    );
    let none = BTreeMap::new();
    for found in [&once, &twice] {
        assert_eq!(judge([&once, &twice], found, &Effect::None, &none), Vec::<String>::new());
    }
    let thrice = pods(&[("1", "main-0", "a", true), ("2", "main-0", "a", true), ("3", "main-0", "a", false)]);
    assert_eq!(
        judge([&once, &twice], &thrice, &Effect::None, &none),
        ["pods/main-0: 3 made and 2 removed, where 1 to 2 made and 1 left are usual"]
    );
}

#[test]
fn each_pod_of_a_set_that_was_deleted_is_made_exactly_once_more() {
    let remade = Effect::Remade { owner: set(), before: Box::new(usual()) };
    let found = pods(&[
        ("1", "main-0", "a", true),
        ("2", "main-1", "a", true),
        ("3", "main-1", "b", true),
        ("4", "main-0", "b", false),
        ("5", "main-1", "b", false),
    ]);
    assert_eq!(wrong(&found, &remade), Vec::<String>::new());
    assert_eq!(wrong(&usual(), &remade).len(), 2, "they were not made again");
    let other = Effect::Remade { owner: Name { name: "other".into(), ..set() }, before: Box::new(usual()) };
    assert_eq!(wrong(&found, &other).len(), 2, "another set was deleted");
    let scaled = [("1", "main-0", "a", true), ("2", "main-1", "a", true), ("3", "main-0", "a", false)];
    let usual = pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", true)]);
    let remade = Effect::Remade { owner: set(), before: Box::new(usual.clone()) };
    let judged = judge([&usual, &usual], &pods(&scaled), &remade, &BTreeMap::new());
    assert_eq!(judged, Vec::<String>::new(), "who was gone before is not made again");
}

#[test]
fn a_changed_template_accounts_for_the_pods_that_were_made_from_it() {
    let rolled = || Effect::Rolled { owner: set(), before: Box::new(usual()) };
    let with = |more: &[(&str, &str, &str, bool)]| {
        let mut all =
            vec![("1", "main-0", "a", false), ("2", "main-1", "a", true), ("3", "main-1", "b", true)];
        all.extend_from_slice(more);
        wrong(&pods(&all), &rolled())
    };
    assert_eq!(wrong(&usual(), &rolled()), Vec::<String>::new(), "it was mended before a pod was removed");
    assert_eq!(with(&[("4", "main-1", "b", false)]), Vec::<String>::new(), "… and before it was made again");
    assert_eq!(with(&[("4", "main-1", "drift", true), ("5", "main-1", "b", false)]), Vec::<String>::new());
    assert_eq!(with(&[("4", "main-1", "b", true), ("5", "main-1", "b", false)]).len(), 1, "once too often");
    let twice = [("4", "main-1", "drift", true), ("5", "main-1", "b", true), ("6", "main-1", "b", false)];
    assert_eq!(with(&twice).len(), 1);
}

#[test]
fn a_changed_number_accounts_for_the_pods_between() {
    let scaled = |from, to| Effect::Scaled { owner: set(), from, to };
    let again = pods(&[
        ("1", "main-0", "a", false),
        ("2", "main-1", "a", true),
        ("3", "main-1", "b", true),
        ("4", "main-1", "b", false),
    ]);
    assert_eq!(wrong(&again, &scaled(1, 2)), Vec::<String>::new());
    assert_eq!(wrong(&usual(), &scaled(1, 2)), Vec::<String>::new());
    assert_eq!(wrong(&again, &scaled(2, 3)).len(), 1, "that one was to stay");
    let more = pods(&[
        ("1", "main-0", "a", false),
        ("2", "main-1", "a", true),
        ("3", "main-1", "b", false),
        ("4", "main-2", "b", true),
    ]);
    assert_eq!(wrong(&more, &scaled(2, 3)), Vec::<String>::new());
}

#[test]
fn everything_twice_is_exactly_twice() {
    let once = [("1", "main-0", "a", false), ("2", "main-1", "a", true), ("3", "main-1", "b", false)];
    let gone = once.map(|(uid, name, revision, _)| (uid, name, revision, true));
    let again = [("4", "main-0", "a", false), ("5", "main-1", "a", true), ("6", "main-1", "b", false)];
    let all: Vec<_> = gone.into_iter().chain(again).collect();
    assert_eq!(wrong(&pods(&all), &Effect::Twice), Vec::<String>::new());
    assert_eq!(wrong(&usual(), &Effect::Twice).len(), 2);
}

#[test]
fn a_set_that_was_made_for_an_owner_that_is_gone_accounts_for_its_pods() {
    let (usual, found) = (
        pods(&[("1", "main-0", "a", true)]),
        pods(&[("1", "main-0", "a", true), ("2", "main-0", "a", true)]),
    );
    let judged = |times| judge([&usual, &usual], &found, &Effect::None, &[(set(), times)].into());
    assert_eq!(judged(1), Vec::<String>::new());
    assert_eq!(judged(0).len(), 1);
}

#[test]
fn an_edit_says_what_it_does_to_pods() {
    let set_of =
        |replicas: u64, image: &str| json!({"spec": {"replicas": replicas, "template": {"image": image}}});
    let of = |name: &Name, after: &Value| Effect::of_edit(name, (&set_of(2, "x"), after), usual());
    assert_eq!(of(&set(), &set_of(1, "x")), Effect::Scaled { owner: set(), from: 1, to: 2 });
    assert_eq!(of(&set(), &set_of(2, "y")), Effect::Rolled { owner: set(), before: Box::new(usual()) });
    assert_eq!(of(&set(), &set_of(2, "x")), Effect::None);
    assert_eq!(of(&Name { kind: "secrets".into(), name: "main".into() }, &set_of(1, "y")), Effect::None);
}

#[test]
fn a_pod_is_replaced_once_for_another_template_and_never_for_the_same() {
    let before = pods(&[("1", "main-0", "a", false)]);
    let with = |more: &[(&str, &str, &str, bool)]| {
        let mut all = vec![("1", "main-0", "a", true)];
        all.extend_from_slice(more);
        replaced_once(&before, &pods(&all))
    };
    assert_eq!(replaced_once(&before, &before), Vec::<String>::new());
    assert_eq!(with(&[("2", "main-0", "b", false)]), Vec::<String>::new());
    assert_eq!(with(&[]), Vec::<String>::new(), "scaled down");
    assert_eq!(
        with(&[("2", "main-0", "a", false)]),
        ["pods/main-0: 1 made and 1 removed, where its templates account for 0 made and 0 removed"]
    );
    assert_eq!(with(&[("2", "main-0", "b", true), ("3", "main-0", "b", false)]).len(), 1);
}
