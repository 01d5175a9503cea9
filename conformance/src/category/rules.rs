//! Cases of `rules` in `operators/monitoring`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use api_monitoring::reference::ObjectReference;
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::{PrometheusRule, SelectableKind};
use formats::version;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use monitoring_rules::config_map::RuleConfigMaps;
use monitoring_rules::enforce::{NamespaceLabel, Object};
use monitoring_rules::file::{self, Error, Format, Reader};
use monitoring_rules::names::Names;
use monitoring_rules::{Options, check, pack};
use serde_json::{Map, Value, json};

use super::Player;
use crate::case::Case;
use crate::compare::{self, Comparison, Found, Outcome};

/// Functions of the peer and who plays them.
pub(crate) const PLAYERS: &[(&str, Player)] = &[
    ("generateRulesConfiguration", generate),
    ("ValidateRule", validate),
    ("labeler.EnforceNamespaceLabel", enforce),
    ("labeler.GetRelabelingConfigs", relabelings),
    ("PrometheusRuleSyncer.Sync", sync),
];

/// Compares whatever a player gave; inputs that cannot be read are another difference.
fn played(case: &Case, how: fn(&Case, Found) -> Outcome, found: Result<Found>) -> Outcome {
    match found {
        Ok(found) => how(case, found),
        Err(error) => {
            let verdict = Comparison::Different { expected: String::new(), found: format!("{error:#}\n") };
            Outcome { name: case.name.clone(), verdict, made: None }
        }
    }
}

/// Which parts of the language a case asks for.
fn options(case: &Case) -> Options {
    let is_set = |name: &str| case.inputs["parserOptions"][name] == true;
    Options {
        experimental_functions: is_set("enableExperimentalFunctions"),
        duration_expressions: is_set("experimentalDurationExpr"),
        extended_ranges: is_set("enableExtendedRangeSelectors"),
        fill_modifiers: is_set("enableBinopFillModifiers"),
    }
}

fn generate(case: &Case) -> Outcome {
    let found = (|| {
        let rule: PrometheusRule = case.input("prometheusRule")?;
        let format = if case.inputs["format"] == "thanos" { Format::Thanos } else { Format::Prometheus };
        let version = version::parse(&case.input::<String>("version")?)?;
        let reader = Reader { format, version, options: options(case) };
        Ok(file::write(&rule.spec, &reader))
    })();
    // The single reasons are recorded apart from the refusal.
    let details: Vec<String> = match &found {
        Ok(Err(Error::Invalid(problems))) => problems.iter().map(ToString::to_string).collect(),
        Ok(Err(Error::NotWritable(_)) | Ok(_)) | Err(_) => Vec::new(),
    };
    let expected = case.whole.get("details").cloned().unwrap_or_else(|| json!([]));
    if found.is_ok() && expected != json!(details) {
        let verdict = Comparison::Different {
            expected: compare::shown(&json!({"details": expected})),
            found: compare::shown(&json!({"details": details})),
        };
        return Outcome { name: case.name.clone(), verdict, made: None };
    }
    let found = found.map(|file| file.map(Value::from).map_err(|refused| refused.to_string()));
    played(case, compare::text, found)
}

fn validate(case: &Case) -> Outcome {
    let found = (|| {
        let spec: PrometheusRuleSpec = case.input("spec")?;
        let names = if case.inputs["validationScheme"] == "utf8" { Names::Utf8 } else { Names::Legacy };
        let errors: Vec<String> =
            check::check(&spec, names, options(case)).iter().map(ToString::to_string).collect();
        Ok(Ok(json!({ "valid": errors.is_empty(), "errors": errors })))
    })();
    played(case, compare::data, found)
}

fn enforce(case: &Case) -> Outcome {
    let found = (|| {
        let mut rule: PrometheusRule = case.input("prometheusRule")?;
        let label: String = case.input("enforcedNamespaceLabel")?;
        let excluded: Vec<ObjectReference> = case.input("excludedFromEnforcement")?;
        let label = NamespaceLabel { label: &label, excluded: &excluded, excluded_rules: &[] };
        if let Err(error) = label.bind_rule(&mut rule, Options::default()) {
            return Ok(Err(error.to_string()));
        }
        Ok(Ok(without_empty_texts(serde_json::to_value(rule)?)))
    })();
    played(case, compare::data, found)
}

