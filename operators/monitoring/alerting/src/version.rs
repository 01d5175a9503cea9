//! Which versions of Alertmanager are supported.

use formats::version::{NotAVersion, Version, parse};

/// Why a version is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadVersion {
    /// The text is not a version.
    #[error("failed to parse alertmanager version: {0}")]
    Unreadable(#[from] NotAVersion),
    /// The version is too old or too new.
    #[error("unsupported Alertmanager version {0:?}")]
    Unsupported(String),
}

/// Reads the version of a spec.
pub fn read(text: &str) -> Result<Version, BadVersion> {
    let version = parse(text)?;
    if version < Version::new(0, 15, 0) || version.major > 0 {
        return Err(BadVersion::Unsupported(text.to_owned()));
    }
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_0_15_to_1_are_supported() {
        assert_eq!(read("v0.15.0"), Ok(Version::new(0, 15, 0)));
        assert_eq!(read("0.99"), Ok(Version::new(0, 99, 0)));
        for text in ["v0.14.9", "0.15.0-rc.1", "v1.0.0", "latest"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("v0.14.0").unwrap_err().to_string(), "unsupported Alertmanager version \"v0.14.0\"");
    }
}
