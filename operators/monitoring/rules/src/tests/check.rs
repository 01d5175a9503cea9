//! Every reason why Prometheus would reject a file.

use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use serde_json::json;

use super::{group, rule};
use crate::Options;
use crate::check::check;
use crate::names::Names;

fn problems(spec: &PrometheusRuleSpec) -> Vec<String> {
    check(spec, Names::Legacy, Options::default()).iter().map(ToString::to_string).collect()
}

#[test]
fn rules_are_rejected_with_their_position() {
    for (written, expected) in [
        (json!({"alert": "A", "expr": "up"}), vec![]),
        (json!({"record": "a:b", "expr": 5}), vec![]),
        (
            json!({"alert": "A", "record": "r", "expr": "up"}),
            vec![r#"6:13: 4:12: group "g", rule 1, "A": only one of 'record' and 'alert' must be set"#],
        ),
        (
            json!({"expr": "up"}),
            vec![r#"0:0: 0:0: group "g", rule 1, "": one of 'record' or 'alert' must be set"#],
        ),
        (
            json!({"alert": "A", "expr": ""}),
            vec![r#"5:11: group "g", rule 1, "A": field 'expr' must be set in rule"#],
        ),
        (
            json!({"record": "r", "expr": "up", "for": "1m", "keep_firing_for": "1m", "annotations": {"a": "b"}}),
            vec![
                r#"9:13: group "g", rule 1, "r": invalid field 'annotations' in recording rule"#,
                r#"9:13: group "g", rule 1, "r": invalid field 'for' in recording rule"#,
                r#"9:13: group "g", rule 1, "r": invalid field 'keep_firing_for' in recording rule"#,
            ],
        ),
        (
            json!({"record": "a{b}", "expr": "up", "for": "0s"}),
            vec![
                r#"6:13: group "g", rule 1, "a{b}": invalid recording rule name: a{b}"#,
                r#"6:13: group "g", rule 1, "a{b}": braces present in the recording rule name; should it be in expr?: a{b}"#,
            ],
        ),
        (
            json!({"alert": "A", "expr": "up", "labels": {"__name__": "x", "é": "{{ $x }}"}, "annotations": {"a b": "{{"}}),
            vec![
                r#"group "g", rule 1, "A": invalid label name: __name__"#,
                r#"group "g", rule 1, "A": invalid label name: é"#,
                r#"group "g", rule 1, "A": invalid annotation name: a b"#,
                r#"group "g", rule 1, "A": label "é": template: __alert_A:1: undefined variable "$x""#,
                r#"group "g", rule 1, "A": annotation "a b": template: __alert_A:1: unclosed action"#,
            ],
        ),
        (
            json!({"alert": "A", "expr": "up", "for": "5"}),
            vec![r#"not a valid duration string: "5""#, r#"not a valid duration string: "5""#],
        ),
        (
            json!({"alert": "\u{7f}", "expr": "up"}),
            vec!["failed to marshal content: yaml: control characters are not allowed"],
        ),
    ] {
        assert_eq!(problems(&rule(&written)), expected, "{written}");
    }
}

#[test]
fn groups_are_rejected() {
    let two = serde_json::from_value(json!({"groups": [{"name": ""}, {"name": ""}]})).unwrap();
    assert_eq!(
        problems(&two),
        [
            "0:0: Groupname must not be empty",
            "0:0: Groupname must not be empty",
            "0:0: groupname: \"\" is repeated in the same file",
        ]
    );
    assert_eq!(problems(&group(&json!({"name": "g", "labels": {"a-b": ""}}))), ["invalid label name: a-b"]);
    assert_eq!(problems(&group(&json!({"name": "g", "query_offset": ""}))), ["empty duration string"; 2]);
    // These are left out before the file is read.
    let empty = json!({"name": "g", "interval": "", "partial_response_strategy": "abort"});
    assert_eq!(problems(&group(&empty)), [""; 0]);
}
