//! `otlp`: how OTLP metrics become series.

use api_monitoring::prometheus::otlp::OtlpConfig;
use formats::prometheus::{Section, SectionKind};
use formats::version::Version;
use monitoring_select::Server;

/// Why `otlp` cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OtlpError {
    /// The version does not support OTLP.
    #[error("OTLP configuration is only supported from Prometheus version 2.55.0")]
    Version,
    /// The strategy keeps names that the validation scheme does not allow.
    #[error(
        "nameValidationScheme \"Legacy\" is not compatible with OTLP translation strategy \"NoUTF8EscapingWithSuffixes\""
    )]
    Names,
    /// The version does not have the translation strategy.
    #[error("nameValidationScheme {strategy:?} is only supported from Prometheus version {since} ")]
    Strategy {
        /// The translation strategy.
        strategy: &'static str,
        /// The first version that has it.
        since: Version,
    },
    /// Some attributes are promoted by name, and all are promoted.
    #[error(
        "'promoteAllResourceAttributes' cannot be set to 'true' simultaneously with 'promoteResourceAttributes'"
    )]
    AllAndSome,
    /// Attributes are ignored, but not all are promoted.
    #[error("'ignoreResourceAttributes' can only be set when 'promoteAllResourceAttributes' is true")]
    Ignored,
}

/// `otlp`, unless it is empty.
pub(crate) fn put(section: &mut Section<'_, '_>, server: &Server<'_>) -> Result<(), OtlpError> {
    let Some(otlp) = &server.spec.otlp else { return Ok(()) };
    check(server, otlp)?;
    let mut part = section.writer().section(SectionKind::Otlp);
    if !otlp.promote_resource_attributes.is_empty() {
        part.put("promote_resource_attributes", otlp.promote_resource_attributes.clone());
    }
    part.put_some("translation_strategy", otlp.translation_strategy.as_ref().map(ToString::to_string));
    part.put_some("keep_identifying_resource_attributes", otlp.keep_identifying_resource_attributes);
    part.put_some("convert_histograms_to_nhcb", otlp.convert_histograms_to_nhcb);
    part.put_some("promote_all_resource_attributes", otlp.promote_all_resource_attributes);
    if !otlp.ignore_resource_attributes.is_empty() {
        part.put("ignore_resource_attributes", otlp.ignore_resource_attributes.clone());
    }
    part.put_some("promote_scope_metadata", otlp.promote_scope_metadata);
    part.put_some("label_name_underscore_sanitization", otlp.label_name_underscore_sanitization);
    part.put_some("label_name_preserve_multiple_underscores", otlp.label_name_preserve_multiple_underscores);
    if !part.is_empty() {
        section.put("otlp", part);
    }
    Ok(())
}

fn check(server: &Server<'_>, otlp: &OtlpConfig) -> Result<(), OtlpError> {
    let before = |major, minor| server.version < Version::new(major, minor, 0);
    if before(2, 55) {
        return Err(OtlpError::Version);
    }
    let names = server.spec.name_validation_scheme.as_deref();
    let strategy = otlp.translation_strategy.as_deref().unwrap_or_default();
    if strategy == "NoUTF8EscapingWithSuffixes" && names == Some("Legacy") {
        return Err(OtlpError::Names);
    }
    for (known, major, minor) in [("NoTranslation", 3, 4), ("UnderscoreEscapingWithoutSuffixes", 3, 6)] {
        if strategy == known && before(major, minor) {
            return Err(OtlpError::Strategy { strategy: known, since: Version::new(major, minor, 0) });
        }
    }
    let all = otlp.promote_all_resource_attributes == Some(true);
    if before(3, 5) {
        Ok(())
    } else if all && !otlp.promote_resource_attributes.is_empty() {
        Err(OtlpError::AllAndSome)
    } else if !all && !otlp.ignore_resource_attributes.is_empty() {
        Err(OtlpError::Ignored)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::shared::SharedSpec;

    use super::*;

    fn rejected((major, minor): (u64, u64), otlp: &OtlpConfig) -> Option<String> {
        let spec = SharedSpec { name_validation_scheme: Some("Legacy".into()), ..SharedSpec::default() };
        let server = Server::new(("ns", "name"), &spec, Version::new(major, minor, 0));
        check(&server, otlp).err().map(|error| error.to_string())
    }

    fn translated(strategy: &str) -> OtlpConfig {
        OtlpConfig { translation_strategy: Some(strategy.into()), ..OtlpConfig::default() }
    }

    #[test]
    fn unsupported_strategies_are_rejected() {
        let since = |strategy: &str, version: &str| {
            Some(format!(
                "nameValidationScheme {strategy:?} is only supported from Prometheus version {version} "
            ))
        };
        let without = "UnderscoreEscapingWithoutSuffixes";
        for (version, strategy, expected) in [
            ((2, 54), "NoTranslation", Some(OtlpError::Version.to_string())),
            ((3, 3), "NoTranslation", since("NoTranslation", "3.4.0")),
            ((3, 4), "NoTranslation", None),
            ((3, 5), without, since(without, "3.6.0")),
            ((3, 6), without, None),
            ((3, 6), "NoUTF8EscapingWithSuffixes", Some(OtlpError::Names.to_string())),
        ] {
            assert_eq!(rejected(version, &translated(strategy)), expected, "{version:?} {strategy}");
        }
    }

    #[test]
    fn attributes_are_checked_if_the_version_supports_all_of_them() {
        let both = OtlpConfig {
            promote_all_resource_attributes: Some(true),
            promote_resource_attributes: vec!["a".into()],
            ..OtlpConfig::default()
        };
        let ignored = OtlpConfig { ignore_resource_attributes: vec!["a".into()], ..OtlpConfig::default() };
        assert_eq!(rejected((3, 4), &both), None);
        assert_eq!(rejected((3, 5), &both), Some(OtlpError::AllAndSome.to_string()));
        assert_eq!(rejected((3, 5), &ignored), Some(OtlpError::Ignored.to_string()));
    }
}
