//! Named defaults for scrapes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::Authorization;
use crate::relabel::RelabelConfig;
use crate::scrape::AttachMetadata;
use crate::text::ScrapeProtocol;
use crate::tls::TlsConfig;

/// Named set of scrape settings that monitors can refer to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct ScrapeClass {
    /// Name that monitors refer to this class by.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Use this class for monitors that name none; only one class may be the default.
    pub default: Option<bool>,
    /// Format assumed when a target sends no valid `Content-Type` header.
    pub fallback_scrape_protocol: Option<ScrapeProtocol>,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
    /// Content of the `Authorization` header sent with each request.
    pub authorization: Option<Authorization>,
    /// Relabeling of the targets before they are scraped.
    pub relabelings: Vec<RelabelConfig>,
    /// Relabeling of the scraped samples before they are stored.
    pub metric_relabelings: Vec<RelabelConfig>,
    /// Extra metadata that discovery adds to the targets.
    pub attach_metadata: Option<AttachMetadata>,
}
