//! Checks of monitors, with the messages that users read.

use k8s_openapi::jiff::Timestamp;
use serde_json::json;

use super::*;

fn request(resource: &str, object: &Value, before: &Value) -> ReviewRequest {
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "u", "name": "a", "namespace": "default", "operation": "UPDATE", "userInfo": {},
            "kind": {"group": "monitoring.coreos.com", "version": "v1", "kind": "Any"},
            "resource": {"group": "monitoring.coreos.com", "version": "v1", "resource": resource},
            "object": object, "oldObject": before,
        },
    });
    let review: kube::core::admission::AdmissionReview<DynamicObject> =
        serde_json::from_value(review).unwrap();
    review.try_into().unwrap()
}

fn object(spec: &Value) -> Value {
    json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "Any", "metadata": {"name": "a"}, "spec": spec,
    })
}

/// The answer of the webhook for a resource to a request.
fn reviewed(resource: &str, request: ReviewRequest) -> Result<(), String> {
    let (webhook, check) = MONITORS.into_iter().find(|(webhook, _)| webhook.resource == resource).unwrap();
    match review(request, webhook.resource, check).decision {
        AdmissionDecision::Allow => Ok(()),
        AdmissionDecision::Deny(message) => Err(message),
    }
}

fn checked(resource: &str, spec: &Value) -> Result<(), String> {
    reviewed(resource, request(resource, &object(spec), &Value::Null))
}

fn endpoint(endpoint: &Value) -> Value {
    json!({"selector": {}, "endpoints": [{"port": "web"}, endpoint]})
}

/// A Secret that does not exist yet.
fn secret() -> Value {
    json!({"name": "later", "key": "key"})
}

#[test]
fn missing_references_are_allowed() {
    let everything = json!({
        "port": "web", "scrapeTimeout": "1h",
        "basicAuth": {"username": secret(), "password": secret()},
        "tlsConfig": {
            "ca": {"configMap": {"name": "map", "key": "ca"}}, "cert": {"secret": secret()}, "keySecret": secret(),
        },
        "relabelings": [{"action": "DropEqual", "sourceLabels": ["a"], "targetLabel": "ü"}],
    });
    let mut spec = endpoint(&everything);
    spec["scrapeClass"] = "unknown".into();
    spec["selectorMechanism"] = "RoleSelector".into();
    assert_eq!(checked("servicemonitors", &spec), Ok(()));
    let pods = json!({"selector": {}, "podMetricsEndpoints": [{"bearerTokenSecret": secret()}]});
    assert_eq!(checked("podmonitors", &pods), Ok(()));
    let probe = json!({"prober": {"url": "prober:9115"}, "targets": {"staticConfig": {"static": ["a"]}}});
    assert_eq!(checked("probes", &probe), Ok(()));
    let jobs = json!({"consulSDConfigs": [{"server": "a", "healthFilter": "a", "tokenRef": secret()}]});
    assert_eq!(checked("scrapeconfigs", &jobs), Ok(()));
}

#[test]
fn messages_name_the_field_and_what_to_do() {
    let correct = "Correct it: no Prometheus can use the object as it is";
    for (resource, spec, message) in [
        (
            "servicemonitors",
            endpoint(&json!({"bearerTokenSecret": secret(), "relabelings": [{"regex": "("}]})),
            "spec.endpoints[1].relabelings[0]: invalid regex ( for relabel configuration: error parsing regexp: \
             missing closing ): `^(?s:()$`. Use a regular expression in RE2 syntax"
                .to_owned(),
        ),
        (
            "servicemonitors",
            endpoint(&json!({"basicAuth": {"username": secret(), "password": secret()}, "oauth2": {}})),
            format!("spec.endpoints[1]: basicAuth and oauth2 cannot be configured at the same time. {correct}"),
        ),
        (
            "servicemonitors",
            endpoint(&json!({"basicAuth": {"username": secret()}})),
            "spec.endpoints[1].basicAuth: failed to get basic auth password: unable to get secret \"\": \
             secrets \"\" not found. Set the name of the object and the key in it"
                .to_owned(),
        ),
        (
            "servicemonitors",
            endpoint(&json!({"interval": "1", "scrapeTimeout": "1s"})),
            "spec.endpoints[1]: invalid scrapeInterval \"1\": not a valid duration string: \"1\". \
             Use a duration such as 30s or 1m30s"
                .to_owned(),
        ),
        (
            "podmonitors",
            json!({"podMetricsEndpoints": [{"interval": "30s", "scrapeTimeout": "1m"}]}),
            "spec.podMetricsEndpoints[0]: scrapeTimeout \"1m\" greater than scrapeInterval \"30s\". \
             Set a timeout that is not longer than the interval"
                .to_owned(),
        ),
        (
            "probes",
            json!({"prober": {"url": "p"}, "targets": {"ingress": {"relabelingConfigs": [{"action": "hashmod"}]}}}),
            "spec.targets.ingress.relabelingConfigs[0]: relabel configuration for hashmod requires non-zero \
             modulus. Set modulus to a number greater than 0"
                .to_owned(),
        ),
        (
            "scrapeconfigs",
            json!({"scalewaySDConfigs": [{}], "httpSDConfigs": [{"url": "http://a"}, {"url": ":"}]}),
            "spec.httpSDConfigs[1]: parse \":\": missing protocol scheme. \
             Use a URL such as http://host:80/path"
                .to_owned(),
        ),
        (
            "scrapeconfigs",
            json!({"relabelings": 1}),
            "the object cannot be read: invalid type: integer `1`, expected a sequence. Correct the type of the field"
                .to_owned(),
        ),
    ] {
        assert_eq!(checked(resource, &spec), Err(message));
    }
}

#[test]
fn existing_objects_can_be_labelled_and_deleted() {
    let bad = object(&endpoint(&json!({"interval": "1"})));
    let resource = "servicemonitors";
    assert!(reviewed("servicemonitors", request(resource, &bad, &object(&json!({})))).is_err());
    assert_eq!(reviewed("servicemonitors", request(resource, &bad, &bad)), Ok(()));
    let mut deleted = bad.clone();
    deleted["metadata"]["deletionTimestamp"] = json!(Timestamp::UNIX_EPOCH);
    assert_eq!(reviewed("servicemonitors", request(resource, &deleted, &object(&json!({})))), Ok(()));
    assert_eq!(reviewed("servicemonitors", request(resource, &Value::Null, &bad)), Ok(()), "deleted");
}

#[test]
fn a_webhook_that_is_registered_for_another_resource_denies_requests() {
    assert_eq!(
        reviewed("probes", request("podmonitors", &object(&json!({})), &Value::Null)),
        Err("this webhook checks probes, not podmonitors: register it for probes only".to_owned())
    );
}
