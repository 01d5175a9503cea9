//! What there is beside a workload.

use std::collections::BTreeSet;

use crate::workload::operator::OperatorConfig;
use kernel::stores::All;
use monitoring_assets::Objects;
use monitoring_scrape::Offers;
use monitoring_select::Namespaces;

/// What there is.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'s> {
    /// What the flags of the operator say about objects.
    pub operator: &'s OperatorConfig,
    /// What the cluster and the operator offer.
    pub offers: Offers,
    /// Whether a Prometheus that selects nothing leaves its configuration to the user.
    pub unmanaged: bool,
    /// Whether agents may run on every node.
    pub daemon_sets: bool,
    /// The labels of namespaces.
    pub namespaces: &'s Namespaces,
    /// Secrets and ConfigMaps.
    pub objects: &'s Objects,
    /// What workloads can select.
    pub resources: &'s Resources,
    /// What of that is left out.
    pub left_out: &'s LeftOut,
}

/// Resources that are selected and judged as all others, and not written: an operand does not take them. By
/// `namespace/name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// ServiceMonitors.
    pub service_monitors: BTreeSet<String>,
    /// PodMonitors.
    pub pod_monitors: BTreeSet<String>,
    /// Probes.
    pub probes: BTreeSet<String>,
    /// ScrapeConfigs.
    pub scrape_configs: BTreeSet<String>,
    /// PrometheusRules.
    pub rules: BTreeSet<String>,
    /// AlertmanagerConfigs.
    pub alertmanager_configs: BTreeSet<String>,
}

/// What workloads can select: in no particular order, but always in the same.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// ServiceMonitors.
    pub service_monitors: All,
    /// PodMonitors.
    pub pod_monitors: All,
    /// Probes.
    pub probes: All,
    /// ScrapeConfigs.
    pub scrape_configs: All,
    /// PrometheusRules.
    pub rules: All,
    /// AlertmanagerConfigs.
    pub alertmanager_configs: All,
}
