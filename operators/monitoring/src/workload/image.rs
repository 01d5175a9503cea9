//! The image of a container: the one that the user names, or one made from a repository and a version.

use std::sync::LazyLock;

use regex::Regex;

/// A repository that is invalid, or that lacks a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The repository cannot be read.
    #[error("couldn't parse image reference {image:?}: {reason}")]
    Reference {
        /// The repository.
        image: String,
        /// Why not.
        reason: ReferenceError,
    },
    /// The tag is invalid.
    #[error("invalid tag format")]
    Tag,
    /// There is no version.
    #[error("couldn't generate an image reference since version is empty")]
    NoVersion,
}

/// Why a reference cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// It looks like the identifier of an image.
    #[error("invalid repository name ({0}), cannot specify 64-byte hexadecimal strings")]
    Identifier(String),
    /// The name has capital letters.
    #[error("invalid reference format: repository name ({0}) must be lowercase")]
    NotLowercase(String),
    /// The name or the domain has capital letters.
    #[error("repository name must be lowercase")]
    Uppercase,
    /// The name is too long.
    #[error("repository name must not be more than 255 characters")]
    TooLong,
    /// The algorithm of the digest is unknown.
    #[error("unsupported digest algorithm")]
    DigestKind,
    /// The digest is too short or too long.
    #[error("invalid checksum digest length")]
    DigestLength,
    /// The digest has invalid characters.
    #[error("invalid checksum digest format")]
    DigestFormat,
    /// Anything else.
    #[error("invalid reference format")]
    Format,
}

/// What an image is made from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Image<'i> {
    /// The image that the user names; it is used unchanged.
    pub whole: &'i str,
    /// The repository; with a tag or a digest, it is used unchanged.
    pub base: &'i str,
    /// The version; it is the tag, if there is no other.
    pub version: &'i str,
    /// The tag; it has precedence over the version.
    pub tag: &'i str,
    /// The digest; it has precedence over the tag.
    pub sha: &'i str,
}

impl Image<'_> {
    /// The image.
    pub fn build(&self) -> Result<String, ImageError> {
        let Self { whole, base, version, tag, sha } = self;
        if !whole.trim().is_empty() {
            return Ok((*whole).to_owned());
        }
        let reference =
            normalized(base).map_err(|reason| ImageError::Reference { image: (*base).to_owned(), reason })?;
        if reference.complete {
            Ok((*base).to_owned())
        } else if !sha.is_empty() {
            Ok(format!("{base}@sha256:{sha}"))
        } else if !tag.is_empty() {
            if is_tag(tag) { Ok(format!("{}:{tag}", reference.name)) } else { Err(ImageError::Tag) }
        } else if version.is_empty() {
            Err(ImageError::NoVersion)
        } else {
            Ok(format!("{base}:{version}"))
        }
    }
}

/// The grammar of image references, as container tools share it.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    let label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
    let domain = format!(r"(?:{label}(?:\.{label})*|\[[A-Fa-f0-9:]+\])(?::[0-9]+)?");
    let component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    let path = format!("{component}(?:/{component})*");
    let algorithm = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*";
    let name = format!("(?<name>(?:{domain}/)?(?<path>{path}))");
    let digest = format!("(?<algorithm>{algorithm}):(?<digits>[A-Fa-f0-9]{{32,}})");
    let whole = format!("^{name}(?::(?<tag>{TAG}))?(?:@{digest})?$");
    Regex::new(&whole).expect("the grammar is a regular expression")
});

/// The grammar of tags.
const TAG: &str = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";

/// An image reference with an explicit registry.
#[derive(Debug, PartialEq, Eq)]
struct Reference {
    /// Registry and path.
    name: String,
    /// Whether there is a tag or a digest.
    complete: bool,
}

fn normalized(image: &str) -> Result<Reference, ReferenceError> {
    if image.len() == 64 && image.bytes().all(is_lowercase_hex) {
        return Err(ReferenceError::Identifier(image.to_owned()));
    }
    let (registry, path) = with_registry(image);
    let remote = path.split(':').next().unwrap_or_default();
    if remote.to_lowercase() != remote {
        return Err(ReferenceError::NotLowercase(remote.to_owned()));
    }
    let whole = format!("{registry}/{path}");
    read(&whole).unwrap_or_else(|| {
        let lowercase = read(&whole.to_lowercase()).is_some();
        Err(if lowercase { ReferenceError::Uppercase } else { ReferenceError::Format })
    })
}

/// The registry, by default Docker Hub, and the path.
fn with_registry(image: &str) -> (&str, String) {
    const HUB: &str = "docker.io";
    let (registry, path) = match image.split_once('/') {
        Some(("index.docker.io", path)) => (HUB, path),
        Some((host, path))
            if host == "localhost" || host.contains(['.', ':']) || host.to_lowercase() != host =>
        {
            (host, path)
        }
        Some(_) | None => (HUB, image),
    };
    if registry == HUB && !path.contains('/') {
        return (HUB, format!("library/{path}"));
    }
    (registry, path.to_owned())
}

/// Reads a reference with a registry; none, if it does not follow the grammar.
fn read(whole: &str) -> Option<Result<Reference, ReferenceError>> {
    let parts = REFERENCE.captures(whole)?;
    if parts["path"].len() > 255 {
        return Some(Err(ReferenceError::TooLong));
    }
    let digest = parts.name("algorithm").zip(parts.name("digits"));
    let checked =
        digest.map_or(Ok(()), |(algorithm, digits)| check_digest(algorithm.as_str(), digits.as_str()));
    let complete = parts.name("tag").is_some() || digest.is_some();
    Some(checked.map(|()| Reference { name: parts["name"].to_owned(), complete }))
}

fn is_tag(tag: &str) -> bool {
    static WHOLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!("^{TAG}$")).expect("the grammar is a regular expression"));
    WHOLE.is_match(tag)
}

fn check_digest(algorithm: &str, digits: &str) -> Result<(), ReferenceError> {
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        other if other.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            return Err(ReferenceError::DigestFormat);
        }
        _ => return Err(ReferenceError::DigestKind),
    };
    if digits.len() != length {
        Err(ReferenceError::DigestLength)
    } else if !digits.bytes().all(is_lowercase_hex) {
        Err(ReferenceError::DigestFormat)
    } else {
        Ok(())
    }
}

fn is_lowercase_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests;
