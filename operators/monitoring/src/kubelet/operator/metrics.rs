//! Metrics under the names of the Prometheus Operator, which its alerts use.

use kernel::metrics::{Catalogue, ControllerMetrics, Counters, Metrics as Kernel};
use prometheus_client::metrics::counter::Counter;

use super::DECLARATION;

/// The resources that are synchronised with the nodes, as the label names them.
pub(super) const ENDPOINTS: &str = "endpoints";
pub(super) const ENDPOINT_SLICES: &str = "endpointslice";

/// What is counted.
#[derive(Debug, Clone)]
pub struct KubeletMetrics {
    pub(crate) controller: ControllerMetrics,
    lookup_errors: Counter,
    syncs: Counters<1>,
    failed_syncs: Counters<1>,
}

impl KubeletMetrics {
    /// Registers the metrics, and sets whether Endpoints and EndpointSlices are managed.
    pub fn register(catalogue: &mut Catalogue, kernel: &Kernel, endpoints: bool, slices: bool) -> Self {
        let mut theirs = catalogue.under("prometheus_operator");
        let help = "Number of times a node IP address could not be determined";
        let lookup_errors = theirs.counters("node_address_lookup_errors", [], help).with([]);
        let help = "Total number of synchronisations for the given resource";
        let syncs = theirs.counters("node_syncs", ["resource"], help);
        let help = "Total number of failed synchronisations for the given resource";
        let failed_syncs = theirs.counters("node_syncs_failed", ["resource"], help);
        let help = "Whether the given resource is managed (1) or not (0)";
        let managed = theirs.gauges("kubelet_managed_resource", ["resource"], help);
        for (resource, is_managed) in [(ENDPOINTS, endpoints), (ENDPOINT_SLICES, slices)] {
            managed.with([resource]).set(i64::from(is_managed));
            // Every series exists from the start, with the value zero.
            syncs.with([resource]);
            failed_syncs.with([resource]);
        }
        Self { controller: kernel.controller(DECLARATION.name), lookup_errors, syncs, failed_syncs }
    }

    /// Counts nodes whose address could not be determined.
    pub(crate) fn unreachable(&self, count: usize) {
        self.lookup_errors.inc_by(count as u64);
    }

    /// Counts a synchronisation of a resource, and whether it failed.
    pub(crate) fn synced(&self, resource: &'static str, failed: bool) {
        self.syncs.with([resource]).inc();
        self.failed_syncs.with([resource]).inc_by(u64::from(failed));
    }
}

/// The metrics as a table for the documentation.
pub fn reference() -> String {
    let mut catalogue = Catalogue::default();
    let kernel = Kernel::register(&mut Catalogue::default(), "", "");
    KubeletMetrics::register(&mut catalogue, &kernel, true, true);
    catalogue.reference()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_the_names_that_alerts_use() {
        let mut catalogue = Catalogue::default();
        let kernel = Kernel::register(&mut Catalogue::default(), "", "");
        let metrics = KubeletMetrics::register(&mut catalogue, &kernel, true, false);
        metrics.unreachable(2);
        metrics.synced(ENDPOINTS, false);
        metrics.synced(ENDPOINTS, true);
        assert_eq!(catalogue.faults(), Vec::<String>::new());
        let page = catalogue.expose().unwrap();
        let mut values: Vec<&str> = page.lines().filter(|line| !line.starts_with('#')).collect();
        values.sort_unstable();
        let expected = [
            "prometheus_operator_kubelet_managed_resource{resource=\"endpoints\"} 1",
            "prometheus_operator_kubelet_managed_resource{resource=\"endpointslice\"} 0",
            "prometheus_operator_node_address_lookup_errors_total{} 2",
            "prometheus_operator_node_syncs_failed_total{resource=\"endpoints\"} 1",
            "prometheus_operator_node_syncs_failed_total{resource=\"endpointslice\"} 0",
            "prometheus_operator_node_syncs_total{resource=\"endpoints\"} 2",
            "prometheus_operator_node_syncs_total{resource=\"endpointslice\"} 0",
        ];
        assert_eq!(values, expected);
    }
}
