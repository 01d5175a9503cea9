//! Cases of `workload` in `operators/monitoring`: Alertmanager and ThanosRuler.

use anyhow::Result;
use api_monitoring::{Alertmanager, ThanosRuler};
use operator_monitoring::alertmanager::pods as alertmanager;
use operator_monitoring::thanos_ruler::pods as thanos_ruler;
use operator_monitoring::workload::statefulset::Surroundings;

use super::Player;
use super::workload::{given, operator_config, tls_secrets, workload};
use crate::case::Case;
use crate::compare;
use crate::compare::{Found, Outcome};

/// Functions of the peer and who plays them.
pub(crate) const PLAYERS: &[(&str, Player)] = &[
    ("alertmanager.makeStatefulSet", |case| play(case, alertmanager_set)),
    ("alertmanager.makeStatefulSetSpec", |case| play(case, alertmanager_spec)),
    ("thanosruler.makeStatefulSet", |case| play(case, thanos_ruler_set)),
    ("thanosruler.makeStatefulSetSpec", |case| play(case, thanos_ruler_spec)),
    ("thanosruler.createOrUpdateRulerConfigSecret", remote_write),
];

/// Builds with what the operator and the cluster give.
fn play(case: &Case, build: fn(&Case, Surroundings<'_>) -> Result<Found>) -> Outcome {
    let found = || {
        let (operator, secrets) = (operator_config(case)?, tls_secrets(case)?);
        build(case, Surroundings { operator: &operator, tls_secrets: &secrets })
    };
    workload(case, found())
}

fn alertmanager_set(case: &Case, surroundings: Surroundings<'_>) -> Result<Found> {
    let alertmanager: Alertmanager = case.input("alertmanager")?;
    let hash: String = case.input("inputHash")?;
    given(alertmanager::statefulset::build(&alertmanager, surroundings, &hash))
}

fn alertmanager_spec(case: &Case, surroundings: Surroundings<'_>) -> Result<Found> {
    let alertmanager: Alertmanager = case.input("alertmanager")?;
    given(alertmanager::statefulset::spec(&alertmanager, surroundings))
}

fn thanos_ruler_set(case: &Case, surroundings: Surroundings<'_>) -> Result<Found> {
    let ruler: ThanosRuler = case.input("thanosRuler")?;
    let (rules, hash): (Vec<String>, String) = (case.input("ruleConfigMapNames")?, case.input("inputHash")?);
    given(thanos_ruler::statefulset::build(&ruler, surroundings, &rules, &hash))
}

fn thanos_ruler_spec(case: &Case, surroundings: Surroundings<'_>) -> Result<Found> {
    let ruler: ThanosRuler = case.input("thanosRuler")?;
    let rules: Vec<String> = case.input("ruleConfigMapNames")?;
    given(thanos_ruler::statefulset::spec(&ruler, surroundings, &rules))
}

/// The file with the endpoints of a Thanos Ruler.
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
        let fitted = thanos_ruler::remote_write::fit(&instance);
        given(fitted.map(|(endpoints, _)| monitoring_scrape::remote_write_file(&reader, &endpoints)))
    };
    compare::text(case, found().unwrap_or_else(|error| Ok(format!("{error:#}").into())))
}
