//! Cases of `select` in `operators/monitoring`.

use anyhow::{Context, Result};
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::{PodMonitor, Probe, Prometheus, ScrapeConfig, ServiceMonitor};
use formats::version;
use monitoring_select::relabel::RelabelRules;
use monitoring_select::{Selectable, Server};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Runner;
use crate::case::{Case, Expected};
use crate::compare::{self, Comparison, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("SelectServiceMonitors", |case| select::<ServiceMonitor>(case)),
    ("SelectPodMonitors", |case| select::<PodMonitor>(case)),
    ("SelectProbes", |case| select::<Probe>(case)),
    ("SelectScrapeConfigs", |case| select::<ScrapeConfig>(case)),
    ("ValidateRelabelConfig", |case| {
        compare::data(case, relabel(case).unwrap_or_else(|error| Ok(unreadable(&error))))
    }),
];

/// Inputs that cannot be parsed make a case fail, whatever was expected.
fn unreadable(error: &anyhow::Error) -> Value {
    format!("unreadable: {error:#}").into()
}

fn relabel(case: &Case) -> Result<Result<Value, String>> {
    let step: RelabelConfig = case.input("relabelConfig")?;
    let version = version::parse(&case.input::<String>("version")?)?;
    let result = RelabelRules::of(&version).check(&step);
    Ok(result.map(|()| json!({"valid": true})).map_err(|problem| problem.to_string()))
}

/// Compares which objects are selected. If only the messages differ, the result is alike.
fn select<K: Selectable + DeserializeOwned>(case: &Case) -> Outcome {
    let found = selections::<K>(case).unwrap_or_else(|error| unreadable(&error));
    let mut outcome = compare::data(case, Ok(found.clone()));
    if let (Comparison::Different { .. }, Expected::Output(expected)) = (&outcome.comparison, &case.expected)
        && without_messages(expected) == without_messages(&found)
    {
        outcome.comparison = Comparison::Alike;
    }
    outcome
}

fn selections<K: Selectable + DeserializeOwned>(case: &Case) -> Result<Value> {
    let prometheus: Prometheus = case.input("prometheus")?;
    let resources: Vec<Value> = case.input("resources")?;
    let objects = case.objects()?;
    let version = case.inputs.pointer("/options/effectiveVersion").and_then(Value::as_str);
    let version = version::parse(version.context("the case has no version")?)?;
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    let (namespace, name) = (name(&prometheus.metadata.namespace), name(&prometheus.metadata.name));
    let server = Server::new((&namespace, &name), &prometheus.spec.shared, version);
    let selection = |resource: Value| {
        let text = |field: &str| resource["metadata"][field].as_str().unwrap_or_default();
        let key = format!("{}/{}", text("namespace"), text("name"));
        let resource: K = serde_json::from_value(resource)?;
        let selection = match resource.check(&server, &objects) {
            Ok(_) => json!({"selected": true}),
            Err(rejected) => json!({"selected": false, "error": rejected.to_string()}),
        };
        Ok((key.trim_start_matches('/').to_owned(), selection))
    };
    Ok(resources.into_iter().map(selection).collect::<Result<Map<_, _>>>()?.into())
}

/// Whether each object is selected, without the messages.
fn without_messages(selections: &Value) -> Vec<(&String, Option<&Value>)> {
    selections.as_object().into_iter().flatten().map(|(key, one)| (key, one.get("selected"))).collect()
}
