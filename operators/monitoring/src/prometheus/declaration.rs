//! What the operator of Prometheus watches and owns, and the constants of this kind.

use api_monitoring::SelectableKind;
use kernel::declare::Declaration;
use monitoring_rules::config_map;

use crate::declaration::{
    CLAIMS, CONFIG_MAPS, NAMESPACES, PODS, SECRETS, SERVICES, STATEFUL_SETS, optional, permissions,
    selectable, workload,
};
use crate::kind::{Application, Naming};
use crate::kinds;
use crate::workload::defaults::PROMETHEUS_VERSION;
use crate::workload::labels;

/// The declaration of the operator of Prometheus.
pub const DECLARATION: Declaration = workload(
    "prometheus",
    kinds::PROMETHEUS,
    &[CONFIG_MAPS, SECRETS, SERVICES, STATEFUL_SETS],
    &[
        selectable(kinds::SERVICE_MONITOR, "what a Prometheus scrapes"),
        selectable(kinds::POD_MONITOR, "what a Prometheus scrapes"),
        selectable(kinds::PROBE, "what a Prometheus scrapes"),
        optional(kinds::SCRAPE_CONFIG, "what a Prometheus scrapes"),
        selectable(kinds::RULE, "what a Prometheus evaluates"),
        NAMESPACES,
        PODS,
        CLAIMS,
    ],
    permissions!(
        "prometheuses",
        "servicemonitors",
        "podmonitors",
        "probes",
        "scrapeconfigs",
        "prometheusrules"
    ),
);

pub(super) const SELECTABLE: &[SelectableKind] = &[
    SelectableKind::ServiceMonitor,
    SelectableKind::PodMonitor,
    SelectableKind::Probe,
    SelectableKind::ScrapeConfig,
    SelectableKind::PrometheusRule,
];

pub(super) const NAMING: Naming = Naming {
    application: "prometheus",
    governing_service: "prometheus-operated",
    prefix: "prometheus",
    configuration_suffix: "",
    configuration_key: "prometheus.yaml.gz",
    volume_suffix: "-db",
    name_labels: &[labels::NAME, "prometheus"],
    controller_labels: &[(labels::MODE, "server")],
    rules: Some(|name| config_map::RuleConfigMaps::Prometheus(name)),
};

/// The application that servers and agents run.
pub(crate) const APPLICATION: Application = Application {
    name: "Prometheus",
    default_version: PROMETHEUS_VERSION,
    container: "prometheus",
    port: 9090,
    web_config_since: (2, 24),
};

pub(super) const REFERENCE_FIELDS: &[&str] = &[
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
