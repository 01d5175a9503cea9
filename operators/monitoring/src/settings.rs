//! What the flags say.

use crate::loaded::pace;
use crate::rollout::Policy;
use crate::workload::operator::OperatorConfig;
use monitoring_scrape::Offers;

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
    /// What is done about pods that stand in the way of a roll-out.
    pub repair: Policy,
}
