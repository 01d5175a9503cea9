//! Files for versions.

use formats::version::Version;
use formats::yaml::{Map, read};
use proptest::prelude::*;
use serde_json::json;

use super::{group, rule};
use crate::Options;
use crate::file::{RuleFileError, RuleFormat, RuleReader, name, write};
use crate::json::passed;
use crate::yaml_texts::texts;

fn reader(format: RuleFormat, major: u64, minor: u64) -> RuleReader {
    RuleReader { format, version: Version::new(major, minor, 0), options: Options::default() }
}

#[test]
fn unsupported_fields_are_left_out() {
    let spec = group(&json!({
        "name": "g", "limit": 5, "query_offset": "30s", "labels": {"a": "b"}, "partial_response_strategy": "warn",
        "rules": [{"alert": "A", "expr": "up", "keep_firing_for": "5m"}],
    }));
    let bare = "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: up\n";
    assert_eq!(write(&spec, &reader(RuleFormat::Prometheus, 2, 30)).as_deref(), Ok(bare));
    let whole = "groups:\n- labels:\n    a: b\n  limit: 5\n  name: g\n  partial_response_strategy: warn\n  query_offset: 30s\n  rules:\n  - alert: A\n    expr: up\n    keep_firing_for: 5m\n";
    assert_eq!(write(&spec, &reader(RuleFormat::Thanos, 0, 39)).as_deref(), Ok(whole));
}

#[test]
fn unsupported_fields_are_not_checked() {
    let spec = rule(&json!({"record": "r", "expr": "up", "keep_firing_for": "never"}));
    assert!(write(&spec, &reader(RuleFormat::Prometheus, 2, 41)).is_ok());
    let Err(RuleFileError::Invalid(problems)) = write(&spec, &reader(RuleFormat::Prometheus, 2, 42)) else {
        panic!("it was written");
    };
    assert_eq!(problems.len(), 2);
}

proptest! {
    #[test]
    fn any_text_survives_or_is_rejected(text in texts()) {
        let spec = group(&json!({"name": text, "labels": {"l": text}, "rules": [
            {"alert": text, "expr": "up", "annotations": {"a": text}, "labels": {"l": text}}]}));
        let Ok(file) = write(&spec, &reader(RuleFormat::Prometheus, 3, 5)) else { return Ok(()) };
        let text = || passed(&text).unwrap().into_owned();
        let rule = Map::new()
            .with("alert", text())
            .with("annotations", Map::new().with("a", text()))
            .with("expr", "up")
            .with("labels", Map::new().with("l", text()));
        let group =
            Map::new().with("labels", Map::new().with("l", text())).with("name", text()).with("rules", vec![rule]);
        let expected = Map::new().with("groups", vec![group]);
        prop_assert_eq!(read(&file).map(|document| document.value), Ok(expected.into()));
    }
}

#[test]
fn an_empty_rule_is_an_empty_file() {
    let spec = serde_json::from_value(json!({})).unwrap();
    assert_eq!(write(&spec, &reader(RuleFormat::Prometheus, 3, 0)).unwrap(), "{}\n");
}

#[test]
fn a_file_is_named_after_its_rule() {
    let rule = serde_json::from_value(json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
        "metadata": {"namespace": "a", "name": "b", "uid": "1-2"}, "spec": {},
    }));
    assert_eq!(name(&rule.unwrap()), "a-b-1-2.yaml");
}
