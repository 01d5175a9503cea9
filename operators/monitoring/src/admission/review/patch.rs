//! The patch for a PrometheusRule: values of labels and annotations become strings.

use api_monitoring::prometheus_rule::shape::UNTYPED_GROUPS;
use api_monitoring::strict::{self, Unknown};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Number, Value};

use crate::admission::json_text::END;

/// The annotation of a checked rule.
const VALIDATED: &str = "prometheus-operator-validated";

/// The patch for an object, encoded for a response.
pub(super) fn write(object: &Value) -> Result<String, String> {
    let spec = object.get("spec").filter(|spec| !spec.is_null());
    let read = spec.ok_or_else(|| END.to_owned()).and_then(|spec| {
        strict::read(&UNTYPED_GROUPS, spec, Unknown::Dropped).map_err(|mismatch| mismatch.to_string())
    });
    let mut steps = read
        .map(|spec| string_steps(&spec))
        .map_err(|cause| format!("cannot unmarshal RuleGroups: {cause}"))?;
    let annotations = object.pointer("/metadata/annotations").and_then(Value::as_object);
    steps.push(if annotations.is_none_or(Map::is_empty) {
        format!(r#"{{ "op": "add", "path": "/metadata/annotations", "value": {{"{VALIDATED}": "true"}}}}"#)
    } else {
        format!(r#"{{ "op": "add", "path": "/metadata/annotations/{VALIDATED}", "value": "true" }}"#)
    });
    Ok(BASE64_STANDARD.encode(format!("[{}]", steps.join(","))))
}

/// A step for each value that is not a string. Nulls stay.
fn string_steps(spec: &Value) -> Vec<String> {
    let mut steps = Vec::new();
    for (group, rules) in items(spec.get("groups")).map(|group| items(group.get("rules"))).enumerate() {
        for (rule, fields) in rules.enumerate() {
            for table in ["annotations", "labels"] {
                let entries = fields.get(table).and_then(Value::as_object).into_iter().flatten();
                for (key, value) in entries.filter(|(_, value)| !value.is_string() && !value.is_null()) {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    let path = format!("/spec/groups/{group}/rules/{rule}/{table}/{key}");
                    let (path, value) = (Value::from(path), Value::from(shown(value)));
                    steps.push(format!(r#"{{"op": "replace","path": {path},"value": {value}}}"#));
                }
            }
        }
    }
    steps
}

fn items(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).into_iter().flatten()
}

/// A value as Go prints it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => shown_number(number),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(" "))
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| format!("{key}:{}", shown(value)));
            format!("map[{}]", fields.collect::<Vec<_>>().join(" "))
        }
    }
}

/// A number as Go prints a float: with an exponent if it is very large or very small.
fn shown_number(number: &Number) -> String {
    let Some(float) = number.as_f64() else { return number.to_string() };
    if float == 0.0 {
        return if float.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(-4..=5) => format!("{float}"),
        Ok(exponent) => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
        Err(_) => scientific,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decoded(object: &Value) -> String {
        String::from_utf8(BASE64_STANDARD.decode(write(object).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_rule_without_annotations_gets_the_first_one() {
        assert_eq!(
            decoded(&json!({"metadata": {}, "spec": {"groups": [{"rules": [{"labels": {"a": "b"}}]}]}})),
            r#"[{ "op": "add", "path": "/metadata/annotations", "value": {"prometheus-operator-validated": "true"}}]"#
        );
    }

    #[test]
    fn other_values_become_strings() {
        let rule = json!({"annotations": {"a": false, "n": null, "t": "x"}, "labels": {"b/c~": 1.5}});
        let object =
            json!({"metadata": {"annotations": {"x": "y"}}, "spec": {"groups": [{}, {"rules": [{}, rule]}]}});
        assert_eq!(
            decoded(&object),
            concat!(
                r#"[{"op": "replace","path": "/spec/groups/1/rules/1/annotations/a","value": "false"},"#,
                r#"{"op": "replace","path": "/spec/groups/1/rules/1/labels/b~1c~0","value": "1.5"},"#,
                r#"{ "op": "add", "path": "/metadata/annotations/prometheus-operator-validated", "value": "true" }]"#
            )
        );
    }

    #[test]
    fn values_are_printed_as_in_go() {
        for (value, text) in [
            (json!(true), "true"),
            (json!(1), "1"),
            (json!(-0.0), "-0"),
            (json!(1.25), "1.25"),
            (json!(1_000_000), "1e+06"),
            (json!(123_456_789), "1.23456789e+08"),
            (json!(1e21), "1e+21"),
            (json!(0.0001), "0.0001"),
            (json!(0.000_01), "1e-05"),
            (json!([1, "a", null]), "[1 a <nil>]"),
            (json!({"b": 1, "a": [false]}), "map[a:[false] b:1]"),
        ] {
            assert_eq!(shown(&value), text);
        }
    }

    #[test]
    fn invalid_rules_are_rejected() {
        for (object, message) in [
            (json!({}), "cannot unmarshal RuleGroups: unexpected end of JSON input"),
            (
                json!({"spec": {"groups": [{"rules": [{"labels": "x"}]}]}}),
                "cannot unmarshal RuleGroups: json: cannot unmarshal string into Go struct field \
                 Rule.groups.rules.labels of type map[string]interface {}",
            ),
        ] {
            assert_eq!(write(&object).unwrap_err(), message);
        }
    }
}
