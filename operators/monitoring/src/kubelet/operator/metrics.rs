//! What is counted, under the names of the Prometheus Operator: its alerts ask for them.

use kernel::metrics::{Catalogue, ControllerMetrics, Metrics as Kernel};
use prometheus_client::metrics::counter::Counter;

/// What is synchronised with the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Endpoints,
    EndpointSlices,
}

impl Part {
    fn label(self) -> &'static str {
        match self {
            Self::Endpoints => "endpoints",
            Self::EndpointSlices => "endpointslice",
        }
    }
}

/// What is counted.
#[derive(Debug, Clone)]
pub struct Metrics {
    pub(crate) controller: ControllerMetrics,
    lookup_errors: Counter,
    endpoints: Synced,
    slices: Synced,
}

#[derive(Debug, Clone)]
struct Synced {
    all: Counter,
    failed: Counter,
}

impl Metrics {
    /// Registers the families, and says whether there shall be Endpoints and EndpointSlices.
    pub fn register(catalogue: &mut Catalogue, kernel: &Kernel, endpoints: bool, slices: bool) -> Self {
        let mut theirs = catalogue.under("prometheus_operator");
        let help = "Number of times a node IP address could not be determined";
        let lookup_errors = theirs.counters("node_address_lookup_errors", [], help).with([]);
        let help = "Total number of synchronisations for the given resource";
        let all = theirs.counters("node_syncs", ["resource"], help);
        let help = "Total number of failed synchronisations for the given resource";
        let failed = theirs.counters("node_syncs_failed", ["resource"], help);
        let help = "Whether the given resource is managed (1) or not (0)";
        let managed = theirs.gauges("kubelet_managed_resource", ["resource"], help);
        for (part, is_managed) in [(Part::Endpoints, endpoints), (Part::EndpointSlices, slices)] {
            managed.with([part.label()]).set(i64::from(is_managed));
        }
        let of = |part: Part| Synced { all: all.with([part.label()]), failed: failed.with([part.label()]) };
        Self {
            controller: kernel.controller("kubelet"),
            lookup_errors,
            endpoints: of(Part::Endpoints),
            slices: of(Part::EndpointSlices),
        }
    }

    /// So many addresses of nodes could not be determined.
    pub(crate) fn unreachable(&self, count: usize) {
        self.lookup_errors.inc_by(count as u64);
    }

    /// Something was synchronised, or could not be.
    pub(crate) fn synced(&self, part: Part, failed: bool) {
        let counters = match part {
            Part::Endpoints => &self.endpoints,
            Part::EndpointSlices => &self.slices,
        };
        counters.all.inc();
        counters.failed.inc_by(u64::from(failed));
    }
}

/// The families as a table for the documents.
pub fn reference() -> String {
    let mut catalogue = Catalogue::default();
    let kernel = Kernel::register(&mut Catalogue::default(), "", "");
    Metrics::register(&mut catalogue, &kernel, true, true);
    catalogue.reference()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_happened_under_names_that_alerts_ask_for() {
        let mut catalogue = Catalogue::default();
        let kernel = Kernel::register(&mut Catalogue::default(), "", "");
        let metrics = Metrics::register(&mut catalogue, &kernel, true, false);
        metrics.unreachable(2);
        metrics.synced(Part::Endpoints, false);
        metrics.synced(Part::Endpoints, true);
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
