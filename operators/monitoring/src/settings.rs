//! The settings that follow from the flags.

use capability::rollout::RepairPolicy;
use kube::Client;
use monitoring_scrape::Offers;

use crate::flags::{Gate, OperatorFlags};
use crate::loaded::pace::PaceSettings;
use crate::plan::offers;
use crate::workload::operator::OperatorConfig;

/// The settings that follow from the flags.
#[derive(Debug, Clone)]
pub struct MonitoringSettings {
    /// The settings of objects.
    pub operator: OperatorConfig,
    /// What the API server and the operator support.
    pub offers: Offers,
    /// Whether the user writes the configuration of a Prometheus that selects no monitors.
    pub unmanaged: bool,
    /// Whether agents may run on every node.
    pub daemon_sets: bool,
    /// Whether the status of selected resources has an entry for each workload.
    pub bindings: bool,
    /// Whether a new image of the reloader alone is rolled out at once.
    pub reloader_at_once: bool,
    /// Only resources with this controller id are reconciled; if it is empty, only those without one.
    pub controller_id: String,
    /// How often pods are touched.
    pub pace: PaceSettings,
    /// How pods that block a rollout are repaired.
    pub repair: RepairPolicy,
}

impl MonitoringSettings {
    /// The settings for an API server of a current version.
    pub fn of(flags: &OperatorFlags) -> Self {
        let is_on = |gate| flags.gates.enabled(gate);
        Self {
            operator: flags.operator_config(),
            offers: Offers {
                endpoint_slices: true,
                pod_topology_labels: true,
                topology_sharding: is_on(Gate::PrometheusTopologySharding),
                shard_retention: is_on(Gate::PrometheusShardRetentionPolicy),
                ..Offers::default()
            },
            unmanaged: !flags.objects.always_managed,
            daemon_sets: is_on(Gate::PrometheusAgentDaemonSet),
            reloader_at_once: false,
            pace: PaceSettings::default(),
            bindings: is_on(Gate::StatusForConfigurationResources),
            repair: flags.objects.repair.unwrap_or_default(),
            controller_id: flags.objects.controller_id.clone(),
        }
    }

    /// The same for the version of the API server of a cluster.
    pub async fn on_cluster(self, client: &Client) -> Self {
        let version = client.apiserver_version().await.map(|version| version.git_version);
        on_server(self, version.map_err(|error| error.to_string()))
    }
}

fn on_server(settings: MonitoringSettings, version: Result<String, String>) -> MonitoringSettings {
    let read = |version: String| {
        offers::on(&version, settings.offers).map_err(|error| format!("its answer is {version:?}: {error}"))
    };
    match version.and_then(read) {
        Ok(offers) => MonitoringSettings { offers, ..settings },
        Err(error) => {
            tracing::warn!(
                "the version of the API server is not known, a current version is assumed: {error}"
            );
            settings
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_follow_from_the_version_of_the_api_server() {
        let offers = |version: Result<&str, &str>| {
            let version = version.map(str::to_owned).map_err(str::to_owned);
            let offers = on_server(MonitoringSettings::of(&OperatorFlags::default()), version).offers;
            (offers.endpoint_slices, offers.pod_topology_labels, offers.topology_sharding)
        };
        assert_eq!(offers(Ok("v1.36.1")), (true, true, true));
        assert_eq!(offers(Ok("v1.34.2-gke.100")), (true, false, true));
        assert_eq!(offers(Ok("v1.19.0")), (false, false, true));
        assert_eq!(offers(Ok("unknown")), (true, true, true));
        assert_eq!(offers(Err("no answer")), (true, true, true));
    }
}
