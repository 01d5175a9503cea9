//! What the operator of PrometheusAgent watches and owns, and the constants of this kind.

use kernel::declare::Declaration;

use crate::declaration::{
    CLAIMS, DAEMON_SETS, NAMESPACES, PODS, SECRETS, SERVICES, STATEFUL_SETS, optional, outline, permissions,
    selectable, workload,
};
use crate::kind::Naming;
use crate::kinds;
use crate::workload::labels;

/// The declaration of the operator of PrometheusAgent.
pub const DECLARATION: Declaration = workload(
    "prometheus-agent",
    kinds::AGENT,
    &[SECRETS, SERVICES, STATEFUL_SETS, DAEMON_SETS],
    &[
        selectable(kinds::SERVICE_MONITOR, "what an agent scrapes"),
        selectable(kinds::POD_MONITOR, "what an agent scrapes"),
        selectable(kinds::PROBE, "what an agent scrapes"),
        optional(kinds::SCRAPE_CONFIG, "what an agent scrapes"),
        outline(kinds::CONFIG_MAP, "what monitors refer to"),
        NAMESPACES,
        PODS,
        CLAIMS,
    ],
    permissions!("prometheusagents", "servicemonitors", "podmonitors", "probes", "scrapeconfigs"),
);

pub(super) const NAMING: Naming = Naming {
    application: "prometheus-agent",
    governing_service: "prometheus-agent-operated",
    prefix: "prom-agent",
    configuration_suffix: "",
    configuration_key: "prometheus.yaml.gz",
    volume_suffix: "-db",
    name_labels: &[labels::NAME],
    controller_labels: &[(labels::MODE, "agent")],
    rules: None,
};

pub(super) const REFERENCE_FIELDS: &[&str] =
    &["additionalScrapeConfigs", "apiserverConfig", "remoteWrite", "scrapeClasses", "tracingConfig"];
