//! Whole reviews.

#![expect(clippy::needless_pass_by_value, reason = "tables of cases, written in place")]

use serde_json::{Value, json};

use super::*;

fn review(version: &str, resource: &str, object: Value) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u",
        "resource": {"group": "monitoring.coreos.com", "version": version, "resource": resource},
        "object": object,
    }})
}

fn rejection(message: &str, resource: &str, causes: &[&str]) -> Value {
    let causes: Vec<Value> = causes.iter().map(|cause| json!({"message": cause})).collect();
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {
        "uid": "u",
        "allowed": false,
        "status": {"metadata": {}, "status": "Failure", "message": message, "reason": "Invalid", "code": 422,
            "details": {"name": resource, "causes": causes}},
    }})
}

#[test]
fn a_rule_is_rejected_with_the_problems_of_the_check() {
    let good = json!({"metadata": {}, "spec": {"groups": [{"name": "a", "rules": null}]}});
    let allowed = validate_rule(&review("v1", "prometheusrules", good.clone()), &|_| Vec::new());
    assert_eq!(allowed["response"], json!({"uid": "u", "allowed": true}));
    let found = |spec: &api_monitoring::prometheus_rule::PrometheusRuleSpec| {
        vec![format!("{} is bad", spec.groups[0].name), "worse".to_owned()]
    };
    assert_eq!(
        validate_rule(&review("v1", "prometheusrules", good), &found),
        rejection("Rules are not valid", "prometheusrules", &["a is bad", "worse"])
    );
}

#[test]
fn a_rule_that_cannot_be_read_is_rejected() {
    for (version, object, message, cause) in [
        (
            "v1",
            json!({"spec": {"groups": [{"rules": [{"expr": true}]}]}}),
            "Cannot unmarshal rules from spec",
            "json: cannot unmarshal bool into Go struct field Rule.spec.groups.rules.expr of type int32",
        ),
        ("v1", Value::Null, "Cannot unmarshal rules from spec", "unexpected end of JSON input"),
        (
            "v2",
            json!({}),
            "Unexpected resource kind",
            "expected resource to be prometheusrules, but received {monitoring.coreos.com v2 prometheusrules}",
        ),
    ] {
        assert_eq!(
            validate_rule(&review(version, "prometheusrules", object), &|_| Vec::new()),
            rejection(message, "prometheusrules", &[cause])
        );
    }
}

/// Whether these are allowed: to create an object, to label it, to change its spec, and to remove its last finalizer.
fn answers(version: &str, resource: &str, spec: &Value, answer: impl Fn(&Value) -> Value) -> [bool; 4] {
    let object = |metadata: Value| json!({"metadata": metadata, "spec": spec});
    let before = || object(json!({"name": "a", "finalizers": ["f"]}));
    let allows = |object: Value, before: Value| {
        let mut review = review(version, resource, object);
        review["request"]["oldObject"] = before;
        answer(&review)["response"]["allowed"] == true
    };
    let deleted = json!({"name": "a", "deletionTimestamp": "2026-01-02T03:04:05Z"});
    [
        allows(before(), Value::Null),
        allows(object(json!({"name": "a", "labels": {"b": "c"}})), before()),
        allows(before(), json!({"metadata": {"name": "a"}, "spec": {}})),
        allows(object(deleted), before()),
    ]
}

#[test]
fn existing_objects_can_be_labelled_and_deleted() {
    let expected = [false, true, false, true];
    let rule = json!({"groups": [{"name": "a", "rules": [{"record": "b", "expr": "("}]}]});
    let bad = |_: &api_monitoring::prometheus_rule::PrometheusRuleSpec| vec!["bad".to_owned()];
    let checked = |review: &Value| validate_rule(review, &bad);
    assert_eq!(answers("v1", "prometheusrules", &rule, checked), expected);
    // A spec that cannot be read.
    let rule = json!({"groups": [{"rules": [{"expr": true}]}]});
    assert_eq!(answers("v1", "prometheusrules", &rule, checked), expected);
    for version in ["v1alpha1", "v1beta1"] {
        let config = json!({"route": {"receiver": "absent"}, "receivers": []});
        assert_eq!(answers(version, "alertmanagerconfigs", &config, validate_alertmanager_config), expected);
    }
}

