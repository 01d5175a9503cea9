//! Keeps the Service that stands for all kubelets of a cluster, with its Endpoints and EndpointSlices. What is in them is
//! decided in the module above, which is pure; this one watches nodes and writes.
//!
//! | file | owns |
//! |---|---|
//! | `kubelets` | the loop: when it is time to look, and what a pass does |
//! | `nodes` | what is kept of nodes, and which of their changes matter |
//! | `writer` | the requests: nothing is written when nothing differs |
//! | `told` | what was said once and is not said again |
//! | [`metrics`] | what is counted, under the names of the Prometheus Operator |
//!
//! It needs no more than the Prometheus Operator's own role allows: Services and Endpoints are asked for by name. Only
//! EndpointSlices need more, and where that right is missing it goes on without them.

mod kubelets;
pub mod metrics;
mod nodes;
mod told;
mod writer;

use k8s_openapi::api::core::v1::{Endpoints, Node, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kernel::declare::{Kind, Permission};

pub use kubelets::Kubelets;
pub use metrics::Metrics;

/// What is read and written.
pub const KINDS: [Kind; 4] =
    [Kind::of::<Node>(), Kind::of::<Service>(), Kind::of::<Endpoints>(), Kind::of::<EndpointSlice>()];

/// What it must be allowed to do.
pub const PERMISSIONS: [Permission; 4] = [
    Permission { group: "", resource: "nodes", verbs: &["list", "watch"], why: "addresses of kubelets" },
    Permission {
        group: "",
        resource: "services",
        verbs: &["get", "create", "update", "delete"],
        why: "the Service that stands for all kubelets",
    },
    Permission {
        group: "",
        resource: "endpoints",
        verbs: &["get", "create", "update", "delete"],
        why: "addresses of kubelets as targets",
    },
    Permission {
        group: "discovery.k8s.io",
        resource: "endpointslices",
        verbs: &["list", "create", "update", "delete"],
        why: "addresses of kubelets as targets",
    },
];
