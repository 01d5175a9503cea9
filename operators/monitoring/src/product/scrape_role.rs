//! The permissions that a Prometheus needs to discover and scrape targets, as a `ClusterRole` that users bind to its
//! `ServiceAccount`. They follow from the Kubernetes discoveries in the jobs of monitors.

use kernel::declare::Permission;
use product::OperandRole;

/// The role.
pub const SCRAPE: OperandRole = OperandRole {
    name: "mainstay-scrape",
    permissions: &PERMISSIONS,
    paths: &["/metrics", "/metrics/slis"],
    why: "metrics of the API server",
};

const READ: &[&str] = &["get", "list", "watch"];

const PERMISSIONS: [Permission; 7] = [
    Permission {
        group: "",
        resource: "services",
        verbs: READ,
        why: "targets of ServiceMonitors and their labels",
    },
    Permission {
        group: "discovery.k8s.io",
        resource: "endpointslices",
        verbs: READ,
        why: "targets of ServiceMonitors; Alertmanagers",
    },
    Permission {
        group: "",
        resource: "endpoints",
        verbs: READ,
        why: "the same, unless serviceDiscoveryRole is EndpointSlice",
    },
    Permission {
        group: "",
        resource: "pods",
        verbs: READ,
        why: "targets of PodMonitors; labels of the pods of other targets",
    },
    Permission { group: "networking.k8s.io", resource: "ingresses", verbs: READ, why: "targets of Probes" },
    Permission {
        group: "",
        resource: "nodes",
        verbs: READ,
        why: "nodes as targets; labels of the nodes of other targets",
    },
    Permission { group: "", resource: "nodes/metrics", verbs: &["get"], why: "metrics of kubelets" },
];
