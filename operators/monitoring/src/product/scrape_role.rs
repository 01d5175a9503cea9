//! What a Prometheus must be allowed to do to find and scrape targets, as a role that users bind to the account of
//! theirs. It follows from the discoveries of Kubernetes that monitors end in.

use kernel::declare::Permission;
use product::Role;

/// The role.
pub const SCRAPE: Role = Role {
    name: "mainstay-scrape",
    permissions: &PERMISSIONS,
    paths: &["/metrics", "/metrics/slis"],
    why: "metrics of the API server",
};

const LOOK: &[&str] = &["get", "list", "watch"];

const PERMISSIONS: [Permission; 7] = [
    Permission {
        group: "",
        resource: "services",
        verbs: LOOK,
        why: "targets of ServiceMonitors and their labels",
    },
    Permission {
        group: "discovery.k8s.io",
        resource: "endpointslices",
        verbs: LOOK,
        why: "targets of ServiceMonitors; Alertmanagers",
    },
    Permission {
        group: "",
        resource: "endpoints",
        verbs: LOOK,
        why: "the same, unless serviceDiscoveryRole is EndpointSlice",
    },
    Permission {
        group: "",
        resource: "pods",
        verbs: LOOK,
        why: "targets of PodMonitors; labels of others' pods",
    },
    Permission { group: "networking.k8s.io", resource: "ingresses", verbs: LOOK, why: "targets of Probes" },
    Permission { group: "", resource: "nodes", verbs: LOOK, why: "nodes as targets; labels of their nodes" },
    Permission { group: "", resource: "nodes/metrics", verbs: &["get"], why: "metrics of kubelets" },
];
