//! Cases of `select` in `operators/monitoring`.

use anyhow::{Context, Result};
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::{PodMonitor, Probe, Prometheus, ScrapeConfig, ServiceMonitor};
use formats::version;
use monitoring_select::relabel::Rules;
use monitoring_select::{Selectable, Server};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Player;
use crate::case::{Case, Expected};
use crate::compare::{self, Comparison, Outcome};

/// Functions of the peer and who plays them.
pub(crate) const PLAYERS: &[(&str, Player)] = &[
    ("SelectServiceMonitors", |case| select::<ServiceMonitor>(case)),
    ("SelectPodMonitors", |case| select::<PodMonitor>(case)),
    ("SelectProbes", |case| select::<Probe>(case)),
    ("SelectScrapeConfigs", |case| select::<ScrapeConfig>(case)),
    ("ValidateRelabelConfig", |case| {
        compare::data(case, relabel(case).unwrap_or_else(|error| Ok(unreadable(&error))))
    }),
];

/// Inputs that cannot be read make a case fail, whatever was expected.
fn unreadable(error: &anyhow::Error) -> Value {
    format!("unreadable: {error:#}").into()
}

fn relabel(case: &Case) -> Result<Result<Value, String>> {
    let step: RelabelConfig = case.input("relabelConfig")?;
    let version = version::parse(&case.input::<String>("version")?)?;
    let verdict = Rules::of(&version).check(&step);
    Ok(verdict.map(|()| json!({"valid": true})).map_err(|problem| problem.to_string()))
}

/// The verdict on every object. If only the words of a refusal differ, the result is alike.
fn select<K: Selectable + DeserializeOwned>(case: &Case) -> Outcome {
    let found = verdicts::<K>(case).unwrap_or_else(|error| unreadable(&error));
    let mut outcome = compare::data(case, Ok(found.clone()));
    if let (Comparison::Different { .. }, Expected::Output(expected)) = (&outcome.verdict, &case.expected)
        && without_words(expected) == without_words(&found)
    {
        outcome.verdict = Comparison::Alike;
    }
    outcome
}

fn verdicts<K: Selectable + DeserializeOwned>(case: &Case) -> Result<Value> {
    let prometheus: Prometheus = case.input("prometheus")?;
    let resources: Vec<Value> = case.input("resources")?;
    let objects = case.objects()?;
    let version = case.inputs.pointer("/options/effectiveVersion").and_then(Value::as_str);
    let version = version::parse(version.context("a case without a version")?)?;
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    let (namespace, name) = (name(&prometheus.metadata.namespace), name(&prometheus.metadata.name));
    let server = Server::new((&namespace, &name), &prometheus.spec.shared, version);
    let verdict = |resource: Value| {
        let text = |field: &str| resource["metadata"][field].as_str().unwrap_or_default();
        let key = format!("{}/{}", text("namespace"), text("name"));
        let resource: K = serde_json::from_value(resource)?;
        let verdict = match resource.check(&server, &objects) {
            Ok(_) => json!({"selected": true}),
            Err(refused) => json!({"selected": false, "error": refused.to_string()}),
        };
        Ok((key.trim_start_matches('/').to_owned(), verdict))
    };
    Ok(resources.into_iter().map(verdict).collect::<Result<Map<_, _>>>()?.into())
}

/// Who is selected and who is not, without the reasons.
fn without_words(verdicts: &Value) -> Vec<(&String, Option<&Value>)> {
    verdicts.as_object().into_iter().flatten().map(|(key, verdict)| (key, verdict.get("selected"))).collect()
}
