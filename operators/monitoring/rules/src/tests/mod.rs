//! Rules from resource to file.

mod check;
mod enforce;
mod file;

use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use serde_json::{Value, json};

/// A spec with one group.
fn group(group: &Value) -> PrometheusRuleSpec {
    serde_json::from_value(json!({ "groups": [group] })).unwrap()
}

/// A spec with one rule.
fn rule(rule: &Value) -> PrometheusRuleSpec {
    group(&json!({"name": "g", "rules": [rule]}))
}
