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
    /// `storage` and what is in it.
    Storage,
    /// An element of `alerting.alertmanagers`.
    Alertmanager,
    /// An element of `remote_write`.
    RemoteWrite,
    /// `queue_config` of remote write.
    Queue,
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
            Self::Document | Self::Job | Self::Discovery | Self::Plain => "",
            Self::Global => "global.",
            Self::Storage => "storage.",
            Self::Alertmanager => "alertmanagers.",
            Self::RemoteWrite => "remote_write.",
            Self::Queue => "remote_write.queue_config.",
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
    (Place::Tls, "min_version", (2, 35)),
    (Place::Tls, "max_version", (2, 41)),
    (Place::Sigv4, "use_fips_sts_endpoint", (2, 54)),
    (Place::Sigv4, "external_id", (3, 11)),
];

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
    let gone = GONE.iter().find(|row| row.0 == place && row.1 == field).map(|row| row.2)?;
    (*version >= at(gone)).then(|| format!("before {}.{}", gone.0, gone.1))
}
