//! Files for versions.

use formats::version::Version;
use serde_json::json;

use super::{group, rule};
use crate::Options;
use crate::file::{Format, Reader, Refused, name, write};

fn reader(format: Format, major: u64, minor: u64) -> Reader {
    Reader { format, version: Version::new(major, minor, 0), options: Options::default() }
}

#[test]
fn what_a_version_does_not_know_is_left_out_and_named() {
    let spec = group(&json!({
        "name": "g", "limit": 5, "query_offset": "30s", "labels": {"a": "b"}, "partial_response_strategy": "warn",
        "rules": [{"alert": "A", "expr": "up", "keep_firing_for": "5m"}],
    }));
    let bare = "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: up\n";
    let written = write(&spec, &reader(Format::Prometheus, 2, 30)).unwrap();
    assert_eq!(written.text, bare);
    let left_out: Vec<String> = written.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(
        left_out,
        [
            "limit is left out: it needs Prometheus 2.31.0 or later",
            "query_offset is left out: it needs Prometheus 2.53.0 or later",
            "labels of groups is left out: it needs Prometheus 3.0.0 or later",
            "keep_firing_for is left out: it needs Prometheus 2.42.0 or later",
        ]
    );
    let whole = "groups:\n- labels:\n    a: b\n  limit: 5\n  name: g\n  partial_response_strategy: warn\n  query_offset: 30s\n  rules:\n  - alert: A\n    expr: up\n    keep_firing_for: 5m\n";
    let written = write(&spec, &reader(Format::Thanos, 0, 39)).unwrap();
    assert_eq!((&*written.text, written.left_out), (whole, vec![]));
}

#[test]
fn what_is_left_out_is_not_checked() {
    let spec = rule(&json!({"record": "r", "expr": "up", "keep_firing_for": "never"}));
    assert!(write(&spec, &reader(Format::Prometheus, 2, 41)).is_ok());
    let Err(Refused::Invalid(problems)) = write(&spec, &reader(Format::Prometheus, 2, 42)) else {
        panic!("it was written");
    };
    assert_eq!(problems.len(), 2);
}

#[test]
fn an_empty_rule_is_an_empty_file() {
    let spec = serde_json::from_value(json!({})).unwrap();
    assert_eq!(write(&spec, &reader(Format::Prometheus, 3, 0)).unwrap().text, "{}\n");
}

#[test]
fn a_file_is_named_after_its_rule() {
    let rule = serde_json::from_value(json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
        "metadata": {"namespace": "a", "name": "b", "uid": "1-2"}, "spec": {},
    }));
    assert_eq!(name(&rule.unwrap()), "a-b-1-2.yaml");
}
