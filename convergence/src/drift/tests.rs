use super::*;

fn object() -> Value {
    json!({
        "metadata": {
            "name": "a", "labels": {"a/b": "1"},
            "managedFields": [
                {"manager": "mainstay", "operation": "Apply", "fieldsV1": {
                    "f:metadata": {"f:labels": {"f:a/b": {}}},
                    "f:spec": {"f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}}}, "f:replicas": {}},
                }},
                {"manager": "other", "operation": "Update", "fieldsV1": {"f:status": {}}},
            ],
        },
        "spec": {"ports": [{"port": 80}], "replicas": 2, "image": "a/b:0.1.0"},
    })
}

#[test]
fn the_leaves_of_a_field_manager_are_found() {
    let leaves = owned_leaves(&object(), "mainstay", Way::Apply);
    assert_eq!(leaves, ["/metadata/labels/a~1b", "/spec/ports/0/port", "/spec/replicas"]);
    assert_eq!(owned_leaves(&object(), "mainstay", Way::Replace), Vec::<String>::new());
}

#[test]
fn an_edit_changes_one_leaf() {
    let edited = |pointer: &str, gentle| after(&object(), &Act::Edit(pointer.into()), gentle).unwrap();
    assert_eq!(edited("/spec/replicas", true)["spec"]["replicas"], 1);
    assert_eq!(edited("/spec/replicas", false)["spec"].get("replicas"), None);
    assert_eq!(edited("/metadata/labels/a~1b", true)["metadata"]["labels"]["a/b"], "2");
    assert_eq!(edited("/spec/ports/0/port", true)["spec"]["ports"][0]["port"], 79);
    assert_eq!(edited("/spec/image", true)["spec"]["image"], "drift/a/b:0.1.0");
}

#[test]
fn marks_are_removed_again() {
    let mut marked = after(&object(), &Act::Mark, true).unwrap();
    assert_eq!(unmark(&mut marked), Vec::<String>::new());
    assert_eq!(marked["metadata"]["labels"], json!({"a/b": "1"}));
    assert_eq!(unmark(&mut object()).len(), 3);
}

fn end() -> State {
    let owner = json!([{"uid": "1"}]);
    let app = json!({"metadata": {"name": "app", "uid": "1"}});
    let fields = json!([{"manager": "mainstay", "operation": "Apply", "fieldsV1": {"f:data": {"f:a": {}, "f:b": {}}}}]);
    let child = |name: &str| {
        json!({
            "metadata": {"name": name, "ownerReferences": owner, "managedFields": fields},
            "data": {"a": "1", "b": "2"},
        })
    };
    let other = json!({"metadata": {"name": "other"}});
    let named = |kind: &str, object: Value| {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        (Name { kind: kind.into(), name }, object)
    };
    let resource = named("exampleapps.example-app.appdelivery.cncf.io", app);
    let maps = [child("app-features"), other].map(|object| named("configmaps", object));
    // Created by the user, in the scenario that adopts.
    let secret = named("secrets", child("old-login"));
    State(maps.into_iter().chain([resource, secret]).collect())
}

/// The first candidate of each list, after a scenario of the example.
fn first_candidates(scenario: &str) -> Vec<String> {
    let subjects = crate::kinds::all();
    let scenario = subjects[0].scenarios.iter().find(|one| one.name == scenario).unwrap();
    let lists = candidates(&subjects[0], scenario, &end());
    lists.iter().map(|list| format!("{} {}", list[0].act.name(), list[0].name)).collect()
}

#[test]
fn each_change_is_tested_once_and_all_of_them_with_a_complete_spec() {
    let acts = ["delete", "delete-slowly", "edit", "mark", "strip-labels", "strip-owners"];
    let on_map = acts.map(|act| format!("{act} configmaps/app-features"));
    assert_eq!(first_candidates("adopt"), on_map, "objects of users cannot be recreated");
    assert_eq!(first_candidates("scale").len(), acts.len());
    assert_eq!(first_candidates("whole").len(), 2 * 7, "five changes and two edits of each child");
    assert_eq!(first_candidates("uninstall"), Vec::<String>::new());
}

#[test]
fn metadata_of_the_server_is_no_change() {
    let of = |version: &str, data: &str| json!({"metadata": {"resourceVersion": version, "generation": version}, "data": data});
    assert!(!differs(&of("1", "x"), &of("2", "x")));
    assert!(differs(&of("1", "x"), &of("2", "y")));
}

#[test]
fn an_edit_of_a_field_with_a_uid_in_its_name_applies_to_another_run() {
    let state = |namespace: &str, uid: &str| {
        let file = format!("{namespace}-rules-{uid}.yaml");
        let rule = json!({"metadata": {"name": "rules", "uid": uid}});
        let map = json!({"metadata": {"name": "files", "uid": "other"}, "data": {"a/b": "1", file: "2"}});
        let named = |kind: &str, name: &str| Name { kind: kind.into(), name: name.into() };
        State([(named("rules", "rules"), rule), (named("configmaps", "files"), map)].into())
    };
    let drift = |pointer: &str| Drift {
        name: Name { kind: "configmaps".into(), name: "files".into() },
        act: Act::Edit(pointer.into()),
    };
    let (one, two) = (state("plan-1", "17-4"), state("plan-20", "99-1"));
    let general = drift("/data/plan-1-rules-17-4.yaml").for_any_run(&one, "plan-1");
    assert_eq!(general, drift("/data/NAMESPACE-rules-(UID of rules~1rules).yaml"));
    assert_eq!(general.for_run(&two, "plan-20"), drift("/data/plan-20-rules-99-1.yaml"));
    assert_eq!(drift("/data/a~1b").for_run(&one, "plan-1"), drift("/data/a~1b"));
    assert_eq!(drift("/spec/ports/0/port").for_run(&one, "plan-1"), drift("/spec/ports/0/port"));
}
