//! The image of a container: the one that the user names, or one made from a place and a version.

/// A place that is no image, or that lacks a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The place cannot be read.
    #[error("couldn't parse image reference {image:?}: {reason}")]
    Reference {
        /// The place.
        image: String,
        /// Why not.
        reason: ReferenceError,
    },
    /// The tag has letters that a tag may not have.
    #[error("invalid tag format")]
    Tag,
    /// There is nothing to tell versions apart by.
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
    /// The digest is of a kind that nobody can check.
    #[error("unsupported digest algorithm")]
    DigestKind,
    /// The digest is too short or too long.
    #[error("invalid checksum digest length")]
    DigestLength,
    /// The digest has letters that a digest may not have.
    #[error("invalid checksum digest format")]
    DigestFormat,
    /// Anything else.
    #[error("invalid reference format")]
    Format,
}

/// What an image is made from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Image<'i> {
    /// The image that the user names; it is taken as it is.
    pub whole: &'i str,
    /// The place, perhaps with a tag or a digest; then it is taken as it is.
    pub base: &'i str,
    /// Tells versions apart, if nothing else does.
    pub version: &'i str,
    /// Tells versions apart, before the version.
    pub tag: &'i str,
    /// Tells versions apart, before the tag.
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

/// An image with the domain that is meant where none is written.
#[derive(Debug, PartialEq, Eq)]
struct Reference {
    /// Domain and path.
    name: String,
    /// Whether there is a tag or a digest.
    complete: bool,
}

fn normalized(image: &str) -> Result<Reference, ReferenceError> {
    if image.len() == 64 && image.bytes().all(is_lowercase_hex) {
        return Err(ReferenceError::Identifier(image.to_owned()));
    }
    let (domain, path) = with_domain(image);
    let remote = path.split(':').next().unwrap_or_default();
    if remote.to_lowercase() != remote {
        return Err(ReferenceError::NotLowercase(remote.to_owned()));
    }
    let whole = format!("{domain}/{path}");
    read(&whole).unwrap_or_else(|| {
        let lowercase = read(&whole.to_lowercase()).is_some();
        Err(if lowercase { ReferenceError::Uppercase } else { ReferenceError::Format })
    })
}

/// The domain that is written, or that of the registry that is meant where none is.
fn with_domain(image: &str) -> (&str, String) {
    const HUB: &str = "docker.io";
    let (domain, path) = match image.split_once('/') {
        Some(("index.docker.io", path)) => (HUB, path),
        Some((domain, path))
            if domain == "localhost" || domain.contains(['.', ':']) || domain.to_lowercase() != domain =>
        {
            (domain, path)
        }
        Some(_) => (HUB, image),
        None => return (HUB, format!("library/{image}")),
    };
    if domain == HUB && !path.contains('/') {
        return (HUB, format!("library/{path}"));
    }
    (domain, path.to_owned())
}

/// Reads a reference with a domain; nothing, if it has not the form of one.
fn read(whole: &str) -> Option<Result<Reference, ReferenceError>> {
    let (rest, digest) = whole.split_once('@').map_or((whole, None), |(rest, digest)| (rest, Some(digest)));
    let (name, tag) = match rest.rfind('/').map(|slash| rest.split_at(slash)) {
        Some((directory, last)) => match last.split_once(':') {
            Some((last, tag)) => (&rest[..directory.len() + last.len()], Some(tag)),
            None => (rest, None),
        },
        None => (rest, None),
    };
    let (domain, path) = name.split_once('/')?;
    let path = match (is_domain(domain) && is_path(path), is_path(name)) {
        (true, _) => path,
        (false, true) => name,
        (false, false) => return None,
    };
    if !tag.is_none_or(is_tag) || !digest.is_none_or(is_digest) {
        return None;
    }
    if path.len() > 255 {
        return Some(Err(ReferenceError::TooLong));
    }
    let complete = tag.is_some() || digest.is_some();
    let checked = digest.map_or(Ok(()), check_digest);
    Some(checked.map(|()| Reference { name: name.to_owned(), complete }))
}

/// A host name or an address, perhaps with a port.
fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (domain, None),
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match address {
        Some(address) => {
            !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':')
        }
        None => host.split('.').all(is_part),
    };
    is_host && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Parts of lowercase letters and digits, with single separators within.
fn is_path(path: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_separator =
        |separator: &str| matches!(separator, "." | "_" | "__") || separator.bytes().all(|byte| byte == b'-');
    path.split('/').all(|part| {
        part.starts_with(|letter: char| letter.is_ascii() && is_word(letter as u8))
            && part.ends_with(|letter: char| letter.is_ascii() && is_word(letter as u8))
            && part
                .split(|letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit())
                .all(is_separator)
    })
}

/// Letters, digits and some signs, not too many.
fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// A kind and hexadecimal digits.
fn is_digest(digest: &str) -> bool {
    let Some((kind, digits)) = digest.split_once(':') else { return false };
    let is_part = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    kind.split(['-', '_', '+', '.']).all(is_part)
        && digits.len() >= 32
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn check_digest(digest: &str) -> Result<(), ReferenceError> {
    let (kind, digits) = digest.split_once(':').unwrap_or_default();
    let length = match kind {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        kind if kind.bytes().any(|byte| byte.is_ascii_uppercase()) => {
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
