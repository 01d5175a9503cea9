//! Static targets.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::text;

text! {
    /// Address of a target to scrape, normally `host:port`.
    #[schemars(extend("minLength" = 1))]
    Target
}

/// Fixed list of targets that share labels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["targets"]))]
pub struct StaticConfig {
    /// Addresses of the targets.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub targets: Vec<Target>,
    /// Labels that every series of these targets gets.
    #[schemars(extend("x-kubernetes-map-type" = "atomic"))]
    pub labels: BTreeMap<String, String>,
}
