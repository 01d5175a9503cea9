//! Servers.

pub mod plan;
pub mod pods;
pub mod report;
pub mod validate;

use std::collections::BTreeMap;

use api_monitoring::{Prometheus, SelectableKind};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Declaration;
use monitoring_rules::config_map;
use serde_json::Value;

use crate::declaration;
use crate::kind::{Facts, Naming, Needs, Seen, Workload};
use crate::plan::{Invalid, LeftOut, Planned, Rendered, Selections, Surroundings};
use crate::prometheus::pods::Instance;
use crate::prometheus::report::{Found, with_scale};
use crate::rollout::Surplus;
use crate::status::reconciliation::Selects;
use crate::status::{Reconciliation, deprecation};
use crate::workload::defaults::{PROMETHEUS_VERSION, or_default};

/// Servers.
#[derive(Debug)]
pub struct OfPrometheus;

impl Workload for OfPrometheus {
    type Resource = Prometheus;
    type Valid<'v> = validate::Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::PROMETHEUS;
    const SELECTABLE: &'static [SelectableKind] = &[
        SelectableKind::ServiceMonitor,
        SelectableKind::PodMonitor,
        SelectableKind::Probe,
        SelectableKind::ScrapeConfig,
        SelectableKind::PrometheusRule,
    ];
    const NAMING: Naming = Naming {
        application: "prometheus",
        governing_service: "prometheus-operated",
        prefix: "prometheus",
        configuration_suffix: "",
        configuration_key: "prometheus.yaml.gz",
        rules: Some(|name| config_map::Workload::Prometheus(name)),
    };
    const POINTING: &'static [&'static str] = &[
        "additionalAlertManagerConfigs",
        "additionalAlertRelabelConfigs",
        "additionalScrapeConfigs",
        "alerting",
        "apiserverConfig",
        "remoteRead",
        "remoteWrite",
        "scrapeClasses",
        "tracingConfig",
    ];
    const SELECTS: Option<Selects> = Some(Selects::ForServer);

    fn metadata(resource: &Prometheus) -> &ObjectMeta {
        &resource.metadata
    }

    fn facts(resource: &Prometheus) -> Facts<'_> {
        let spec = &resource.spec.shared;
        let labels = Instance::server(resource).map(|instance| instance.common_labels());
        Facts {
            paused: spec.paused,
            operand: ("Prometheus", or_default(&spec.version, PROMETHEUS_VERSION)),
            port: 9090,
            route_prefix: &spec.route_prefix,
            tls: spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some()),
            selects_no_monitors: validate::selects_no_monitors(spec),
            base: None,
            containers: [&spec.containers, &spec.init_containers],
            needs: Needs::of(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok()),
            deprecated: deprecation::of_prometheus(&resource.spec),
        }
    }

    fn status(resource: &Prometheus) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn validate<'v>(
        resource: &'v Prometheus,
        around: &Surroundings<'v>,
    ) -> Result<validate::Valid<'v>, Invalid> {
        validate::validate(resource, around)
    }

    fn render(
        valid: &validate::Valid<'_>,
        around: &Surroundings<'_>,
        selections: &Selections,
        rendered: &mut Rendered,
    ) {
        plan::render(valid, around, selections, rendered);
    }

    fn build(
        valid: &validate::Valid<'_>,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
        rendered: &mut Rendered,
    ) -> Result<Planned, Invalid> {
        plan::build(valid, around, left_out, rendered)
    }

    fn surplus(
        resource: &Prometheus,
        sets: &BTreeMap<String, StatefulSet>,
        offered: bool,
        now: Timestamp,
    ) -> Surplus {
        crate::rollout::surplus(resource, sets.values(), offered, now)
    }

    fn report(resource: &Prometheus, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let sets = seen.sets.iter().map(|(name, set)| (name.clone(), set)).collect();
        let pods: Vec<&Pod> = seen.pods.iter().collect();
        let found = Found { stateful_sets: &sets, pods: &pods };
        let workload = resource.into();
        let status = report::report(&workload, found, last, now);
        let labels = Instance::server(resource).map(|instance| instance.common_labels());
        let status = with_scale(status, &resource.spec.shared, &labels.unwrap_or_default());
        serde_json::to_value(status).unwrap_or_default()
    }
}
