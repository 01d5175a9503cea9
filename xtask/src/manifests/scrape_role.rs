//! What a Prometheus must be allowed to do to find and scrape targets, as a role that users bind to the account of
//! theirs. It follows from the discoveries of Kubernetes that monitors end in.

use std::fmt::Write as _;

use kernel::declare::Right;

use super::role;

pub(super) const NAME: &str = "mainstay-scrape";

const LOOK: &[&str] = &["get", "list", "watch"];

const RIGHTS: [Right; 7] = [
    Right {
        group: "",
        resource: "services",
        verbs: LOOK,
        why: "targets of ServiceMonitors and their labels",
    },
    Right {
        group: "discovery.k8s.io",
        resource: "endpointslices",
        verbs: LOOK,
        why: "targets of ServiceMonitors; Alertmanagers",
    },
    Right {
        group: "",
        resource: "endpoints",
        verbs: LOOK,
        why: "the same, unless serviceDiscoveryRole is EndpointSlice",
    },
    Right { group: "", resource: "pods", verbs: LOOK, why: "targets of PodMonitors; labels of others' pods" },
    Right { group: "networking.k8s.io", resource: "ingresses", verbs: LOOK, why: "targets of Probes" },
    Right { group: "", resource: "nodes", verbs: LOOK, why: "nodes as targets; labels of their nodes" },
    Right { group: "", resource: "nodes/metrics", verbs: &["get"], why: "metrics of kubelets" },
];

/// Paths that are no resources.
const PATHS: [&str; 2] = ["/metrics", "/metrics/slis"];

pub(super) fn rules() -> String {
    let mut text = role::rules(&RIGHTS);
    let paths: Vec<String> = PATHS.iter().map(|path| format!("{path:?}")).collect();
    let _ = writeln!(
        text,
        "  # metrics of the API server\n  - nonResourceURLs: [{}]\n    verbs: [\"get\"]",
        paths.join(", ")
    );
    text
}
