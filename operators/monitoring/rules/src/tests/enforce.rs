//! Rules bound to their namespace.

use api_monitoring::PrometheusRule;
use serde_json::{Value, json};

use crate::Options;
use crate::enforce::NamespaceLabel;

fn bound(rules: &Value) -> Result<Value, String> {
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
fn queries_and_results_are_bound() {
    let rules = json!([
        {"alert": "A", "expr": "up", "labels": {"namespace": "other", "severity": "low"}},
        {"record": "r", "expr": 1},
    ]);
    let expected = json!([
        {"expr": "up{namespace=\"shop\"}", "labels": {"namespace": "shop", "severity": "low"}},
        {"expr": "1", "labels": {"namespace": "shop"}},
    ]);
    assert_eq!(bound(&rules), Ok(expected));
}

#[test]
fn a_query_that_is_none_cannot_be_bound() {
    let expected = "failed to parse promql expression: 1:3: parse error: unexpected identifier \"b\"";
    assert_eq!(bound(&json!([{"alert": "A", "expr": "a b"}])), Err(expected.to_owned()));
}
