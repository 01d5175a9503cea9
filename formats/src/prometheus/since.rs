//! Which field from which version of Prometheus on, and until which: the only place that knows.

use crate::version::Version;

/// A part of the file, as far as its fields have versions of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The outermost level.
    Document,
    /// `global`.
    Global,
    /// An element of `scrape_configs`.
    Job,
    /// An element of one of the `*_sd_configs`.
    Discovery,
    /// An element of `ec2_sd_configs`, whose HTTP client came later than the others.
    Ec2,
    /// The discovery of a ServiceMonitor or of Alertmanagers: an element of `kubernetes_sd_configs`.
    Endpoints,
    /// The discovery of a PodMonitor: an element of `kubernetes_sd_configs`.
    Pods,
    /// `storage` and what is in it.
    Storage,
    /// `storage` of an agent and what is in it.
    AgentStorage,
    /// An element of `alerting.alertmanagers`.
    Alertmanager,
    /// An element of `remote_write`.
    RemoteWrite,
    /// `queue_config` of remote write.
    Queue,
    /// `metadata_config` of remote write.
    Metadata,
    /// `azuread`.
    Azure,
    /// An element of `remote_read`.
    RemoteRead,
    /// `otlp`.
    Otlp,
    /// `tracing`.
    Tracing,
    /// `tls_config`, wherever it is.
    Tls,
    /// `oauth2`, wherever it is.
    OAuth2,
    /// `sigv4`, wherever it is.
    Sigv4,
    /// A part whose fields every version has.
    Plain,
}

impl Place {
    /// What is put before the name of a field when it is named to a person.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Document
            | Self::Job
            | Self::Discovery
            | Self::Ec2
            | Self::Endpoints
            | Self::Pods
            | Self::Plain => "",
            Self::Global => "global.",
            Self::Storage | Self::AgentStorage => "storage.",
            Self::Alertmanager => "alertmanagers.",
            Self::RemoteWrite => "remote_write.",
            Self::Queue => "remote_write.queue_config.",
            Self::Metadata => "remote_write.metadata_config.",
            Self::Azure => "remote_write.azuread.",
            Self::RemoteRead => "remote_read.",
            Self::Otlp => "otlp.",
            Self::Tracing => "tracing.",
            Self::Tls => "tls_config.",
            Self::OAuth2 => "oauth2.",
            Self::Sigv4 => "sigv4.",
        }
    }
}

/// From a version on.
type Since = (u64, u64);

/// Fields of an HTTP client, which are the same wherever there is one.
const CLIENT: &[(&str, Since)] = &[
    ("authorization", (2, 26)),
    ("follow_redirects", (2, 26)),
    ("oauth2", (2, 27)),
    ("enable_http2", (2, 35)),
    ("no_proxy", (2, 43)),
    ("proxy_from_environment", (2, 43)),
    ("proxy_connect_header", (2, 43)),
];

