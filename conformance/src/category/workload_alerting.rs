//! Cases of `workload` in `operators/monitoring`: Alertmanager and ThanosRuler.

use anyhow::Result;
use api_monitoring::{Alertmanager, ThanosRuler};
use operator_monitoring::workload::statefulset::PodInputs;
use operator_monitoring::{alertmanager, thanos_ruler};

use super::Runner;
use super::workload::{json_of, operator_config, tls_secrets, workload};
use crate::case::Case;
use crate::compare;
use crate::compare::{Found, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("alertmanager.makeStatefulSet", |case| run(case, alertmanager_set)),
    ("alertmanager.makeStatefulSetSpec", |case| run(case, alertmanager_spec)),
    ("thanosruler.makeStatefulSet", |case| run(case, thanos_ruler_set)),
    ("thanosruler.makeStatefulSetSpec", |case| run(case, thanos_ruler_spec)),
    ("thanosruler.createOrUpdateRulerConfigSecret", remote_write),
];

/// Builds an object with the flags of the operator and the Secrets of the case.
fn run(case: &Case, build: fn(&Case, PodInputs<'_>) -> Result<Found>) -> Outcome {
    let found = || {
        let (operator, secrets) = (operator_config(case)?, tls_secrets(case)?);
        build(case, PodInputs { operator: &operator, tls_secrets: &secrets, rule_config_maps: &[] })
    };
    workload(case, found())
}

fn alertmanager_set(case: &Case, inputs: PodInputs<'_>) -> Result<Found> {
    let alertmanager: Alertmanager = case.input("alertmanager")?;
    json_of(alertmanager::plan::statefulset::build(&alertmanager, inputs))
}

fn alertmanager_spec(case: &Case, inputs: PodInputs<'_>) -> Result<Found> {
    let alertmanager: Alertmanager = case.input("alertmanager")?;
    let instance = alertmanager::Instance::new(&alertmanager);
    json_of(instance.and_then(|instance| alertmanager::plan::statefulset::spec(&instance, inputs)))
}

fn thanos_ruler_set(case: &Case, inputs: PodInputs<'_>) -> Result<Found> {
    let ruler: ThanosRuler = case.input("thanosRuler")?;
    let rules: Vec<String> = case.input("ruleConfigMapNames")?;
    let inputs = PodInputs { rule_config_maps: &rules, ..inputs };
    json_of(thanos_ruler::plan::statefulset::build(&ruler, inputs))
}

fn thanos_ruler_spec(case: &Case, inputs: PodInputs<'_>) -> Result<Found> {
    let ruler: ThanosRuler = case.input("thanosRuler")?;
    let rules: Vec<String> = case.input("ruleConfigMapNames")?;
    let inputs = PodInputs { rule_config_maps: &rules, ..inputs };
    let instance = thanos_ruler::Instance::new(&ruler);
    json_of(instance.and_then(|instance| thanos_ruler::plan::statefulset::spec(&instance, inputs)))
}

/// The file with the remote write endpoints of a Thanos Ruler.
fn remote_write(case: &Case) -> Outcome {
    let found = || -> Result<Found> {
        let ruler: ThanosRuler = case.input("thanosRuler")?;
        let objects = case.objects()?;
        let reader =
            monitoring_assets::Reader::new(&objects, ruler.metadata.namespace.clone().unwrap_or_default());
        let instance = match thanos_ruler::Instance::new(&ruler) {
            Ok(instance) => instance,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let fitted = thanos_ruler::plan::remote_write::fit(&instance);
        json_of(fitted.map(|(endpoints, _)| monitoring_scrape::remote_write_file(&reader, &endpoints)))
    };
    compare::text(case, found().unwrap_or_else(|error| Ok(format!("{error:#}").into())))
}
