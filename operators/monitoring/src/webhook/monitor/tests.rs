//! Verdicts on monitors, in the words that users read.

use k8s_openapi::jiff::Timestamp;
use serde_json::json;

use super::*;

fn request(resource: &str, object: &Value, before: &Value) -> Request {
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

fn judged(path: &str, request: Request) -> Result<(), String> {
    let (_, resource, check) = MONITORS.into_iter().find(|(known, ..)| *known == path).unwrap();
    match judge(request, resource, check).decision {
        Decision::Allow => Ok(()),
        Decision::Deny(words) => Err(words),
    }
}

fn verdict(path: &str, spec: &Value) -> Result<(), String> {
    let resource = path.trim_start_matches("/admission-").trim_end_matches("/validate");
    judged(path, request(resource, &object(spec), &Value::Null))
}

fn endpoint(endpoint: &Value) -> Value {
    json!({"selector": {}, "endpoints": [{"port": "web"}, endpoint]})
}

/// A Secret that nobody has made yet.
fn secret() -> Value {
    json!({"name": "later", "key": "key"})
}

#[test]
fn what_only_the_cluster_knows_is_no_reason() {
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
    assert_eq!(verdict(VALIDATE_SERVICE_MONITOR, &spec), Ok(()));
    let pods = json!({"selector": {}, "podMetricsEndpoints": [{"bearerTokenSecret": secret()}]});
    assert_eq!(verdict(VALIDATE_POD_MONITOR, &pods), Ok(()));
    let probe = json!({"prober": {"url": "prober:9115"}, "targets": {"staticConfig": {"static": ["a"]}}});
    assert_eq!(verdict(VALIDATE_PROBE, &probe), Ok(()));
    let jobs = json!({"consulSDConfigs": [{"server": "a", "healthFilter": "a", "tokenRef": secret()}]});
    assert_eq!(verdict(VALIDATE_SCRAPE_CONFIG, &jobs), Ok(()));
}

#[test]
fn the_field_is_named_and_what_to_do() {
    let correct = "Correct it: no Prometheus can take the object in as it is";
    for (path, spec, words) in [
        (
            VALIDATE_SERVICE_MONITOR,
            endpoint(&json!({"bearerTokenSecret": secret(), "relabelings": [{"regex": "("}]})),
            "spec.endpoints[1].relabelings[0]: invalid regex ( for relabel configuration: error parsing regexp: \
             missing closing ): `^(?s:()$`. Write a regular expression in the syntax of RE2"
                .to_owned(),
        ),
        (
            VALIDATE_SERVICE_MONITOR,
            endpoint(&json!({"basicAuth": {"username": secret(), "password": secret()}, "oauth2": {}})),
            format!("spec.endpoints[1]: basicAuth and oauth2 cannot be configured at the same time. {correct}"),
        ),
        (
            VALIDATE_SERVICE_MONITOR,
            endpoint(&json!({"basicAuth": {"username": secret()}})),
            "spec.endpoints[1].basicAuth: failed to get basic auth password: unable to get secret \"\": \
             secrets \"\" not found. Give the name of the object and the key in it"
                .to_owned(),
        ),
        (
            VALIDATE_SERVICE_MONITOR,
            endpoint(&json!({"interval": "1", "scrapeTimeout": "1s"})),
            "spec.endpoints[1]: invalid scrapeInterval \"1\": not a valid duration string: \"1\". \
             Write a duration, such as 30s or 1m30s"
                .to_owned(),
        ),
        (
            VALIDATE_POD_MONITOR,
            json!({"podMetricsEndpoints": [{"interval": "30s", "scrapeTimeout": "1m"}]}),
            "spec.podMetricsEndpoints[0]: scrapeTimeout \"1m\" greater than scrapeInterval \"30s\". \
             Let the timeout be at most the interval"
                .to_owned(),
        ),
        (
            VALIDATE_PROBE,
            json!({"prober": {"url": "p"}, "targets": {"ingress": {"relabelingConfigs": [{"action": "hashmod"}]}}}),
            "spec.targets.ingress.relabelingConfigs[0]: relabel configuration for hashmod requires non-zero \
             modulus. Set modulus to a number above 0"
                .to_owned(),
        ),
        (
            VALIDATE_SCRAPE_CONFIG,
            json!({"scalewaySDConfigs": [{}], "httpSDConfigs": [{"url": "http://a"}, {"url": ":"}]}),
            "spec.httpSDConfigs[1]: parse \":\": missing protocol scheme. \
             Write a whole address, such as http://host:80/path"
                .to_owned(),
        ),
        (
            VALIDATE_SCRAPE_CONFIG,
            json!({"relabelings": 1}),
            "the object cannot be read: invalid type: integer `1`, expected a sequence. Correct the field's type"
                .to_owned(),
        ),
    ] {
        assert_eq!(verdict(path, &spec), Err(words));
    }
}

#[test]
fn what_was_there_before_may_be_labelled_and_deleted() {
    let bad = object(&endpoint(&json!({"interval": "1"})));
    let resource = "servicemonitors";
    assert!(judged(VALIDATE_SERVICE_MONITOR, request(resource, &bad, &object(&json!({})))).is_err());
    assert_eq!(judged(VALIDATE_SERVICE_MONITOR, request(resource, &bad, &bad)), Ok(()));
    let mut leaving = bad.clone();
    leaving["metadata"]["deletionTimestamp"] = json!(Timestamp::UNIX_EPOCH);
    assert_eq!(judged(VALIDATE_SERVICE_MONITOR, request(resource, &leaving, &object(&json!({})))), Ok(()));
    assert_eq!(judged(VALIDATE_SERVICE_MONITOR, request(resource, &Value::Null, &bad)), Ok(()), "deleted");
}

#[test]
fn a_webhook_that_is_registered_for_others_says_so() {
    assert_eq!(
        judged(VALIDATE_PROBE, request("podmonitors", &object(&json!({})), &Value::Null)),
        Err("this webhook checks probes, not podmonitors: register it for those".to_owned())
    );
}
