//! Texts whose form the schema restricts, one type each.
//!
//! They are texts and not enumerations, because an API server with a newer CRD may store values that this program does
//! not know. The code that uses a text decides how an unknown value is handled.

/// Declares a text. The attributes above its name define its schema.
macro_rules! text {
    ($(#[$about:meta])* $name:ident) => {
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        $(#[$about])*
        pub struct $name(pub String);

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use text;

text! {
    /// Exposition format that Prometheus may ask a target for.
    #[schemars(extend("enum" = ["PrometheusProto", "OpenMetricsText0.0.1", "OpenMetricsText1.0.0", "PrometheusText0.0.4", "PrometheusText1.0.0"]))]
    ScrapeProtocol
}

text! {
    /// Name of a feature flag; it must not be empty.
    #[schemars(extend("minLength" = 1))]
    EnableFeature
}

text! {
    /// Rule for which characters metric and label names may have.
    #[schemars(extend("enum" = ["UTF8", "Legacy"]))]
    NameValidationScheme
}

text! {
    /// Way to escape characters outside the legacy set in metric and label names.
    #[schemars(extend("enum" = ["AllowUTF8", "Underscores", "Dots", "Values"]))]
    NameEscapingScheme
}

text! {
    /// Kind of object read for service discovery: `Endpoints` or `EndpointSlice`.
    #[schemars(extend("enum" = ["Endpoints", "EndpointSlice"]))]
    ServiceDiscoveryRole
}

text! {
    /// Version of the remote write message format.
    #[schemars(extend("enum" = ["V1.0", "V2.0"]))]
    RemoteWriteMessageVersion
}

text! {
    /// TLS version: `TLS10`, `TLS11`, `TLS12` or `TLS13`.
    #[schemars(extend("enum" = ["TLS10", "TLS11", "TLS12", "TLS13"]))]
    TlsVersion
}

text! {
    /// An address that starts with `http://` or `https://`.
    #[schemars(extend("pattern" = "^(http|https)://.+$"))]
    Url
}

text! {
    /// A size in bytes with a unit, such as `512MB` or `1GiB`; `0` is allowed.
    #[schemars(extend("pattern" = "(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$"))]
    ByteSize
}

text! {
    /// A Prometheus duration, such as `30s`, `5m` or `1d12h`.
    #[schemars(extend("pattern" = "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"))]
    Duration
}

text! {
    /// A Prometheus duration that must not be empty, such as `30s` or `5m`.
    #[schemars(extend("minLength" = 1, "pattern" = "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"))]
    NonEmptyDuration
}

text! {
    /// A Go duration with units from hours to milliseconds, such as `1h30m`.
    #[schemars(extend("pattern" = "^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"))]
    GoDuration
}

text! {
    /// Name of a Prometheus label.
    LabelName
}

text! {
    /// Whether targets are filtered by relabeling or by selectors in the API request.
    #[schemars(extend("enum" = ["RelabelConfig", "RoleSelector"]))]
    SelectorMechanism
}

text! {
    /// URL scheme of a request: HTTP or HTTPS.
    #[schemars(extend("enum" = ["http", "https", "HTTP", "HTTPS"]))]
    Scheme
}
