//! The kubelets of a cluster as targets: a Service without pods, whose endpoints are the nodes. Pure: nodes in, objects
//! out.
//!
//! | file | owns |
//! |---|---|
//! | [`settings`] | the settings, the ports, and the labels of all objects |
//! | [`address`] | which address of which node is scraped |
//! | [`service`] | the Service |
//! | [`endpoints`] | the Endpoints |
//! | [`endpoint_slice`] | the EndpointSlices |
//! | [`operator`] | the controller that watches nodes and writes these objects |
//!
//! Endpoints and EndpointSlices depend on the Service in the cluster: write it first.

pub mod address;
pub mod endpoint_slice;
pub mod endpoints;
pub mod operator;
pub mod service;
pub mod settings;

pub use address::{KubeletAddress, Unreachable};
pub use settings::{AddressPriority, KubeletSettings};
