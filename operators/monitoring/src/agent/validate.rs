//! What is wrong with a PrometheusAgent; else all that its plan looks at.

use api_monitoring::PrometheusAgent;
use monitoring_scrape::{Mode, Server};
use monitoring_select::Workload;
use monitoring_select::workload::{self, Checked};

use crate::agent::OfAgent;
use crate::kind::{Workload as _, unselectable};
use crate::plan::limits;
use crate::plan::planned::Invalid;
use crate::plan::surroundings::Surroundings;
use crate::prometheus::pods::Instance;

/// An agent that can be carried out, apart from gaps.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) instance: Instance<'v>,
    pub(super) mode: Mode,
    /// What checks the resources that it selects.
    pub(super) workload: Workload<'v>,
    /// What their jobs are written for.
    pub(super) server: Server<'v>,
    /// What its own references say.
    pub(super) checked: Checked<'v>,
}

/// Checks.
pub(crate) fn validate<'v>(
    agent: &'v PrometheusAgent,
    around: &Surroundings<'v>,
) -> Result<Valid<'v>, Invalid> {
    limits::check_name(&agent.metadata)?;
    let instance = Instance::agent(agent).map_err(|error| Invalid::new(&error))?;
    let mode = mode(agent, around)?;
    let text = |text: &'v Option<String>| text.as_deref().unwrap_or_default();
    let named = (text(&agent.metadata.namespace), text(&agent.metadata.name));
    let workload = Workload::new(named, instance.spec, instance.version.clone());
    let checked = workload::check_agent(&workload, around.objects)
        .map_err(|refused| Invalid::new(&format!("creating config failed: {refused}")))?;
    let server = Server::read(named, instance.spec).map_err(|error| Invalid::new(&error))?;
    around.check_selectors(OfAgent::SELECTABLE.iter().copied()).map_err(unselectable)?;
    Ok(Valid { instance, mode, workload, server, checked })
}

fn mode(agent: &PrometheusAgent, around: &Surroundings<'_>) -> Result<Mode, Invalid> {
    let on_every_node = agent.spec.mode.as_deref() == Some("DaemonSet");
    match (on_every_node, around.daemon_sets) {
        (false, _) => Ok(Mode::Agent),
        (true, true) => Ok(Mode::DaemonSet),
        (true, false) => {
            Err(Invalid::new(&"feature gate for Prometheus Agent's DaemonSet mode is not enabled"))
        }
    }
}
