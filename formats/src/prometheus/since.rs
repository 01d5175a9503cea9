//! The first and the last version of each field of Prometheus. This is the only place with that information.

use crate::version::Version;

/// The kinds of sections, as far as the versions of their fields differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    /// The top level of the file.
    Document,
    /// `global`.
    Global,
    /// An element of `scrape_configs`.
    Job,
    /// An element of one of the `*_sd_configs`.
    Discovery,
    /// An element of `ec2_sd_configs`. Its HTTP client was added later than that of other discoveries.
    Ec2,
    /// The discovery for a ServiceMonitor or for Alertmanagers: an element of `kubernetes_sd_configs`.
    Endpoints,
    /// The discovery for a PodMonitor: an element of `kubernetes_sd_configs`.
    Pods,
    /// `storage` and the sections in it.
    Storage,
    /// `storage` of an agent and the sections in it.
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
    /// A section whose fields every version supports.
    Plain,
}

impl SectionKind {
    /// The prefix of field names in messages.
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

/// The first version: major and minor.
type Since = (u64, u64);

/// Fields of HTTP clients.
const CLIENT: &[(&str, Since)] = &[
    ("authorization", (2, 26)),
    ("follow_redirects", (2, 26)),
    ("oauth2", (2, 27)),
    ("enable_http2", (2, 35)),
    ("no_proxy", (2, 43)),
    ("proxy_from_environment", (2, 43)),
    ("proxy_connect_header", (2, 43)),
];

/// Fields of each kind of section. Every version supports the fields that are not listed.
const FIELDS: &[(SectionKind, &str, Since)] = &[
    (SectionKind::Document, "storage", (2, 29)),
    (SectionKind::Document, "runtime", (2, 53)),
    (SectionKind::Global, "query_log_file", (2, 16)),
    (SectionKind::Global, "body_size_limit", (2, 45)),
    (SectionKind::Global, "sample_limit", (2, 45)),
    (SectionKind::Global, "target_limit", (2, 45)),
    (SectionKind::Global, "label_limit", (2, 45)),
    (SectionKind::Global, "label_name_length_limit", (2, 45)),
    (SectionKind::Global, "label_value_length_limit", (2, 45)),
    (SectionKind::Global, "keep_dropped_targets", (2, 47)),
    (SectionKind::Global, "scrape_protocols", (2, 49)),
    (SectionKind::Global, "rule_query_offset", (2, 53)),
    (SectionKind::Global, "scrape_failure_log_file", (2, 55)),
    (SectionKind::Global, "metric_name_validation_scheme", (3, 0)),
    (SectionKind::Global, "metric_name_escaping_scheme", (3, 4)),
    (SectionKind::Global, "convert_classic_histograms_to_nhcb", (3, 4)),
    (SectionKind::Global, "always_scrape_classic_histograms", (3, 5)),
    (SectionKind::Global, "scrape_native_histograms", (3, 8)),
    (SectionKind::Job, "honor_timestamps", (2, 9)),
    (SectionKind::Job, "target_limit", (2, 21)),
    (SectionKind::Job, "label_limit", (2, 27)),
    (SectionKind::Job, "label_name_length_limit", (2, 27)),
    (SectionKind::Job, "label_value_length_limit", (2, 27)),
    (SectionKind::Job, "body_size_limit", (2, 28)),
    (SectionKind::Job, "native_histogram_bucket_limit", (2, 45)),
    (SectionKind::Job, "scrape_classic_histograms", (2, 45)),
    (SectionKind::Job, "keep_dropped_targets", (2, 47)),
    (SectionKind::Job, "track_timestamps_staleness", (2, 48)),
    (SectionKind::Job, "enable_compression", (2, 49)),
    (SectionKind::Job, "scrape_protocols", (2, 49)),
    (SectionKind::Job, "native_histogram_min_bucket_factor", (2, 50)),
    (SectionKind::Job, "fallback_scrape_protocol", (3, 0)),
    (SectionKind::Job, "convert_classic_histograms_to_nhcb", (3, 0)),
    (SectionKind::Job, "scrape_native_histograms", (3, 8)),
    (SectionKind::Job, "metric_name_validation_scheme", (3, 0)),
    (SectionKind::Job, "metric_name_escaping_scheme", (3, 4)),
    // The Prometheus Operator writes these two for every version.
    (SectionKind::Discovery, "follow_redirects", (0, 0)),
    (SectionKind::Discovery, "enable_http2", (0, 0)),
    (SectionKind::Discovery, "selectors", (2, 17)),
    (SectionKind::Discovery, "label_selector", (3, 5)),
    (SectionKind::Ec2, "filters", (2, 3)),
    (SectionKind::Ec2, "follow_redirects", (2, 41)),
    (SectionKind::Ec2, "enable_http2", (2, 41)),
    (SectionKind::Ec2, "tls_config", (2, 41)),
    (SectionKind::Endpoints, "attach_metadata", (2, 37)),
    (SectionKind::Pods, "attach_metadata", (2, 35)),
    (SectionKind::Storage, "exemplars", (2, 29)),
    (SectionKind::Storage, "out_of_order_time_window", (2, 39)),
    (SectionKind::Storage, "stale_series_compaction_threshold", (3, 10)),
    (SectionKind::Storage, "chunk_encoding", (3, 13)),
    (SectionKind::AgentStorage, "out_of_order_time_window", (2, 54)),
    (SectionKind::AgentStorage, "stale_series_compaction_threshold", (3, 10)),
    (SectionKind::AgentStorage, "chunk_encoding", (3, 13)),
    (SectionKind::Alertmanager, "api_version", (2, 11)),
    (SectionKind::Alertmanager, "basic_auth", (2, 26)),
    (SectionKind::Alertmanager, "sigv4", (2, 48)),
    (SectionKind::Alertmanager, "alert_relabel_configs", (2, 51)),
    (SectionKind::RemoteWrite, "headers", (2, 15)),
    (SectionKind::RemoteWrite, "name", (2, 15)),
    (SectionKind::RemoteWrite, "metadata_config", (2, 23)),
    (SectionKind::RemoteWrite, "sigv4", (2, 26)),
    (SectionKind::RemoteWrite, "send_exemplars", (2, 27)),
    (SectionKind::RemoteWrite, "send_native_histograms", (2, 40)),
    (SectionKind::RemoteWrite, "azuread", (2, 45)),
    (SectionKind::RemoteWrite, "protobuf_message", (2, 54)),
    (SectionKind::RemoteWrite, "round_robin_dns", (3, 1)),
    (SectionKind::Queue, "min_shards", (2, 6)),
    (SectionKind::Queue, "retry_on_http_429", (2, 26)),
    (SectionKind::Queue, "sample_age_limit", (2, 50)),
    (SectionKind::Metadata, "max_samples_per_send", (2, 29)),
    (SectionKind::Azure, "oauth", (2, 48)),
    (SectionKind::Azure, "sdk", (2, 52)),
    (SectionKind::Azure, "workload_identity", (3, 7)),
    (SectionKind::Azure, "scope", (3, 9)),
    (SectionKind::RemoteRead, "name", (2, 15)),
    (SectionKind::RemoteRead, "headers", (2, 26)),
    (SectionKind::RemoteRead, "filter_external_labels", (2, 34)),
    (SectionKind::Otlp, "promote_resource_attributes", (2, 55)),
    (SectionKind::Otlp, "translation_strategy", (3, 0)),
    (SectionKind::Otlp, "keep_identifying_resource_attributes", (3, 1)),
    (SectionKind::Otlp, "convert_histograms_to_nhcb", (3, 4)),
    (SectionKind::Otlp, "promote_all_resource_attributes", (3, 5)),
    (SectionKind::Otlp, "ignore_resource_attributes", (3, 5)),
    (SectionKind::Otlp, "promote_scope_metadata", (3, 6)),
    (SectionKind::Otlp, "label_name_underscore_sanitization", (3, 8)),
    (SectionKind::Otlp, "label_name_preserve_multiple_underscores", (3, 8)),
    (SectionKind::OAuth2, "proxy_url", (2, 43)),
    (SectionKind::OAuth2, "tls_config", (2, 43)),
    (SectionKind::Tls, "min_version", (2, 35)),
    (SectionKind::Tls, "max_version", (2, 41)),
    (SectionKind::Sigv4, "use_fips_sts_endpoint", (2, 54)),
    (SectionKind::Sigv4, "external_id", (3, 11)),
];

/// Fields that were added in a patch release.
const PATCHED: &[(SectionKind, &str, Version)] =
    &[(SectionKind::Discovery, "match_first_network", Version::new(2, 54, 1))];

/// Fields that were removed.
const GONE: &[(SectionKind, &str, Since)] = &[(SectionKind::Queue, "max_retries", (2, 11))];

/// The versions that support a field, unless this version does.
pub(super) fn supporting_versions(kind: SectionKind, field: &str, version: &Version) -> Option<String> {
    let at = |(major, minor): Since| Version::new(major, minor, 0);
    let of_kind = FIELDS.iter().find(|row| row.0 == kind && row.1 == field).map(|row| row.2);
    let of_client = || {
        let has_client = !matches!(kind, SectionKind::Global | SectionKind::Document | SectionKind::Plain);
        has_client.then(|| CLIENT.iter().find(|row| row.0 == field).map(|row| row.1)).flatten()
    };
    if let Some(since) = of_kind.or_else(of_client)
        && *version < at(since)
    {
        return Some(format!("{}.{} or later", since.0, since.1));
    }
    if let Some((.., since)) = PATCHED.iter().find(|row| row.0 == kind && row.1 == field)
        && version < since
    {
        return Some(format!("{since} or later"));
    }
    let gone = GONE.iter().find(|row| row.0 == kind && row.1 == field).map(|row| row.2)?;
    (*version >= at(gone)).then(|| format!("before {}.{}", gone.0, gone.1))
}
