//! Cases of `status` in `operators/monitoring`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use api_monitoring::Prometheus;
use api_monitoring::status::PrometheusStatus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::condition::{Merging, Order, merge};
use operator_monitoring::OfPrometheus;
use operator_monitoring::kind::{Seen, Workload as _};
use operator_monitoring::prometheus::report::report;
use operator_monitoring::status::{Reconciliation, reconciliation};
use serde_json::{Value, json};

use super::Runner;
use crate::case::Case;
use crate::compare::{self, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[("StatusReporter.Process", run)];

fn run(case: &Case) -> Outcome {
    compare::data(case, Ok(status(case).unwrap_or_else(|error| format!("{error:#}").into())))
}

/// The status without times, which the cases leave out.
fn status(case: &Case) -> Result<Value> {
    let prometheus: Prometheus = case.input("prometheus")?;
    let stateful_sets: BTreeMap<String, StatefulSet> = case.input("statefulSets")?;
    let sets = stateful_sets
        .into_iter()
        .map(|(key, set)| {
            let (_, name) = key.split_once('/').context("the StatefulSet has no namespace")?;
            Ok((name.to_owned(), set))
        })
        .collect::<Result<BTreeMap<_, _>>>()?;
    let seen = Seen { sets, pods: case.input("pods")?, ..Seen::default() };
    let pods = OfPrometheus::observe(&prometheus, &seen);
    let status = report::<OfPrometheus>(&prometheus, &prometheus.spec.shared, &pods);
    // The Prometheus Operator sets these where it updates the status.
    let mut status = serde_json::to_value(PrometheusStatus { shards: 0, selector: String::new(), ..status })?;
    let stated = [pods.available(), reconciliation::condition(&Reconciliation::Done(None))];
    let (now, generation) =
        (Time::from(k8s_openapi::jiff::Timestamp::UNIX_EPOCH), prometheus.metadata.generation);
    let merging = Merging { owned: &[], order: Order::AsKnown, generation, now: &now };
    status["conditions"] = json!(merge(&[], stated, merging));
    for condition in status["conditions"].as_array_mut().into_iter().flatten() {
        if let Some(condition) = condition.as_object_mut() {
            condition.retain(|field, value| field != "lastTransitionTime" && *value != "");
        }
    }
    Ok(status)
}
