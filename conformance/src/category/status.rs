//! Cases of `status` in `operators/monitoring`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use api_monitoring::Prometheus;
use api_monitoring::status::PrometheusStatus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use operator_monitoring::OfPrometheus;
use operator_monitoring::kind::Seen;
use operator_monitoring::prometheus::report::report;
use operator_monitoring::status::Reconciliation;
use serde_json::Value;

use super::Player;
use crate::case::Case;
use crate::compare::{self, Outcome};

/// Functions of the peer and who plays them.
pub(crate) const PLAYERS: &[(&str, Player)] = &[("StatusReporter.Process", play)];

fn play(case: &Case) -> Outcome {
    compare::data(case, Ok(status(case).unwrap_or_else(|error| format!("{error:#}").into())))
}

/// The status without times, which the cases leave out.
fn status(case: &Case) -> Result<Value> {
    let prometheus: Prometheus = case.input("prometheus")?;
    let stateful_sets: BTreeMap<String, StatefulSet> = case.input("statefulSets")?;
    let sets = stateful_sets
        .into_iter()
        .map(|(key, set)| {
            let (_, name) = key.split_once('/').context("a StatefulSet without a namespace")?;
            Ok((name.to_owned(), set))
        })
        .collect::<Result<BTreeMap<_, _>>>()?;
    let seen = Seen { sets, pods: case.input("pods")?, ..Seen::default() };
    let now = Time::from(k8s_openapi::jiff::Timestamp::UNIX_EPOCH);
    let done = Reconciliation::Done(None);
    let status = report::<OfPrometheus>(&prometheus, &prometheus.spec.shared, &seen, &done, &now);
    // The peer adds these where it updates the status.
    let mut status = serde_json::to_value(PrometheusStatus { shards: 0, selector: String::new(), ..status })?;
    for condition in status["conditions"].as_array_mut().into_iter().flatten() {
        if let Some(condition) = condition.as_object_mut() {
            condition.remove("lastTransitionTime");
        }
    }
    Ok(status)
}
