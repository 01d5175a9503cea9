//! Consul.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scrape_config::discovery::client::DiscoveryClient;
use crate::text::{Duration, Scheme};

/// Discovery of targets in the Consul catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["server"]))]
pub struct ConsulSdConfig {
    /// Address of the Consul server, as `host` or `host:port`.
    #[schemars(length(min = 1))]
    pub server: String,
    /// Path prefix of the Consul API, for a server behind a proxy.
    #[schemars(length(min = 1))]
    pub path_prefix: Option<String>,
    /// Secret key that holds the Consul ACL token.
    pub token_ref: Option<SecretKeySelector>,
    /// Consul data center to query; empty means that of the server.
    #[schemars(length(min = 1))]
    pub datacenter: Option<String>,
    /// Consul namespace to query (Consul Enterprise only).
    #[schemars(length(min = 1))]
    pub namespace: Option<String>,
    /// Consul admin partition to query (Consul Enterprise only).
    #[schemars(length(min = 1))]
    pub partition: Option<String>,
    /// Scheme of the Consul URL: HTTP or HTTPS.
    pub scheme: Option<Scheme>,
    /// Names of the services to find; empty means all.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub services: Vec<String>,
    /// Tags that a service must have, all of them.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub tags: Vec<String>,
    /// Text that joins the tags of a target into one label value.
    #[schemars(length(min = 1))]
    pub tag_separator: Option<String>,
    /// Metadata that a node must have.
    #[schemars(extend("x-kubernetes-map-type" = "atomic"))]
    pub node_meta: BTreeMap<String, String>,
    /// Consul filter expression for the services of the catalog.
    #[schemars(length(min = 1))]
    pub filter: Option<String>,
    /// Consul filter expression for the entries of the health API.
    #[schemars(length(min = 1))]
    pub health_filter: Option<String>,
    /// Accept answers that may be out of date; this lowers the load on the servers.
    pub allow_stale: Option<bool>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// HTTP client options.
    #[serde(flatten)]
    pub client: DiscoveryClient,
}
