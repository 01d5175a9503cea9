//! The versions and images that run by default.

/// The repository of Prometheus.
pub const PROMETHEUS_IMAGE: &str = "quay.io/prometheus/prometheus";

/// The repository of Alertmanager.
pub const ALERTMANAGER_IMAGE: &str = "quay.io/prometheus/alertmanager";

/// The repository of Thanos.
pub const THANOS_IMAGE: &str = "quay.io/thanos/thanos";

/// The default version of Alertmanager.
pub const ALERTMANAGER_VERSION: &str = "v0.33.1";

/// The default version of Thanos.
pub const THANOS_VERSION: &str = "v0.42.2";

/// The default version of Prometheus: the latest supported one.
pub const PROMETHEUS_VERSION: &str = "v3.13.1";

/// The text, or the default if it is blank.
pub fn or_default<'t>(text: &'t str, default: &'t str) -> &'t str {
    if text.trim().is_empty() { default } else { text }
}

/// The text, unless it is empty.
pub fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_text_is_the_default() {
        assert_eq!(or_default(" \t", "default"), "default");
        assert_eq!(or_default(" a", "default"), " a");
    }
}
