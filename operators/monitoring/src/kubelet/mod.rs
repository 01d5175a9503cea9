//! The kubelets of a cluster as targets: a Service without pods, whose endpoints are the nodes. Pure: nodes in, objects
//! out.
//!
//! | file | owns |
//! |---|---|
//! | [`settings`] | what is asked for, and the labels of all objects |
//! | [`address`] | which address of which node is asked |
//! | `port` | the ports of a kubelet |
//! | [`service`] | the Service |
//! | [`endpoints`] | the Endpoints |
//! | [`endpoint_slice`] | the EndpointSlices |
//!
//! Endpoints and EndpointSlices follow from the Service that stands in the cluster: write it first.

pub mod address;
pub mod endpoint_slice;
pub mod endpoints;
pub mod operator;
mod port;
pub mod service;
pub mod settings;

pub use address::{Address, Unreachable};
pub use settings::{Priority, Settings};
