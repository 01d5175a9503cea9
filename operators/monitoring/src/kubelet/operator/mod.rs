//! Maintains the Service of all kubelets of a cluster, with its Endpoints and EndpointSlices. Their contents are decided in
//! the parent module, which is pure. This module watches nodes, and writes through the writer of the kernel.
//!
//! | file | owns |
//! |---|---|
//! | this | the declaration: permissions follow from it |
//! | `kubelets` | when a pass is due, and what a pass does |
//! | `nodes` | which fields of nodes are cached, and which changes cause a pass |
//! | [`metrics`] | metrics under the names of the Prometheus Operator |
//!
//! The role of the Prometheus Operator is enough: Services and Endpoints are read by name. Only EndpointSlices need more;
//! without that permission the operator does not write them.

mod kubelets;
pub mod metrics;
mod nodes;

use k8s_openapi::api::core::v1::{Endpoints, Node, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kernel::declare::{Declaration, Kind, Permission};

pub use kubelets::Kubelets;
pub use metrics::KubeletMetrics;

const NODE: Kind = Kind::of::<Node>();
const SERVICE: Kind = Kind::of::<Service>();
const ENDPOINTS: Kind = Kind::of::<Endpoints>();
const ENDPOINT_SLICE: Kind = Kind::of::<EndpointSlice>();

/// All nodes share one key. The objects are not watched: a pass reads them.
pub static DECLARATION: Declaration = Declaration {
    name: "kubelet",
    primary: NODE,
    finalizer: "",
    owned: &[],
    watched: &[],
    permissions: &[
        writes(SERVICE, &["get", "create", "update", "delete"], "the Service of all kubelets"),
        writes(ENDPOINTS, &["get", "create", "update", "delete"], "addresses of kubelets as targets"),
        writes(ENDPOINT_SLICE, &["list", "create", "update", "delete"], "addresses of kubelets as targets"),
    ],
    predecessors: &[],
    status_manager: None,
};

const fn writes(kind: Kind, verbs: &'static [&'static str], why: &'static str) -> Permission {
    Permission { group: kind.group, resource: kind.plural, verbs, why }
}