/// Fields of a place. What is not here every version has.
const FIELDS: &[(Place, &str, Since)] = &[
    (Place::Document, "storage", (2, 29)),
    (Place::Document, "runtime", (2, 53)),
    (Place::Global, "query_log_file", (2, 16)),
    (Place::Global, "body_size_limit", (2, 45)),
    (Place::Global, "sample_limit", (2, 45)),
    (Place::Global, "target_limit", (2, 45)),
    (Place::Global, "label_limit", (2, 45)),
    (Place::Global, "label_name_length_limit", (2, 45)),
    (Place::Global, "label_value_length_limit", (2, 45)),
    (Place::Global, "keep_dropped_targets", (2, 47)),
    (Place::Global, "scrape_protocols", (2, 49)),
    (Place::Global, "rule_query_offset", (2, 53)),
    (Place::Global, "scrape_failure_log_file", (2, 55)),
    (Place::Global, "metric_name_validation_scheme", (3, 0)),
    (Place::Global, "metric_name_escaping_scheme", (3, 4)),
    (Place::Global, "convert_classic_histograms_to_nhcb", (3, 4)),
    (Place::Global, "always_scrape_classic_histograms", (3, 5)),
    (Place::Global, "scrape_native_histograms", (3, 8)),
    (Place::Job, "honor_timestamps", (2, 9)),
    (Place::Job, "target_limit", (2, 21)),
    (Place::Job, "label_limit", (2, 27)),
    (Place::Job, "label_name_length_limit", (2, 27)),
    (Place::Job, "label_value_length_limit", (2, 27)),
    (Place::Job, "body_size_limit", (2, 28)),
    (Place::Job, "native_histogram_bucket_limit", (2, 45)),
    (Place::Job, "scrape_classic_histograms", (2, 45)),
    (Place::Job, "keep_dropped_targets", (2, 47)),
    (Place::Job, "track_timestamps_staleness", (2, 48)),
    (Place::Job, "enable_compression", (2, 49)),
    (Place::Job, "scrape_protocols", (2, 49)),
    (Place::Job, "native_histogram_min_bucket_factor", (2, 50)),
    (Place::Job, "fallback_scrape_protocol", (3, 0)),
    (Place::Job, "convert_classic_histograms_to_nhcb", (3, 0)),
    (Place::Job, "scrape_native_histograms", (3, 8)),
    (Place::Job, "metric_name_validation_scheme", (3, 0)),
    (Place::Job, "metric_name_escaping_scheme", (3, 4)),
    // Discoveries are written as they were asked for: here these two have no first version.
    (Place::Discovery, "follow_redirects", (0, 0)),
    (Place::Discovery, "enable_http2", (0, 0)),
    (Place::Discovery, "selectors", (2, 17)),
    (Place::Discovery, "label_selector", (3, 5)),
    (Place::Ec2, "filters", (2, 3)),
    (Place::Ec2, "follow_redirects", (2, 41)),
    (Place::Ec2, "enable_http2", (2, 41)),
    (Place::Ec2, "tls_config", (2, 41)),
    (Place::Endpoints, "attach_metadata", (2, 37)),
    (Place::Pods, "attach_metadata", (2, 35)),
    (Place::Storage, "exemplars", (2, 29)),
    (Place::Storage, "out_of_order_time_window", (2, 39)),
    (Place::Storage, "stale_series_compaction_threshold", (3, 10)),
    (Place::Storage, "chunk_encoding", (3, 13)),
    (Place::AgentStorage, "out_of_order_time_window", (2, 54)),
    (Place::AgentStorage, "stale_series_compaction_threshold", (3, 10)),
    (Place::AgentStorage, "chunk_encoding", (3, 13)),
    (Place::Alertmanager, "api_version", (2, 11)),
    (Place::Alertmanager, "basic_auth", (2, 26)),
    (Place::Alertmanager, "sigv4", (2, 48)),
    (Place::Alertmanager, "alert_relabel_configs", (2, 51)),
    (Place::RemoteWrite, "headers", (2, 15)),
    (Place::RemoteWrite, "name", (2, 15)),
    (Place::RemoteWrite, "metadata_config", (2, 23)),
    (Place::RemoteWrite, "sigv4", (2, 26)),
    (Place::RemoteWrite, "send_exemplars", (2, 27)),
    (Place::RemoteWrite, "send_native_histograms", (2, 40)),
    (Place::RemoteWrite, "azuread", (2, 45)),
    (Place::RemoteWrite, "protobuf_message", (2, 54)),
    (Place::RemoteWrite, "round_robin_dns", (3, 1)),
    (Place::Queue, "min_shards", (2, 6)),
    (Place::Queue, "retry_on_http_429", (2, 26)),
    (Place::Queue, "sample_age_limit", (2, 50)),
    (Place::Metadata, "max_samples_per_send", (2, 29)),
    (Place::Azure, "oauth", (2, 48)),
    (Place::Azure, "sdk", (2, 52)),
    (Place::Azure, "workload_identity", (3, 7)),
    (Place::Azure, "scope", (3, 9)),
    (Place::RemoteRead, "name", (2, 15)),
    (Place::RemoteRead, "headers", (2, 26)),
    (Place::RemoteRead, "filter_external_labels", (2, 34)),
    (Place::Otlp, "promote_resource_attributes", (2, 55)),
    (Place::Otlp, "translation_strategy", (3, 0)),
    (Place::Otlp, "keep_identifying_resource_attributes", (3, 1)),
    (Place::Otlp, "convert_histograms_to_nhcb", (3, 4)),
    (Place::Otlp, "promote_all_resource_attributes", (3, 5)),
    (Place::Otlp, "ignore_resource_attributes", (3, 5)),
    (Place::Otlp, "promote_scope_metadata", (3, 6)),
    (Place::Otlp, "label_name_underscore_sanitization", (3, 8)),
    (Place::Otlp, "label_name_preserve_multiple_underscores", (3, 8)),
    (Place::OAuth2, "proxy_url", (2, 43)),
    (Place::OAuth2, "tls_config", (2, 43)),
    (Place::Tls, "min_version", (2, 35)),
    (Place::Tls, "max_version", (2, 41)),
    (Place::Sigv4, "use_fips_sts_endpoint", (2, 54)),
    (Place::Sigv4, "external_id", (3, 11)),
];

/// Fields that came between two minor versions.
const PATCHED: &[(Place, &str, Version)] =
    &[(Place::Discovery, "match_first_network", Version::new(2, 54, 1))];

/// Fields that later versions no longer have.
const GONE: &[(Place, &str, Since)] = &[(Place::Queue, "max_retries", (2, 11))];

/// Which versions have a field, if this one has not.
pub(super) fn refusal(place: Place, field: &str, version: &Version) -> Option<String> {
    let at = |(major, minor): Since| Version::new(major, minor, 0);
    let of_place = FIELDS.iter().find(|row| row.0 == place && row.1 == field).map(|row| row.2);
    let of_client = || {
        let has_client = !matches!(place, Place::Global | Place::Document | Place::Plain);
        has_client.then(|| CLIENT.iter().find(|row| row.0 == field).map(|row| row.1)).flatten()
    };
    if let Some(since) = of_place.or_else(of_client)
        && *version < at(since)
    {
        return Some(format!("{}.{} or later", since.0, since.1));
    }
    if let Some((.., since)) = PATCHED.iter().find(|row| row.0 == place && row.1 == field)
        && version < since
    {
        return Some(format!("{since} or later"));
    }
    let gone = GONE.iter().find(|row| row.0 == place && row.1 == field).map(|row| row.2)?;
    (*version >= at(gone)).then(|| format!("before {}.{}", gone.0, gone.1))
}
