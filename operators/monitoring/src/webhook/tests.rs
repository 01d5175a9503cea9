//! The webhooks of the Prometheus Operator over HTTP, and the metrics.

use std::collections::BTreeSet;

use http::StatusCode;
use kernel::metrics::Catalogue;
use kernel::webhook::{Question, WebhookError};
use serde_json::{Value, json};

use super::*;
use crate::webhook::registration::{MUTATING, VALIDATING};

fn path() -> metrics::PathMetrics {
    WebhookMetrics::register(&mut Catalogue::default()).path(VALIDATE_RULE)
}

fn ask(content_type: Option<&str>, body: &str) -> Result<Value, WebhookError> {
    let handler = review::admission(path(), validate_alertmanager_config);
    let answer = handler(Question { content_type, body: body.as_bytes() })?;
    Ok(serde_json::from_slice(&answer).unwrap())
}

#[test]
fn only_json_is_accepted() {
    let failure = |code, words: &str| Err(WebhookError { code, message: words.to_owned() });
    let json = Some("application/json");
    assert_eq!(ask(json, ""), failure(StatusCode::BAD_REQUEST, "request has no body"));
    for other in [None, Some("text/plain"), Some("application/json; charset=utf-8")] {
        let words = "invalid Content-Type, want `application/json`";
        assert_eq!(ask(other, "{}"), failure(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    let refused = json!({"response": {"uid": "", "allowed": false, "status": {
        "metadata": {}, "status": "Failure", "message": "Unable to deserialize request", "reason": "Invalid",
        "details": {"causes": [{"message": "EOF while parsing an object at line 1 column 1"}]}, "code": 422,
    }}});
    assert_eq!(ask(json, "{"), Ok(refused));
}

#[test]
fn a_conversion_needs_a_review() {
    let handler = review::conversion(path(), convert);
    let ask = |body: &str| handler(Question { content_type: None, body: body.as_bytes() });
    for (body, words) in
        [("", "EOF while parsing a value at line 1 column 0"), ("{}", "the review has no request")]
    {
        assert_eq!(ask(body), Err(WebhookError { code: StatusCode::BAD_REQUEST, message: words.to_owned() }));
    }
    let answer: Value = serde_json::from_slice(&ask(r#"{"request": {"uid": "u"}}"#).unwrap()).unwrap();
    assert_eq!(answer["response"]["result"]["status"], "Success");
}

#[test]
fn every_review_is_counted() {
    let mut catalogue = Catalogue::default();
    let metrics = WebhookMetrics::register(&mut catalogue);
    let handler = review::admission(metrics.path(MUTATE_RULE), mutate_rule);
    let resource = json!({"group": "monitoring.coreos.com", "version": "v1", "resource": "prometheusrules"});
    let good = json!({"request": {"uid": "u", "resource": resource, "object": {"spec": {"groups": []}}}})
        .to_string();
    for (body, times) in [(good.as_str(), 3), ("{}", 2), ("", 1)] {
        for _ in 0..times {
            let _ = handler(Question { content_type: Some("application/json"), body: body.as_bytes() });
        }
    }
    let page = catalogue.expose().unwrap();
    for (verdict, times) in [("allowed", 3), ("refused", 2), ("unreadable", 1)] {
        let series = format!(
            "mainstay_webhook_reviews_total{{path=\"{MUTATE_RULE}\",verdict=\"{verdict}\"}} {times}\n"
        );
        assert!(page.contains(&series), "{page}");
    }
    let time = format!("mainstay_webhook_review_duration_seconds_count{{path=\"{MUTATE_RULE}\"}} 6\n");
    assert!(page.contains(&time), "{page}");
}

#[test]
fn all_routes_are_registered() {
    let routes = routes(RuleSettings::default(), &WebhookMetrics::register(&mut Catalogue::default()));
    let paths = [
        "/admission-alertmanagerconfigs/validate",
        "/admission-podmonitors/validate",
        "/admission-probes/validate",
        "/admission-prometheusrules/mutate",
        "/admission-prometheusrules/validate",
        "/admission-scrapeconfigs/validate",
        "/admission-servicemonitors/validate",
        "/convert",
    ];
    assert_eq!(format!("{routes:?}"), format!("{{{}}}", paths.map(|path| format!("{path:?}")).join(", ")));
    let registered = VALIDATING.iter().chain(&MUTATING).map(|one| one.path).chain([CONVERT]);
    let registered: BTreeSet<&str> = registered.collect();
    assert_eq!(registered, BTreeSet::from(paths), "all routes can be registered");
}
