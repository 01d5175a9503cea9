//! Files for versions.

use formats::version::Version;
use formats::yaml::{Map, read};
use proptest::prelude::*;
use serde_json::json;

use super::{group, rule};
use crate::Options;
use crate::file::{Format, Reader, Refused, name, write};
use crate::json::passed;

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

/// Texts from the corners of YAML: signs, spaces and breaks more often than letters. Two signs are left out that end a
/// line to the writer, which keeps to YAML 1.1, and not to the reader.
fn texts() -> impl Strategy<Value = String> {
    let corners = "[ \n\t\r:#'\"\\\\{}\\[\\],&*!|>%@`~?=<a\u{0}\u{7}\u{7f}\u{85}\u{a0}\u{feff}é-]{1,12}";
    let any = "[^\u{2028}\u{2029}]{1,20}";
    prop_oneof![
        corners,
        "[a-c \n]{1,40}",
        "([a-z]{1,9} ){1,40}",
        "[0-9.eE_xobinfaNTZ:+-]{1,10}",
        "yes|No|ON|~|null|<<",
        any
    ]
}

proptest! {
    #[test]
    fn any_text_survives_or_is_refused(text in texts()) {
        let spec = group(&json!({"name": text, "labels": {"l": text}, "rules": [
            {"alert": text, "expr": "up", "annotations": {"a": text}, "labels": {"l": text}}]}));
        let Ok(file) = write(&spec, &reader(Format::Prometheus, 3, 5)) else { return Ok(()) };
        let text = || passed(&text).unwrap().into_owned();
        let rule = Map::new()
            .with("alert", text())
            .with("annotations", Map::new().with("a", text()))
            .with("expr", "up")
            .with("labels", Map::new().with("l", text()));
        let group =
            Map::new().with("labels", Map::new().with("l", text())).with("name", text()).with("rules", vec![rule]);
        let expected = Map::new().with("groups", vec![group]);
        prop_assert_eq!(read(&file.text).map(|document| document.value), Ok(expected.into()));
    }
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
