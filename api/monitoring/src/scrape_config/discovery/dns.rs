//! DNS.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Duration, text};

text! {
    /// Type of the DNS records to query.
    #[schemars(extend("enum" = ["A", "AAAA", "MX", "NS", "SRV"]))]
    DnsRecordType
}

/// Discovery of targets through DNS queries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["names"]))]
pub struct DnsSdConfig {
    /// Domain names to query.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub names: Vec<String>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
    /// Type of the records to query; `SRV` if empty.
    #[serde(rename = "type")]
    pub type_: Option<DnsRecordType>,
    /// Port to scrape the found targets on; not used for `SRV` records.
    #[schemars(range(min = 0, max = 65535))]
    pub port: Option<i32>,
}
