//! Cases of `admission` in `operators/monitoring`.

use anyhow::Result;
use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager_config::ApiVersion;
use api_monitoring::alertmanager_config::convert::{from_v1beta1, respelled, to_v1beta1};
use formats::version;
use monitoring_rules::Options;
use monitoring_rules::check::check;
use monitoring_rules::names::Names;
use operator_monitoring::admission::{resource, review, validate};
use serde_json::{Value, json};

use super::Runner;
use crate::case::Case;
use crate::compare::{self, Found, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("convertAlertmanagerConfig", |case| compare::data(case, converted(case))),
    ("ValidateAlertmanagerConfig.v1alpha1", |case| validated(case, ApiVersion::V1Alpha1)),
    ("ValidateAlertmanagerConfig.v1beta1", |case| validated(case, ApiVersion::V1Beta1)),
    ("checkAlertmanagerConfigResource", |case| compare::data(case, checked(case))),
    ("admission.servePrometheusRulesValidate", |case| compare::data(case, Ok(rule_reviewed(case)))),
    ("admission.servePrometheusRulesMutate", |case| reviewed(case, review::mutate_rule)),
    ("admission.serveAlertmanagerConfigValidate", |case| {
        reviewed(case, review::validate_alertmanager_config)
    }),
    ("admission.serveConvert", |case| {
        compare::data(case, review::convert(&case.inputs["request"]).map_err(|error| error.to_string()))
    }),
];

/// Converts to the new version and back.
fn converted(case: &Case) -> Found {
    let object = case.inputs["alertmanagerConfig"].clone();
    let new = to_v1beta1(object).map_err(|error| error.to_string())?;
    let old = from_v1beta1(new.clone()).map_err(|error| error.to_string())?;
    Ok(json!({"v1alpha1": old, "v1beta1": new}))
}

fn validated(case: &Case, version: ApiVersion) -> Outcome {
    let found = config(case, version)
        .map_err(|error| format!("{error:#}"))
        .and_then(|config| validate::check(&config.spec, version).map_err(|problem| problem.to_string()));
    compare::data(case, found.map(|()| json!({"valid": true})))
}

fn config(case: &Case, version: ApiVersion) -> Result<AlertmanagerConfig> {
    let object: Value = case.input("alertmanagerConfig")?;
    Ok(serde_json::from_value(respelled(object, version))?)
}

/// Validates for a version of Alertmanager.
fn checked(case: &Case) -> Found {
    let config = config(case, ApiVersion::V1Alpha1).map_err(|error| format!("{error:#}"))?;
    let objects = case.objects().map_err(|error| format!("{error:#}"))?;
    let text = case.inputs["options"]["effectiveVersion"].as_str().unwrap_or_default();
    let version = version::parse(text).map_err(|error| error.to_string())?;
    let result = resource::check(&config, &version, &objects);
    result.map(|_| json!({"valid": true})).map_err(|error| error.to_string())
}

fn reviewed(case: &Case, review: fn(&Value) -> Value) -> Outcome {
    compare::data(case, Ok(review(&case.inputs["request"])))
}

/// Reviews rules with the name validation of the case and without experimental features of the language.
fn rule_reviewed(case: &Case) -> Value {
    let names = if case.inputs["validationScheme"] == "utf8" { Names::Utf8 } else { Names::Legacy };
    review::validate_rule(&case.inputs["request"], &|spec| {
        check(spec, names, Options::default()).iter().map(ToString::to_string).collect()
    })
}
