//! Versions and images that run when the user names none. Data.

/// Where Prometheus comes from.
pub const PROMETHEUS_IMAGE: &str = "quay.io/prometheus/prometheus";

/// Where Alertmanager comes from.
pub const ALERTMANAGER_IMAGE: &str = "quay.io/prometheus/alertmanager";

/// Where Thanos comes from.
pub const THANOS_IMAGE: &str = "quay.io/thanos/thanos";

/// The version of Alertmanager.
pub const ALERTMANAGER_VERSION: &str = "v0.33.1";

/// The version of Thanos.
pub const THANOS_VERSION: &str = "v0.42.2";

/// The version of Prometheus: the newest that is known to work.
pub const PROMETHEUS_VERSION: &str = "v3.13.1";

/// The newest version of Prometheus 2 that is known to work.
pub const PROMETHEUS_2_VERSION: &str = "v2.55.1";

/// The versions of Prometheus that are known to work, oldest first.
pub const PROMETHEUS_VERSIONS: &[&str] = &[
    "v2.45.0", "v2.46.0", "v2.47.0", "v2.47.1", "v2.47.2", "v2.48.0", "v2.48.1", "v2.49.0", "v2.49.1",
    "v2.50.0", "v2.50.1", "v2.51.0", "v2.51.1", "v2.51.2", "v2.52.0", "v2.53.0", "v2.53.1", "v2.53.2",
    "v2.53.3", "v2.54.0", "v2.54.1", "v2.55.0", "v2.55.1", "v3.0.0", "v3.0.1", "v3.1.0", "v3.2.0", "v3.2.1",
    "v3.3.0", "v3.3.1", "v3.4.0", "v3.4.1", "v3.4.2", "v3.5.0", "v3.5.1", "v3.5.2", "v3.5.3", "v3.5.4",
    "v3.5.5", "v3.6.0", "v3.7.0", "v3.7.1", "v3.7.2", "v3.7.3", "v3.8.0", "v3.8.1", "v3.9.0", "v3.9.1",
    "v3.10.0", "v3.11.0", "v3.11.1", "v3.11.2", "v3.11.3", "v3.12.0", "v3.13.0", "v3.13.1",
];

/// What the user says, or the default where that is blank.
pub fn or_default<'t>(text: &'t str, default: &'t str) -> &'t str {
    if text.trim().is_empty() { default } else { text }
}

/// What the user says, if he says something.
pub fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_newest_of_the_known_versions() {
        assert_eq!(PROMETHEUS_VERSIONS.last(), Some(&PROMETHEUS_VERSION));
        let newest_2 = PROMETHEUS_VERSIONS.iter().rfind(|version| version.starts_with("v2."));
        assert_eq!(newest_2, Some(&PROMETHEUS_2_VERSION));
        let parsed: Vec<_> =
            PROMETHEUS_VERSIONS.iter().map(|version| formats::version::parse(version).unwrap()).collect();
        assert!(parsed.is_sorted());
    }

    #[test]
    fn blank_is_nothing() {
        assert_eq!(or_default(" \t", "default"), "default");
        assert_eq!(or_default(" a", "default"), " a");
    }
}
