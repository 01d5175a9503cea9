//! Cases of `rules` in `operators/monitoring`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use api_monitoring::reference::ObjectReference;
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::{PrometheusRule, SelectableKind};
use formats::version;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use monitoring_rules::config_map::RuleConfigMaps;
use monitoring_rules::enforce::NamespaceLabel;
use monitoring_rules::file::{self, RuleFileError, RuleFormat, RuleReader};
use monitoring_rules::names::Names;
use monitoring_rules::{Options, check, pack};
use monitoring_scrape::{Resource, Server};
use serde_json::{Map, Value, json};

use super::Runner;
use crate::case::Case;
use crate::compare::{self, Comparison, Found, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("generateRulesConfiguration", generate),
    ("ValidateRule", validate),
    ("labeler.EnforceNamespaceLabel", enforce),
    ("labeler.GetRelabelingConfigs", relabelings),
    ("PrometheusRuleSyncer.Sync", sync),
];

/// Compares a result. Inputs that cannot be parsed are a difference.
fn compared(case: &Case, how: fn(&Case, Found) -> Outcome, found: Result<Found>) -> Outcome {
    match found {
        Ok(found) => how(case, found),
        Err(error) => {
            let comparison = Comparison::Different { expected: String::new(), found: format!("{error:#}\n") };
            Outcome { name: case.name.clone(), comparison, output: None }
        }
    }
}

/// The options of the language in a case.
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
        let format =
            if case.inputs["format"] == "thanos" { RuleFormat::Thanos } else { RuleFormat::Prometheus };
        let version = version::parse(&case.input::<String>("version")?)?;
        let reader = RuleReader { format, version, options: options(case) };
        Ok(file::write(&rule.spec, &reader))
    })();
    // The single errors are recorded separately.
    let details: Vec<String> = match &found {
        Ok(Err(RuleFileError::Invalid(problems))) => problems.iter().map(ToString::to_string).collect(),
        Ok(Err(RuleFileError::NotWritable(_)) | Ok(_)) | Err(_) => Vec::new(),
    };
    let expected = case.whole.get("details").cloned().unwrap_or_else(|| json!([]));
    if found.is_ok() && expected != json!(details) {
        let comparison = Comparison::Different {
            expected: compare::shown(&json!({"details": expected})),
            found: compare::shown(&json!({"details": details})),
        };
        return Outcome { name: case.name.clone(), comparison, output: None };
    }
    let found = found.map(|file| file.map(Value::from).map_err(|error| error.to_string()));
    compared(case, compare::text, found)
}

fn validate(case: &Case) -> Outcome {
    let found = (|| {
        let spec: PrometheusRuleSpec = case.input("spec")?;
        let names = if case.inputs["validationScheme"] == "utf8" { Names::Utf8 } else { Names::Legacy };
        let errors: Vec<String> =
            check::check(&spec, names, options(case)).iter().map(ToString::to_string).collect();
        Ok(Ok(json!({ "valid": errors.is_empty(), "errors": errors })))
    })();
    compared(case, compare::data, found)
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
    compared(case, compare::data, found)
}

/// Removes empty strings except names: our types serialize empty fields.
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
        let kind: String = case.input("kind")?;
        let metadata: ObjectMeta = case.input("metadata")?;
        let spec = SharedSpec {
            enforced_namespace_label: case.input("enforcedNamespaceLabel")?,
            excluded_from_enforcement: case.input("excludedFromEnforcement")?,
            ..SharedSpec::default()
        };
        let given =
            ["relabelConfigs", "relabelings"].into_iter().find(|name| case.inputs.get(name).is_some());
        let own: Vec<RelabelConfig> = case.input(given.unwrap_or_default())?;
        let server = Server::new(("", ""), &spec, version::parse("3.0.0")?);
        let kind = SelectableKind::named(&kind).context("unknown kind")?;
        let steps = monitoring_scrape::with_enforced(&server, Resource::new(kind, &metadata), &own);
        let text = formats::yaml::write(&steps.into());
        let steps: Vec<BTreeMap<String, Value>> = formats::yaml::serde::from_text(&text)?;
        let steps =
            steps.into_iter().map(|step| step.into_iter().map(|(key, value)| (camel_case(&key), value)));
        let steps: Vec<Value> = steps.map(|step| Value::Object(step.collect())).collect();
        Ok(Ok(steps.into()))
    })();
    compared(case, compare::data, found)
}

/// A key of the configuration as the field of a resource: `targetLabel` for `target_label`.
fn camel_case(key: &str) -> String {
    let mut words = key.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_uppercase() + rest
    })
}

fn sync(case: &Case) -> Outcome {
    // Managed fields are not compared.
    let mut case = case.clone();
    if let crate::case::Expected::Output(output) = &mut case.expected {
        for config_map in output["configMaps"].as_array_mut().into_iter().flatten() {
            remove_managed_fields(config_map);
        }
    }
    let found = synced(&case).map(Ok);
    compared(&case, compare::data, found)
}

fn remove_managed_fields(config_map: &mut Value) {
    if let Some(metadata) = config_map["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
}

/// The ConfigMaps of the namespace after a pass.
fn synced(case: &Case) -> Result<Value> {
    let prefix: String = case.input("namePrefix")?;
    let workload = match prefix.strip_prefix("thanos-ruler-") {
        Some(name) => RuleConfigMaps::ThanosRuler(name),
        None => RuleConfigMaps::Prometheus(prefix.strip_prefix("prometheus-").context("unknown prefix")?),
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
    all.iter_mut().for_each(remove_managed_fields);
    all.sort_by_key(|config_map| config_map["metadata"]["name"].as_str().map(str::to_owned));
    Ok(json!({"configMapNames": names, "configMaps": all}))
}
