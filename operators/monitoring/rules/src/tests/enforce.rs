//! Rules with the enforced label.

use api_monitoring::PrometheusRule;
use serde_json::{Value, json};

use crate::Options;
use crate::enforce::NamespaceLabel;

fn enforced(rules: &Value) -> Result<Value, String> {
    let mut rule: PrometheusRule = serde_json::from_value(json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
        "metadata": {"namespace": "shop", "name": "r"}, "spec": {"groups": [{"name": "g", "rules": rules}]},
    }))
    .unwrap();
    let label = NamespaceLabel { label: "namespace", ..NamespaceLabel::default() };
    label.bind_rule(&mut rule, Options::default()).map_err(|error| error.to_string())?;
    let rules = rule.spec.groups[0].rules.iter();
    Ok(rules.map(|rule| json!({"expr": rule.expr, "labels": rule.labels})).collect())
}

#[test]
fn the_label_is_enforced_in_queries_and_results() {
    let rules = json!([
        {"alert": "A", "expr": "up", "labels": {"namespace": "other", "severity": "low"}},
        {"record": "r", "expr": 1},
    ]);
    let expected = json!([
        {"expr": "up{namespace=\"shop\"}", "labels": {"namespace": "shop", "severity": "low"}},
        {"expr": "1", "labels": {"namespace": "shop"}},
    ]);
    assert_eq!(enforced(&rules), Ok(expected));
}

#[test]
fn an_invalid_query_is_an_error() {
    let expected = "failed to parse promql expression: 1:3: parse error: unexpected identifier \"b\"";
    assert_eq!(enforced(&json!([{"alert": "A", "expr": "a b"}])), Err(expected.to_owned()));
}
