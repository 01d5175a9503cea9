//! Which names of metrics and labels are allowed.

use formats::version::Version;

use crate::file::RuleFormat;

/// The label with the name of a metric.
pub(crate) const METRIC_NAME: &str = "__name__";

/// Which names are allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Names {
    /// Latin letters, digits and underscores.
    #[default]
    Legacy,
    /// Any characters.
    Utf8,
}

impl Names {
    /// The names that a version allows.
    pub fn of(format: RuleFormat, version: &Version) -> Self {
        let since = match format {
            RuleFormat::Prometheus => Version::new(3, 0, 0),
            RuleFormat::Thanos => Version::new(0, 38, 0),
        };
        if *version < since { Self::Legacy } else { Self::Utf8 }
    }

    /// Whether a metric can have this name.
    pub fn allow_metric(self, name: &str) -> bool {
        self.allow(name, |byte| byte == b':')
    }

    /// Whether a label can have this name.
    pub fn allow_label(self, name: &str) -> bool {
        self.allow(name, |_| false)
    }

    fn allow(self, name: &str, also: impl Fn(u8) -> bool) -> bool {
        let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || also(byte);
        match (self, name.as_bytes()) {
            (_, []) => false,
            (Self::Utf8, _) => true,
            (Self::Legacy, [first, rest @ ..]) => {
                letter(*first) && rest.iter().all(|byte| letter(*byte) || byte.is_ascii_digit())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_allow_few_characters() {
        for (name, legacy_label, legacy_metric) in [
            ("a_1", true, true),
            ("a:b", false, true),
            ("1a", false, false),
            ("ü", false, false),
            ("", false, false),
        ] {
            assert_eq!(Names::Legacy.allow_label(name), legacy_label, "{name}");
            assert_eq!(Names::Legacy.allow_metric(name), legacy_metric, "{name}");
            assert_eq!(Names::Utf8.allow_label(name), !name.is_empty(), "{name}");
        }
    }

    #[test]
    fn newer_versions_allow_all() {
        for (format, version, names) in [
            (RuleFormat::Prometheus, Version::new(2, 55, 1), Names::Legacy),
            (RuleFormat::Prometheus, Version::new(3, 0, 0), Names::Utf8),
            (RuleFormat::Thanos, Version::new(0, 37, 2), Names::Legacy),
            (RuleFormat::Thanos, Version::new(0, 38, 0), Names::Utf8),
        ] {
            assert_eq!(Names::of(format, &version), names, "{version}");
        }
    }
}
