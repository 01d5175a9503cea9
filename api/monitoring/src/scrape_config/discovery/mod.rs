//! Where targets come from, a file a kind of discovery.

pub mod azure;
pub mod client;
pub mod consul;
pub mod digital_ocean;
pub mod dns;
pub mod docker;
pub mod docker_swarm;
pub mod ec2;
pub mod eureka;
pub mod file;
pub mod gce;
pub mod hetzner;
pub mod http;
pub mod ionos;
pub mod kubernetes;
pub mod kuma;
pub mod lightsail;
pub mod linode;
pub mod nomad;
pub mod openstack;
pub mod ovhcloud;
pub mod puppetdb;
pub mod scaleway;
pub mod static_targets;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::text;

text! {
    /// URL that starts with `http://` or `https://`.
    #[schemars(extend("pattern" = "^https?://.+$"))]
    Url
}

/// Condition on one property of the listed objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name", "values"]))]
pub struct Filter {
    /// Name of the property to filter on.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Accepted values of the property.
    #[schemars(length(min = 1), inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub values: Vec<String>,
}
