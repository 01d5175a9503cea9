//! Checks a Prometheus, and collects everything that its plan needs.

use api_monitoring::Prometheus;
use api_monitoring::prometheus::shared::SharedSpec;
use monitoring_scrape::Server;
use monitoring_select::workload::{self, Checked};

use crate::kind::Workload as _;
use crate::plan::{PlanContext, PlanError, limits};
use crate::prometheus::Instance;
use crate::prometheus::OfPrometheus;

/// A Prometheus that is valid, apart from missing references.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) prometheus: &'v Prometheus,
    pub(super) instance: Instance<'v>,
    /// The settings that the selected resources are checked and their jobs are written for.
    pub(super) server: Server<'v>,
    /// The content of its own references.
    pub(super) checked: Checked<'v>,
}

/// Whether no selector of monitors is set: not even an empty one, which selects everything.
pub(crate) fn selects_no_monitors(spec: &SharedSpec) -> bool {
    let selectors = [
        &spec.service_monitor_selector,
        &spec.pod_monitor_selector,
        &spec.probe_selector,
        &spec.scrape_config_selector,
    ];
    selectors.into_iter().all(Option::is_none)
}

/// Checks a Prometheus.
pub(crate) fn validate<'v>(
    prometheus: &'v Prometheus,
    context: &PlanContext<'v>,
) -> Result<Valid<'v>, PlanError> {
    limits::check_name(&prometheus.metadata)?;
    let instance = Instance::server(prometheus).map_err(|error| PlanError::new(&error))?;
    let named = (instance.owner.namespace(), instance.owner.name());
    let server = Server::new(named, instance.spec, instance.version.clone());
    let checked = workload::check_server(&server, &prometheus.spec, context.objects)
        .map_err(PlanError::prefixed("creating config failed"))?;
    context.check_selectors(OfPrometheus::SELECTABLE)?;
    Ok(Valid { prometheus, instance, server, checked })
}
