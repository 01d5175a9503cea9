//! What is wrong with a Prometheus; else all that its plan looks at.

use api_monitoring::Prometheus;
use api_monitoring::prometheus::shared::SharedSpec;
use monitoring_scrape::Server;
use monitoring_select::Workload;
use monitoring_select::workload::{self, Checked};

use crate::kind::{Workload as _, unselectable};
use crate::plan::limits;
use crate::plan::planned::Invalid;
use crate::plan::surroundings::Surroundings;
use crate::prometheus::OfPrometheus;
use crate::prometheus::pods::Instance;

/// A Prometheus that can be carried out, apart from gaps.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) prometheus: &'v Prometheus,
    pub(super) instance: Instance<'v>,
    /// What checks the resources that it selects.
    pub(super) workload: Workload<'v>,
    /// What their jobs are written for.
    pub(super) server: Server<'v>,
    /// What its own references say.
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

/// Checks.
pub(crate) fn validate<'v>(
    prometheus: &'v Prometheus,
    around: &Surroundings<'v>,
) -> Result<Valid<'v>, Invalid> {
    limits::check_name(&prometheus.metadata)?;
    let instance = Instance::server(prometheus).map_err(|error| Invalid::new(&error))?;
    let text = |text: &'v Option<String>| text.as_deref().unwrap_or_default();
    let named = (text(&prometheus.metadata.namespace), text(&prometheus.metadata.name));
    let workload = Workload::new(named, instance.spec, instance.version.clone());
    let checked = workload::check_server(&workload, &prometheus.spec, around.objects)
        .map_err(|refused| Invalid::new(&format!("creating config failed: {refused}")))?;
    let server = Server::read(named, instance.spec).map_err(|error| Invalid::new(&error))?;
    around.check_selectors(OfPrometheus::SELECTABLE.iter().copied()).map_err(unselectable)?;
    Ok(Valid { prometheus, instance, workload, server, checked })
}
