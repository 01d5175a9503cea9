//! No field of the schemas of the Prometheus Operator is lost when an object is parsed into our types and serialized again.

use std::collections::BTreeMap;

use api_monitoring::{
    Alertmanager, AlertmanagerConfig, PodMonitor, Probe, Prometheus, PrometheusAgent, PrometheusRule,
    ScrapeConfig, ServiceMonitor, ThanosRuler,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::compare::{Comparison, Outcome};

/// The facts of a table about a path, by column.
type Facts = BTreeMap<String, String>;

/// One outcome for each kind: the paths that were lost. None for a version without types.
pub(super) fn outcome(table: &str, rows: &BTreeMap<String, Facts>) -> Option<Outcome> {
    let round_trip = match table {
        "alertmanager-v1" => round_trip::<Alertmanager>,
        "alertmanagerconfig-v1alpha1" => round_trip::<AlertmanagerConfig>,
        "podmonitor-v1" => round_trip::<PodMonitor>,
        "probe-v1" => round_trip::<Probe>,
        "prometheus-v1" => round_trip::<Prometheus>,
        "prometheusagent-v1alpha1" => round_trip::<PrometheusAgent>,
        "prometheusrule-v1" => round_trip::<PrometheusRule>,
        "scrapeconfig-v1alpha1" => round_trip::<ScrapeConfig>,
        "servicemonitor-v1" => round_trip::<ServiceMonitor>,
        "thanosruler-v1" => round_trip::<ThanosRuler>,
        _ => return None,
    };
    let mut object = full(rows, "");
    object["apiVersion"] =
        format!("monitoring.coreos.com/{}", table.rsplit('-').next().unwrap_or_default()).into();
    object["kind"] = kind(table).into();
    let comparison = match round_trip(object.clone()) {
        Err(error) => Comparison::Different { expected: "an object that can be parsed".into(), found: error },
        Ok(found) => {
            let mut lost = Vec::new();
            compare(&object, &found, "", &mut lost);
            if lost.is_empty() {
                Comparison::Same
            } else {
                Comparison::Different { expected: String::new(), found: lost.join("\n") }
            }
        }
    };
    Some(Outcome { name: format!("{table} parsed and serialized"), comparison, output: None })
}

fn kind(table: &str) -> &'static str {
    const KINDS: [&str; 10] = [
        "Alertmanager",
        "AlertmanagerConfig",
        "PodMonitor",
        "Probe",
        "Prometheus",
        "PrometheusAgent",
        "PrometheusRule",
        "ScrapeConfig",
        "ServiceMonitor",
        "ThanosRuler",
    ];
    let name = table.split('-').next().unwrap_or_default();
    KINDS.into_iter().find(|kind| kind.to_lowercase() == name).unwrap_or_default()
}

fn round_trip<T: Serialize + DeserializeOwned>(object: Value) -> Result<Value, String> {
    let typed: T = serde_json::from_value(object).map_err(|error| error.to_string())?;
    serde_json::to_value(&typed).map_err(|error| error.to_string())
}

/// An object in which every field of the table is set.
fn full(rows: &BTreeMap<String, Facts>, path: &str) -> Value {
    let key = if path.is_empty() { "(root)" } else { path };
    let fact = |column: &str| rows.get(key).and_then(|facts| facts.get(column)).map_or("", String::as_str);
    let (item, value) = (format!("{path}[]"), format!("{path}{{}}"));
    if rows.contains_key(&item) {
        return json!([full(rows, &item)]);
    }
    if rows.contains_key(&value) {
        return json!({"key": full(rows, &value)});
    }
    let fields: Map<String, Value> = rows
        .keys()
        .filter_map(|candidate| candidate.strip_prefix(path)?.strip_prefix('.'))
        .filter(|rest| !rest.contains(['.', '[', '{']))
        .map(|field| (field.to_owned(), full(rows, &format!("{path}.{field}"))))
        .collect();
    if !fields.is_empty() {
        return fields.into();
    }
    match (fact("type"), fact("format")) {
        ("boolean", _) => true.into(),
        ("integer", _) => 7.into(),
        ("number", _) => 7.5.into(),
        ("string", "date-time") => "2026-01-02T03:04:05Z".into(),
        ("string", _) => "text".into(),
        ("array", _) => json!(["text"]),
        ("object", _) => json!({}),
        _ if !fact("intOrString").is_empty() => "7".into(),
        _ => json!({"anything": 1}),
    }
}

/// Collects the paths of values that differ.
fn compare(before: &Value, after: &Value, path: &str, lost: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (field, value) in before {
                compare(value, after.get(field).unwrap_or(&Value::Null), &format!("{path}.{field}"), lost);
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, value) in before.iter().enumerate() {
                compare(value, after.get(index).unwrap_or(&Value::Null), &format!("{path}[]"), lost);
            }
        }
        (before, after) if before == after => {}
        (before, after) => lost.push(format!("{path}: {before} became {after}")),
    }
}
