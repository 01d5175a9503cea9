//! Checks a PrometheusAgent, and collects everything that its plan needs.

use api_monitoring::PrometheusAgent;
use monitoring_scrape::{Mode, Server};
use monitoring_select::workload::{self, Checked};

use crate::agent::OfAgent;
use crate::kind::Workload as _;
use crate::plan::{PlanContext, PlanError, limits};
use crate::prometheus::Instance;

/// An agent that is valid, apart from missing references.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) instance: Instance<'v>,
    pub(super) mode: Mode,
    /// The settings that the selected resources are checked and their jobs are written for.
    pub(super) server: Server<'v>,
    /// The content of its own references.
    pub(super) checked: Checked<'v>,
}

/// Checks an agent.
pub(crate) fn validate<'v>(
    agent: &'v PrometheusAgent,
    context: &PlanContext<'v>,
) -> Result<Valid<'v>, PlanError> {
    limits::check_name(&agent.metadata)?;
    let instance = Instance::agent(agent).map_err(|error| PlanError::new(&error))?;
    let mode = mode(agent, context)?;
    let named = (instance.owner.namespace(), instance.owner.name());
    let server = Server::new(named, instance.spec, instance.version.clone());
    let checked = workload::check_agent(&server, context.objects)
        .map_err(PlanError::prefixed("creating config failed"))?;
    context.check_selectors(OfAgent::SELECTABLE)?;
    Ok(Valid { instance, mode, server, checked })
}

/// Whether a DaemonSet runs the agent.
pub(super) fn runs_on_every_node(agent: &PrometheusAgent) -> bool {
    agent.spec.mode.as_deref() == Some("DaemonSet")
}

fn mode(agent: &PrometheusAgent, context: &PlanContext<'_>) -> Result<Mode, PlanError> {
    match (runs_on_every_node(agent), context.daemon_sets) {
        (false, _) => Ok(Mode::Agent),
        (true, true) => Ok(Mode::DaemonSet),
        (true, false) => {
            Err(PlanError::new(&"feature gate for Prometheus Agent's DaemonSet mode is not enabled"))
        }
    }
}