/// Ours are written with all fields, also the empty ones; only the name of a group is never left out.
fn without_empty_texts(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(key, value)| key == "name" || *value != "")
            .map(|(key, value)| (key, without_empty_texts(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(values) => values.into_iter().map(without_empty_texts).collect::<Vec<_>>().into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn relabelings(case: &Case) -> Outcome {
    let found = (|| {
        let label: String = case.input("enforcedNamespaceLabel")?;
        let excluded: Vec<ObjectReference> = case.input("excludedFromEnforcement")?;
        let kind: String = case.input("kind")?;
        let metadata: ObjectMeta = case.input("metadata")?;
        let label = NamespaceLabel { label: &label, excluded: &excluded, excluded_rules: &[] };
        let object = Object {
            kind: SelectableKind::named(&kind).context("another kind")?,
            namespace: metadata.namespace.as_deref().unwrap_or_default(),
            name: metadata.name.as_deref().unwrap_or_default(),
        };
        let given =
            ["relabelConfigs", "relabelings"].into_iter().find(|name| case.inputs.get(name).is_some());
        let mut steps: Vec<RelabelConfig> = case.input(given.unwrap_or_default())?;
        steps.extend(label.relabeling(object));
        let steps = steps.iter().map(|step| Ok(without_zeros(serde_json::to_value(step)?)));
        Ok(Ok(steps.collect::<Result<Vec<_>>>()?.into()))
    })();
    played(case, compare::data, found)
}

/// A step without the fields that say nothing.
fn without_zeros(step: Value) -> Value {
    let Value::Object(fields) = without_empty_texts(step) else { return Value::Null };
    fields.into_iter().filter(|(_, value)| *value != 0).collect::<Map<_, _>>().into()
}

fn sync(case: &Case) -> Outcome {
    // Who wrote which field is not ours to say.
    let mut case = case.clone();
    if let crate::case::Expected::Output(output) = &mut case.expected {
        for config_map in output["configMaps"].as_array_mut().into_iter().flatten() {
            without_writers(config_map);
        }
    }
    let found = synced(&case).map(Ok);
    played(&case, compare::data, found)
}

fn without_writers(config_map: &mut Value) {
    if let Some(metadata) = config_map["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
}

/// What is in the namespace after the ConfigMaps were written.
fn synced(case: &Case) -> Result<Value> {
    let prefix: String = case.input("namePrefix")?;
    let workload = match prefix.strip_prefix("thanos-ruler-") {
        Some(name) => RuleConfigMaps::ThanosRuler(name),
        None => RuleConfigMaps::Prometheus(prefix.strip_prefix("prometheus-").context("another prefix")?),
    };
    let existing: Vec<ConfigMap> = case.input("existingConfigMaps")?;
    let (label, value) = workload.selector();
    let is_own = |config_map: &&ConfigMap| {
        config_map
            .metadata
            .labels
            .as_ref()
            .and_then(|labels| labels.get(label))
            .is_some_and(|own| own == value)
    };
    let own = existing.iter().filter(is_own);
    let own = own.filter_map(|map| Some((map.metadata.name.as_deref()?, map.data.as_ref()?)));
    let packing = pack::pack(&workload.packing(own), case.input("ruleFiles")?);
    let none = BTreeMap::new();
    let mut built = workload.build(packing, &none, &none);
    let namespace = existing.iter().find_map(|config_map| config_map.metadata.namespace.clone());
    for config_map in &mut built {
        config_map.metadata.namespace.clone_from(&namespace);
    }
    let mut names: Vec<String> = built.iter().filter_map(|built| built.metadata.name.clone()).collect();
    names.sort_unstable();
    let others = existing.iter().filter(|config_map| !is_own(config_map));
    let mut all: Vec<Value> =
        others.chain(&built).map(serde_json::to_value).collect::<serde_json::Result<_>>()?;
    all.iter_mut().for_each(without_writers);
    all.sort_by_key(|config_map| config_map["metadata"]["name"].as_str().map(str::to_owned));
    Ok(json!({"configMapNames": names, "configMaps": all}))
}
