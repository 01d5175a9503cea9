use serde_json::json;

use super::*;

/// Pods in the order of their creation: UID, name, revision, whether it was deleted.
fn pods(all: &[(&str, &str, &str, bool)]) -> Pods {
    let mut pods = Pods::default();
    for (uid, name, revision, deleted) in all {
        let pod = json!({"metadata": {
            "uid": uid, "name": name, "generateName": "main-", "labels": {"controller-revision-hash": revision},
            "ownerReferences": [{"kind": "StatefulSet", "name": "main", "controller": true}],
        }});
        pods.see(&pod, true);
        if *deleted {
            pods.see(&pod, false);
        }
    }
    pods
}

fn set() -> Name {
    Name { kind: "statefulsets.apps".into(), name: "main".into() }
}

/// What is wrong where the reference has two pods, the second of which was replaced once.
fn wrong(found: &Pods, effect: &Effect) -> Vec<String> {
    let usual = usual();
    check([&usual, &usual], found, effect, &BTreeMap::new())
}

fn usual() -> Pods {
    pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", true), ("3", "main-1", "b", false)])
}

#[test]
fn as_many_pods_as_in_the_reference_are_right() {
    assert_eq!(wrong(&usual(), &Effect::None), Vec::<String>::new());
}

#[test]
fn an_unnecessary_rollout_is_wrong_although_the_result_is_the_same() {
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
            "pods/main-0: 2 created and 1 deleted, expected 1 created and 1 left",
            "pods/main-1: 3 created and 2 deleted, expected 2 created and 1 left",
        ]
    );
}

#[test]
fn a_missing_rollout_and_a_pod_that_is_not_deleted_are_wrong() {
    assert_eq!(
        wrong(&pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", false)]), &Effect::None).len(),
        1
    );
    let stays =
        pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", false), ("3", "main-1", "b", false)]);
    assert_eq!(wrong(&stays, &Effect::None).len(), 1);
}

#[test]
fn the_range_is_that_of_the_two_reference_runs() {
    let (once, twice) = (
        pods(&[("1", "main-0", "a", false)]),
        pods(&[("1", "main-0", "a", true), ("2", "main-0", "a", false)]),
    );
    let none = BTreeMap::new();
    for found in [&once, &twice] {
        assert_eq!(check([&once, &twice], found, &Effect::None, &none), Vec::<String>::new());
    }
    let thrice = pods(&[("1", "main-0", "a", true), ("2", "main-0", "a", true), ("3", "main-0", "a", false)]);
    assert_eq!(
        check([&once, &twice], &thrice, &Effect::None, &none),
        ["pods/main-0: 3 created and 2 deleted, expected 1 to 2 created and 1 left"]
    );
}

#[test]
fn each_pod_of_a_deleted_set_is_created_exactly_once_more() {
    let recreated = Effect::Recreated { owner: set(), before: Box::new(usual()) };
    let found = pods(&[
        ("1", "main-0", "a", true),
        ("2", "main-1", "a", true),
        ("3", "main-1", "b", true),
        ("4", "main-0", "b", false),
        ("5", "main-1", "b", false),
    ]);
    assert_eq!(wrong(&found, &recreated), Vec::<String>::new());
    assert_eq!(wrong(&usual(), &recreated).len(), 2, "they were not created again");
    let other =
        Effect::Recreated { owner: Name { name: "other".into(), ..set() }, before: Box::new(usual()) };
    assert_eq!(wrong(&found, &other).len(), 2, "another set was deleted");
    let scaled = [("1", "main-0", "a", true), ("2", "main-1", "a", true), ("3", "main-0", "a", false)];
    let usual = pods(&[("1", "main-0", "a", false), ("2", "main-1", "a", true)]);
    let recreated = Effect::Recreated { owner: set(), before: Box::new(usual.clone()) };
    let wrong = check([&usual, &usual], &pods(&scaled), &recreated, &BTreeMap::new());
    assert_eq!(wrong, Vec::<String>::new(), "a pod that was deleted before is not created again");
}

#[test]
fn a_changed_template_accounts_for_the_pods_that_were_created_from_it() {
    let rolled = || Effect::Rolled { owner: set(), before: Box::new(usual()) };
    let with = |more: &[(&str, &str, &str, bool)]| {
        let mut all =
            vec![("1", "main-0", "a", false), ("2", "main-1", "a", true), ("3", "main-1", "b", true)];
        all.extend_from_slice(more);
        wrong(&pods(&all), &rolled())
    };
    assert_eq!(wrong(&usual(), &rolled()), Vec::<String>::new(), "it was corrected before a pod was deleted");
    assert_eq!(
        with(&[("4", "main-1", "b", false)]),
        Vec::<String>::new(),
        "… and before it was created again"
    );
    assert_eq!(with(&[("4", "main-1", "drift", true), ("5", "main-1", "b", false)]), Vec::<String>::new());
    assert_eq!(
        with(&[("4", "main-1", "b", true), ("5", "main-1", "b", false)]).len(),
        1,
        "one replacement too many"
    );
    let twice = [("4", "main-1", "drift", true), ("5", "main-1", "b", true), ("6", "main-1", "b", false)];
    assert_eq!(with(&twice).len(), 1);
}

#[test]
fn changed_replicas_account_for_the_pods_between() {
    let scaled = |from, to| Effect::Scaled { owner: set(), from, to };
    let again = pods(&[
        ("1", "main-0", "a", false),
        ("2", "main-1", "a", true),
        ("3", "main-1", "b", true),
        ("4", "main-1", "b", false),
    ]);
    assert_eq!(wrong(&again, &scaled(1, 2)), Vec::<String>::new());
    assert_eq!(wrong(&usual(), &scaled(1, 2)), Vec::<String>::new());
    assert_eq!(wrong(&again, &scaled(2, 3)).len(), 1, "that pod was to stay");
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
    let deleted = once.map(|(uid, name, revision, _)| (uid, name, revision, true));
    let again = [("4", "main-0", "a", false), ("5", "main-1", "a", true), ("6", "main-1", "b", false)];
    let all: Vec<_> = deleted.into_iter().chain(again).collect();
    assert_eq!(wrong(&pods(&all), &Effect::Twice), Vec::<String>::new());
    assert_eq!(wrong(&usual(), &Effect::Twice).len(), 2);
}

#[test]
fn a_set_that_was_created_for_a_deleted_owner_accounts_for_its_pods() {
    let (usual, found) = (
        pods(&[("1", "main-0", "a", true)]),
        pods(&[("1", "main-0", "a", true), ("2", "main-0", "a", true)]),
    );
    let wrong = |times| check([&usual, &usual], &found, &Effect::None, &[(set(), times)].into());
    assert_eq!(wrong(1), Vec::<String>::new());
    assert_eq!(wrong(0).len(), 1);
}

#[test]
fn the_effect_of_an_edit_on_pods_is_known() {
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
        [
            "pods/main-0: 1 created and 1 deleted, expected 0 created and 0 deleted for the changes of its template"
        ]
    );
    assert_eq!(with(&[("2", "main-0", "b", true), ("3", "main-0", "b", false)]).len(), 1);
}