#[test]
fn only_existing_objects_are_exempt() {
    let object = json!({"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}, "spec": {}});
    assert!(is_exempt(&object, Some(&json!({"spec": {"a": 1}}))));
    for before in [None, Some(&Value::Null)] {
        assert!(!is_exempt(&object, before));
    }
    assert!(!is_exempt(&Value::Null, Some(&object)), "a deletion is answered elsewhere");
    let nameless = json!({"metadata": {"deletionTimestamp": null}});
    assert!(is_exempt(&nameless, Some(&json!({}))), "neither has a spec");
    assert!(!is_exempt(&nameless, Some(&object)));
}

#[test]
fn a_request_for_other_resources_is_rejected_even_without_changes() {
    let mut review = review("v1", "probes", json!({}));
    review["request"]["oldObject"] = json!({});
    assert_eq!(validate_rule(&review, &|_| Vec::new())["response"]["allowed"], false);
    assert_eq!(validate_alertmanager_config(&review)["response"]["allowed"], false);
}

#[test]
fn metadata_that_cannot_be_read_is_rejected() {
    let object = json!({"metadata": {"annotations": {"a": 1}}, "spec": {}});
    assert_eq!(
        mutate_rule(&review("v1", "prometheusrules", object)),
        rejection(
            "Cannot unmarshal admission request",
            "prometheusrules",
            &[
                "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type string"
            ]
        )
    );
}

#[test]
fn a_review_without_a_request_is_rejected() {
    let answer = validate_alertmanager_config(&json!({"kind": "AdmissionReview"}));
    assert_eq!(answer["response"]["allowed"], false);
    assert_eq!(answer["response"]["status"]["message"], "Unable to deserialize request");
    assert_eq!(convert(&json!({"kind": "ConversionReview"})), Err(NoRequest));
}

#[test]
fn an_alertmanager_config_of_another_kind_or_version_is_rejected() {
    let name = "alertmanagerconfigs";
    for (version, resource, message, cause) in [
        (
            "v1",
            name,
            "Unexpected resource version",
            "expected resource version to be 'v1alpha1' or 'v1beta1', but received v1",
        ),
        (
            "v1",
            "x",
            "Unexpected resource kind",
            "expected resource to be alertmanagerconfigs, but received {monitoring.coreos.com v1 x}",
        ),
    ] {
        let answer = validate_alertmanager_config(&review(version, resource, json!({})));
        assert_eq!(answer, rejection(message, name, &[cause]));
    }
}

#[test]
fn nulls_are_ignored_except_in_child_routes() {
    let object = |routes: Value| {
        json!({"spec": {"receivers": [{"name": "r", "slackConfigs": null}], "timeIntervals": null,
            "route": {"receiver": "r", "groupBy": null, "routes": routes}}})
    };
    let response =
        |routes| validate_alertmanager_config(&review("v1beta1", "alertmanagerconfigs", object(routes)));
    assert_eq!(response(json!([{"matchers": null}]))["response"]["allowed"], true);
    assert_eq!(
        response(json!([{"match": null}])),
        rejection(
            "AlertmanagerConfig is invalid",
            "alertmanagerconfigs",
            &[r#"route[0]: json: unknown field "match""#]
        )
    );
}

fn conversion(wanted: &str, objects: Value) -> Value {
    let review = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "u", "desiredAPIVersion": wanted, "objects": objects}});
    convert(&review).unwrap()
}

#[test]
fn objects_are_converted_all_or_none() {
    let object = |version: &str, spec: Value| json!({"apiVersion": format!("monitoring.coreos.com/{version}"), "kind": "AlertmanagerConfig", "spec": spec});
    let (old, new) = ("monitoring.coreos.com/v1alpha1", "monitoring.coreos.com/v1beta1");
    assert_eq!(
        conversion(new, json!([object("v1alpha1", json!({"muteTimeIntervals": [{"name": "a"}]}))])),
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": {
            "uid": "u",
            "convertedObjects": [object("v1beta1", json!({"timeIntervals": [{"name": "a"}]}))],
            "result": {"metadata": {}, "status": "Success"},
        }})
    );
    let good = || object("v1alpha1", json!({}));
    for (wanted, invalid, message) in [
        (old, good(), "conversion is not allowed between same type *v1alpha1.AlertmanagerConfig"),
        (
            new,
            object("v1alpha1", json!({"route": {"routes": [{"bad": 1}]}})),
            r#"route[0]: json: unknown field "bad""#,
        ),
        (
            new,
            object("v9", json!({})),
            r#"no kind "AlertmanagerConfig" is registered for version "monitoring.coreos.com/v9""#,
        ),
        ("foo/v1", good(), r#"no kind "AlertmanagerConfig" is registered for version "foo/v1""#),
        (new, json!({"kind": "A"}), r#"Object 'apiVersion' is missing in '{"kind":"A"}'"#),
        (new, json!({"apiVersion": "a"}), r#"Object 'Kind' is missing in '{"apiVersion":"a"}'"#),
    ] {
        assert_eq!(
            conversion(wanted, json!([invalid]))["response"],
            json!({"uid": "u", "convertedObjects": null,
                "result": {"metadata": {}, "status": "Failure", "message": message}})
        );
    }
}
