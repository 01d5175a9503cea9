//! What the flags say.

use capability::rollout::RepairPolicy;
use kube::Client;
use monitoring_scrape::Offers;

use crate::flags::{Flags, Gate};
use crate::loaded::pace;
use crate::plan::offers;
use crate::workload::operator::OperatorConfig;

/// What the flags say.
#[derive(Debug, Clone)]
pub struct Settings {
    /// About objects.
    pub operator: OperatorConfig,
    /// What the cluster and the operator offer.
    pub offers: Offers,
    /// Whether a Prometheus that selects nothing leaves its configuration to the user.
    pub unmanaged: bool,
    /// Whether agents may run on every node.
    pub daemon_sets: bool,
    /// Whether what is selected tells in its status by whom.
    pub bindings: bool,
    /// Whether another image of the reloader alone is rolled out at once.
    pub reloader_at_once: bool,
    /// Only resources that name this operator are served; empty, only those that name none.
    pub controller_id: String,
    /// How often pods are touched.
    pub pace: pace::Settings,
    /// What is done about pods that a rollout waits for.
    pub repair: RepairPolicy,
}

impl Settings {
    /// What the flags say, for a cluster with a current server.
    pub fn of(flags: &Flags) -> Self {
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
            pace: pace::Settings::default(),
            bindings: is_on(Gate::StatusForConfigurationResources),
            repair: flags.objects.repair.unwrap_or_default(),
            controller_id: flags.objects.controller_id.clone(),
        }
    }

    /// The same on a cluster: the version of its server tells what it can do.
    pub async fn on_cluster(self, client: &Client) -> Self {
        let version = client.apiserver_version().await.map(|version| version.git_version);
        on_server(self, version.map_err(|error| error.to_string()))
    }
}

fn on_server(settings: Settings, version: Result<String, String>) -> Settings {
    let read = |version: String| {
        offers::on(&version, settings.offers).map_err(|error| format!("it says {version:?}: {error}"))
    };
    match version.and_then(read) {
        Ok(offers) => Settings { offers, ..settings },
        Err(error) => {
            tracing::warn!("the version of the server is not known, and a current one is assumed: {error}");
            settings
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_can_do_its_version_tells() {
        let offers = |version: Result<&str, &str>| {
            let version = version.map(str::to_owned).map_err(str::to_owned);
            let offers = on_server(Settings::of(&Flags::default()), version).offers;
            (offers.endpoint_slices, offers.pod_topology_labels, offers.topology_sharding)
        };
        assert_eq!(offers(Ok("v1.36.1")), (true, true, true));
        assert_eq!(offers(Ok("v1.34.2-gke.100")), (true, false, true));
        assert_eq!(offers(Ok("v1.19.0")), (false, false, true));
        assert_eq!(offers(Ok("unknown")), (true, true, true));
        assert_eq!(offers(Err("nobody answers")), (true, true, true));
    }
}
