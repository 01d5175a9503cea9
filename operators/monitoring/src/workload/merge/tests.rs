use k8s_openapi::api::core::v1::Container;
use serde_json::{Value, json};

use super::containers;

fn merged(own: Value, users: Value) -> Vec<Container> {
    containers(serde_json::from_value(own).unwrap(), &serde_json::from_value::<Vec<_>>(users).unwrap())
        .unwrap()
}

fn expected(containers: Value) -> Vec<Container> {
    serde_json::from_value(containers).unwrap()
}

#[test]
fn fields_that_the_user_does_not_set_are_kept() {
    let own = json!([{
        "name": "c", "image": "own", "args": ["a", "b"], "command": ["x"],
        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
        "securityContext": {"privileged": true, "capabilities": {"drop": ["ALL"]}},
    }]);
    let users = json!([{
        "name": "c", "image": "", "args": ["c"], "command": [], "resources": {"limits": {"cpu": "2"}},
        "securityContext": {"privileged": false, "capabilities": {"add": ["NET_ADMIN"]}},
    }]);
    let both = json!([{
        "name": "c", "image": "own", "args": ["c"], "command": ["x"],
        "resources": {"limits": {"cpu": "2", "memory": "1Gi"}},
        "securityContext": {"privileged": false, "capabilities": {"drop": ["ALL"], "add": ["NET_ADMIN"]}},
    }]);
    assert_eq!(merged(own, users), expected(both));
}

#[test]
fn lists_with_a_key_are_merged_and_keep_both_orders() {
    let mounts = |paths: &[(&str, &str)]| -> Value {
        paths.iter().map(|(path, name)| json!({"name": name, "mountPath": path})).collect()
    };
    let own =
        json!([{"name": "c", "volumeMounts": mounts(&[("/a", "a"), ("/b", "b"), ("/c", "c"), ("/d", "d")])}]);
    let users = json!([{"name": "c", "volumeMounts": mounts(&[("/x", "x"), ("/c", "C"), ("/y", "y")])}]);
    let both = [("/x", "x"), ("/a", "a"), ("/b", "b"), ("/c", "C"), ("/y", "y"), ("/d", "d")];
    assert_eq!(merged(own, users), expected(json!([{"name": "c", "volumeMounts": mounts(&both)}])));
}

#[test]
fn the_users_order_wins_over_ours() {
    let env = |names: &[&str]| -> Value { names.iter().map(|name| json!({"name": name})).collect() };
    let own = json!([{"name": "c", "env": env(&["a", "b", "c", "d"])}]);
    let users = json!([{"name": "c", "env": env(&["d", "b"])}]);
    assert_eq!(merged(own, users), expected(json!([{"name": "c", "env": env(&["a", "c", "d", "b"])}])));
}

#[test]
fn an_element_is_merged_field_by_field() {
    let own = json!([{"name": "c", "volumeMounts": [{"name": "a", "mountPath": "/a", "readOnly": true, "subPath": "s"}]}]);
    let users = json!([{"name": "c", "volumeMounts": [{"name": "b", "mountPath": "/a", "readOnly": false}]}]);
    let both = json!([{"name": "c", "volumeMounts": [{"name": "b", "mountPath": "/a", "readOnly": true, "subPath": "s"}]}]);
    assert_eq!(merged(own, users), expected(both));
}

#[test]
fn a_value_and_a_source_of_a_variable_stay_side_by_side() {
    let own = json!([{"name": "c", "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}]);
    let users = json!([{"name": "c", "env": [{"name": "POD_NAME", "value": "x"}]}]);
    let both = json!([{"name": "c", "env": [
        {"name": "POD_NAME", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]}]);
    assert_eq!(merged(own, users), expected(both));
}

#[test]
fn the_last_container_with_a_name_is_used() {
    let own = json!([{"name": "a"}, {"name": "b"}]);
    let users =
        json!([{"name": "x", "image": "1"}, {"name": "b", "image": "1"}, {"name": "x", "image": "2"}]);
    let both = json!([{"name": "a"}, {"name": "b", "image": "1"}, {"name": "x", "image": "2"}, {"name": "x", "image": "2"}]);
    assert_eq!(merged(own, users), expected(both));
}

#[test]
fn the_users_handler_replaces_ours_and_the_times_stay() {
    let own = json!([{"name": "c", "startupProbe": {"httpGet": {"path": "/", "port": "web"}, "periodSeconds": 15}}]);
    let users = json!([{"name": "c", "startupProbe": {"tcpSocket": {"port": 9090}}}]);
    let both = json!([{"name": "c", "startupProbe": {"tcpSocket": {"port": 9090}, "periodSeconds": 15}}]);
    assert_eq!(merged(own, users), expected(both));
}

#[test]
fn a_grpc_probe_without_a_service_asks_for_none() {
    let own = json!([{"name": "c", "livenessProbe": {"grpc": {"port": 1, "service": "s"}}}]);
    let users = json!([{"name": "c", "livenessProbe": {"grpc": {"port": 2}}}]);
    assert_eq!(merged(own, users), expected(json!([{"name": "c", "livenessProbe": {"grpc": {"port": 2}}}])));
}

proptest::proptest! {
    #[test]
    fn no_element_is_lost_or_duplicated(own in ports(), users in ports()) {
        let list = |numbers: &[u16]| json!([{"name": "c", "ports": numbers.iter().map(|number| json!({"containerPort": number})).collect::<Vec<_>>()}]);
        let both = merged(list(&own), list(&users)).remove(0).ports.unwrap_or_default();
        let both: Vec<u16> = both.iter().map(|port| u16::try_from(port.container_port).unwrap()).collect();
        let of_users: Vec<u16> = both.iter().copied().filter(|port| users.contains(port)).collect();
        let only_own: Vec<u16> = both.iter().copied().filter(|port| !users.contains(port)).collect();
        let wanted: Vec<u16> = own.iter().copied().filter(|port| !users.contains(port)).collect();
        proptest::prop_assert_eq!(of_users, users);
        proptest::prop_assert_eq!(only_own, wanted);
    }
}

fn ports() -> impl proptest::strategy::Strategy<Value = Vec<u16>> {
    use proptest::strategy::Strategy;
    proptest::sample::subsequence((1..9).collect::<Vec<u16>>(), 0..8).prop_shuffle()
}
