//! Versions of the applications, as users write them.

pub use semver::Version;
use semver::{BuildMetadata, Prerelease};

/// A text that is no version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a version: it must look like 1.2.3 or v1.2.3")]
pub struct NotAVersion {
    text: String,
}

/// Reads a version leniently: with or without `v`, with one to three numbers, with zeros before them. What comes after
/// `+` says nothing about which is newer and is left out.
pub fn parse(text: &str) -> Result<Version, NotAVersion> {
    read(text.trim()).ok_or_else(|| NotAVersion { text: text.to_owned() })
}

fn read(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (numbers, pre) = text.split_once('-').map_or((text, None), |(numbers, pre)| (numbers, Some(pre)));
    let parts: Vec<&str> = numbers.split('.').collect();
    // A short version has nothing after it.
    if parts.len() > 3 || (parts.len() < 3 && (pre.is_some() || build.is_some())) {
        return None;
    }
    if let Some(build) = build {
        BuildMetadata::new(build).ok().filter(|build| !build.is_empty())?;
    }
    let mut numbers = [0; 3];
    for (number, part) in numbers.iter_mut().zip(parts) {
        *number = Some(part).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    }
    let pre = match pre {
        Some(pre) => Prerelease::new(pre).ok().filter(|pre| !pre.is_empty())?,
        None => Prerelease::EMPTY,
    };
    let [major, minor, patch] = numbers;
    Some(Version { major, minor, patch, pre, build: BuildMetadata::EMPTY })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_write_is_read() {
        for (text, meant) in [
            ("v2.55.1", "2.55.1"),
            ("2.55", "2.55.0"),
            ("v3", "3.0.0"),
            (" 3.0.0-rc.1 ", "3.0.0-rc.1"),
            ("3.01.002", "3.1.2"),
            ("3.0.0+build.5", "3.0.0"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), meant, "{text}");
        }
    }

    #[test]
    fn what_is_no_version_is_named() {
        for text in ["", "v", "latest", "1.2.3.4", "1.x", "-1", "3-rc.1", "1.2.3-"] {
            assert!(parse(text).unwrap_err().to_string().starts_with(&format!("{text:?} is not")), "{text}");
        }
    }

    #[test]
    fn a_candidate_comes_before_its_release() {
        assert!(parse("3.0.0-rc.1").unwrap() < parse("3.0.0").unwrap());
    }
}
