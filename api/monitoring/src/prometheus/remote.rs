//! Remote write and remote read.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::auth::{Authorization, AzureAd, BasicAuth, OAuth2, Sigv4};
use crate::http::ProxyConfig;
use crate::relabel::RelabelConfig;
use crate::text::{Duration, RemoteWriteMessageVersion, Url};
use crate::tls::TlsConfig;

/// An endpoint that samples are sent to by remote write.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url"]))]
pub struct RemoteWriteSpec {
    /// URL of the endpoint that samples are sent to.
    pub url: Url,
    /// Name of this endpoint in metrics and logs; it must be unique.
    pub name: Option<String>,
    /// Version of the remote write messages that are sent.
    pub message_version: Option<RemoteWriteMessageVersion>,
    /// Whether exemplars are sent too.
    pub send_exemplars: Option<bool>,
    /// Whether native histograms are sent too.
    pub send_native_histograms: Option<bool>,
    /// How long one request to the endpoint may take.
    pub remote_timeout: Option<Duration>,
    /// Extra HTTP headers sent with each request.
    pub headers: BTreeMap<String, String>,
    /// Relabeling of the samples before they are sent.
    pub write_relabel_configs: Vec<RelabelConfig>,
    /// OAuth 2.0 client settings used to get an access token.
    pub oauth2: Option<OAuth2>,
    /// Credentials for HTTP basic authentication.
    pub basic_auth: Option<BasicAuth>,
    /// Deprecated: use `authorization` instead.
    pub bearer_token_file: String,
    /// Content of the `Authorization` header sent with each request.
    pub authorization: Option<Authorization>,
    /// Sign requests with AWS Signature Version 4.
    pub sigv4: Option<Sigv4>,
    /// Authenticate with Azure AD (Microsoft Entra ID).
    pub azure_ad: Option<AzureAd>,
    /// Deprecated: use `authorization` instead; anyone who reads this resource sees the token.
    pub bearer_token: String,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Whether HTTP redirects are followed.
    pub follow_redirects: Option<bool>,
    /// Tuning of the queue that holds samples until they are sent.
    pub queue_config: Option<QueueConfig>,
    /// Whether and how often metric metadata is sent.
    pub metadata_config: Option<MetadataConfig>,
    /// Whether HTTP/2 may be used.
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// Spread connections over all IP addresses that the host name resolves to.
    #[serde(rename = "roundRobinDNS")]
    pub round_robin_dns: Option<bool>,
}

/// Tuning of the queue that holds samples until they are sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueConfig {
    /// How many samples each queue shard buffers before reading more is blocked.
    #[schemars(extend("format" = Value::Null))]
    pub capacity: i64,
    /// Number of queue shards that always send in parallel.
    #[schemars(extend("format" = Value::Null))]
    pub min_shards: i64,
    /// How many queue shards may send in parallel at most.
    #[schemars(extend("format" = Value::Null))]
    pub max_shards: i64,
    /// How many samples one request may contain.
    #[schemars(extend("format" = Value::Null))]
    pub max_samples_per_send: i64,
    /// How long a sample waits for its batch to fill before it is sent anyway.
    pub batch_send_deadline: Option<Duration>,
    /// How many times a failed request is tried again.
    #[schemars(extend("format" = Value::Null))]
    pub max_retries: i64,
    /// Wait before the first retry; it doubles with each further one.
    pub min_backoff: Option<Duration>,
    /// Longest wait between two retries.
    pub max_backoff: Option<Duration>,
    /// Try again when the endpoint answers with HTTP status 429.
    pub retry_on_rate_limit: bool,
    /// Samples older than this are dropped instead of sent.
    pub sample_age_limit: Option<Duration>,
}

/// An endpoint that queries read samples from by remote read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url"]))]
pub struct RemoteReadSpec {
    /// URL of the endpoint that samples are read from.
    pub url: Url,
    /// Name of this endpoint in metrics and logs; it must be unique.
    pub name: String,
    /// Labels that a query must select by, otherwise this endpoint is not queried.
    pub required_matchers: BTreeMap<String, String>,
    /// How long one request to the endpoint may take.
    pub remote_timeout: Option<Duration>,
    /// Extra HTTP headers sent with each request.
    pub headers: BTreeMap<String, String>,
    /// Query the endpoint also for time ranges that the local storage should have completely.
    pub read_recent: bool,
    /// OAuth 2.0 client settings used to get an access token.
    pub oauth2: Option<OAuth2>,
    /// Credentials for HTTP basic authentication.
    pub basic_auth: Option<BasicAuth>,
    /// Deprecated: use `authorization` instead.
    pub bearer_token_file: String,
    /// Content of the `Authorization` header sent with each request.
    pub authorization: Option<Authorization>,
    /// Deprecated: use `authorization` instead; anyone who reads this resource sees the token.
    pub bearer_token: String,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Whether HTTP redirects are followed.
    pub follow_redirects: Option<bool>,
    /// Whether the external labels are added as selectors to the remote query.
    pub filter_external_labels: Option<bool>,
}

/// Whether and how often metric metadata is sent by remote write.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MetadataConfig {
    /// Whether metric metadata is sent.
    pub send: bool,
    /// Time between two sends of the metadata.
    pub send_interval: Duration,
    /// How many metadata entries one request may contain.
    #[schemars(range(min = -1))]
    pub max_samples_per_send: Option<i32>,
}
