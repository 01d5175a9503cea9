//! Versions of the applications, as users write them.

use std::borrow::Cow;

use go_syntax::quoted::Quoted;
pub use semver::Version;
use semver::{BuildMetadata, Prerelease};

/// Why a text is not a version. The messages are those of the Prometheus Operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAVersion {
    /// A version of less than three numbers has a suffix.
    #[error("Short version cannot contain PreRelease/Build meta data")]
    Short,
    /// A number contains other characters than digits.
    #[error("Invalid character(s) found in {place} number {}", Quoted(text))]
    NoNumber {
        /// Major, minor or patch.
        place: &'static str,
        /// The invalid number.
        text: String,
    },
    /// There is no number.
    #[error("strconv.ParseUint: parsing \"\": invalid syntax")]
    Empty,
    /// A number is too large.
    #[error("strconv.ParseUint: parsing {}: value out of range", Quoted(.0))]
    TooLarge(String),
    /// The pre-release is empty.
    #[error("Prerelease is empty")]
    EmptyCandidate,
    /// A number in the pre-release has a leading zero.
    #[error("Numeric PreRelease version must not contain leading zeroes {}", Quoted(.0))]
    LeadingZero(String),
    /// The pre-release contains other characters than letters, digits and dashes.
    #[error("Invalid character(s) found in prerelease {}", Quoted(.0))]
    Candidate(String),
    /// The build metadata is empty.
    #[error("Build meta data is empty")]
    EmptyBuild,
    /// The build metadata contains other characters than letters, digits and dashes.
    #[error("Invalid character(s) found in build meta data {}", Quoted(.0))]
    Build(String),
}

/// Parses a version leniently: `v`, the minor and the patch version are optional, and numbers can have leading zeros.
/// Build metadata is kept, but does not affect which features are supported.
pub fn parse(text: &str) -> Result<Version, NotAVersion> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts = text.splitn(3, '.').map(trimmed);
    let (major, minor, rest) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    if rest.is_none() && minor.as_ref().unwrap_or(&major).contains(['+', '-']) {
        return Err(NotAVersion::Short);
    }
    let (rest, build) = cut(rest.as_deref().unwrap_or("0"), '+');
    let (patch, pre) = cut(rest, '-');
    Ok(Version {
        major: number("major", &major)?,
        minor: number("minor", minor.as_deref().unwrap_or("0"))?,
        patch: number("patch", patch)?,
        pre: pre.map_or(Ok(Prerelease::EMPTY), candidate)?,
        build: build.map_or(Ok(BuildMetadata::EMPTY), build_of)?,
    })
}

/// Removes leading zeros, but not the last digit.
fn trimmed(part: &str) -> Cow<'_, str> {
    let short = part.trim_start_matches('0');
    if part.len() < 2 || short.starts_with(|character: char| character.is_ascii_digit()) {
        return Cow::Borrowed(if part.len() < 2 { part } else { short });
    }
    Cow::Owned(format!("0{short}"))
}

/// The text before a separator and the text after it.
fn cut(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn number(place: &'static str, text: &str) -> Result<u64, NotAVersion> {
    if !is_number(text) {
        return Err(NotAVersion::NoNumber { place, text: text.to_owned() });
    }
    parsed(text)
}

/// Whether a text has only digits. An empty text does.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn parsed(text: &str) -> Result<u64, NotAVersion> {
    if text.is_empty() {
        return Err(NotAVersion::Empty);
    }
    text.parse().map_err(|_| NotAVersion::TooLarge(text.to_owned()))
}

fn candidate(text: &str) -> Result<Prerelease, NotAVersion> {
    for part in text.split('.') {
        if part.is_empty() {
            return Err(NotAVersion::EmptyCandidate);
        }
        if !is_name(part) {
            return Err(NotAVersion::Candidate(part.to_owned()));
        }
        if is_number(part) {
            if part.len() > 1 && part.starts_with('0') {
                return Err(NotAVersion::LeadingZero(part.to_owned()));
            }
            parsed(part)?;
        }
    }
    Prerelease::new(text).map_err(|_| NotAVersion::Candidate(text.to_owned()))
}

fn build_of(text: &str) -> Result<BuildMetadata, NotAVersion> {
    for part in text.split('.') {
        if part.is_empty() {
            return Err(NotAVersion::EmptyBuild);
        }
        if !is_name(part) {
            return Err(NotAVersion::Build(part.to_owned()));
        }
    }
    BuildMetadata::new(text).map_err(|_| NotAVersion::Build(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_leniently() {
        for (text, meant) in [
            ("v2.55.1", "2.55.1"),
            ("2.55", "2.55.0"),
            ("v3", "3.0.0"),
            (" 3.0.0-rc.1 ", "3.0.0-rc.1"),
            ("3.01.002", "3.1.2"),
            ("3.0.0+build.5", "3.0.0+build.5"),
            ("v3.0.00-a-b+0-1", "3.0.0-a-b+0-1"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), meant, "{text}");
        }
    }

    #[test]
    fn invalid_versions_are_rejected_as_in_the_prometheus_operator() {
        for (text, problem) in [
            ("", "strconv.ParseUint: parsing \"\": invalid syntax"),
            ("v", "strconv.ParseUint: parsing \"\": invalid syntax"),
            // The Prometheus Operator adds the zero, too.
            ("latest", "Invalid character(s) found in major number \"0latest\""),
            ("1.2.3.4", "Invalid character(s) found in patch number \"3.4\""),
            ("1.x", "Invalid character(s) found in minor number \"x\""),
            ("-1", "Short version cannot contain PreRelease/Build meta data"),
            ("3-rc.1", "Invalid character(s) found in major number \"3-rc\""),
            ("3.1-rc", "Short version cannot contain PreRelease/Build meta data"),
            ("1.2.3-", "Prerelease is empty"),
            ("1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\""),
            ("1.2.3-a_b", "Invalid character(s) found in prerelease \"a_b\""),
            ("1.2.3+", "Build meta data is empty"),
            ("1.2.3+a_b", "Invalid character(s) found in build meta data \"a_b\""),
            (
                "1.2.99999999999999999999",
                "strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), problem, "{text}");
        }
    }

    #[test]
    fn a_candidate_is_older_than_its_release_and_a_build_is_not() {
        let [candidate, release, build] = ["3.0.0-rc.1", "3.0.0", "3.0.0+a"].map(|text| parse(text).unwrap());
        assert!(candidate < release);
        assert!(build >= release);
    }
}
