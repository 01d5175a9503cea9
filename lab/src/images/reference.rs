//! Checked names of images and blobs. Both become paths below the store, and clients of the registry send them: a value
//! of these types cannot lead out of the store.

use std::fmt;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::versions::hex;

/// The SHA-256 of a blob, written `sha256:<hex>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Digest(String);

/// The full name of an image: `host/repository:tag`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    host: String,
    repository: String,
    tag: String,
}

impl Digest {
    /// The digest of bytes in memory.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self::finish(Sha256::new_with_prefix(bytes))
    }

    /// The digest of a file, which is read in parts because it may be large.
    pub(super) fn of_file(path: &Path) -> Result<Self> {
        let mut file =
            std::fs::File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let length = file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
            if length == 0 {
                return Ok(Self::finish(hasher));
            }
            hasher.update(&buffer[..length]);
        }
    }

    /// The digest of the bytes that were hashed.
    pub(super) fn finish(hasher: Sha256) -> Self {
        Self(hex(&hasher.finalize()))
    }

    /// Reads `sha256:<hex>`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:")?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (digits.len() == 64 && digits.bytes().all(is_digit)).then(|| Self(digits.to_owned()))
    }

    /// The hexadecimal digits: the blob's file name.
    pub(super) fn digits(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not a SHA-256 digest"))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl Reference {
    /// A reference, if each part is valid.
    pub(super) fn new(host: &str, repository: &str, tag: &str) -> Option<Self> {
        let valid = is_part(host, ":")
            && repository.split('/').all(|part| is_part(part, ""))
            && is_part(tag, "")
            && tag.len() <= 128;
        valid.then(|| Self { host: host.into(), repository: repository.into(), tag: tag.into() })
    }

    /// Reads `host/repository:tag`.
    pub(super) fn parse(name: &str) -> Result<Self> {
        let parts = || {
            let (host, rest) = name.split_once('/')?;
            let (repository, tag) = rest.rsplit_once(':')?;
            Self::new(host, repository, tag)
        };
        parts().with_context(|| format!("`{name}` is not a full image name such as host/repository:tag"))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}:{}", self.host, self.repository, self.tag)
    }
}

/// Whether this is one component of a path, possibly with characters of `also`: not empty, not hidden and without `..`.
fn is_part(text: &str, also: &str) -> bool {
    let is_plain = |next: char| next.is_ascii_alphanumeric() || next == '_';
    text.starts_with(is_plain)
        && !text.contains("..")
        && text.chars().all(|next| is_plain(next) || next == '.' || next == '-' || also.contains(next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::Versions;

    #[test]
    fn every_name_of_the_table_is_valid() {
        for image in Versions::built_in().images() {
            for name in &image.content.names {
                assert_eq!(Reference::parse(name).unwrap().to_string(), *name);
            }
        }
    }

    #[test]
    fn a_host_may_have_a_port() {
        let reference = Reference::parse("localhost:5000/team/app:1.0").unwrap();
        assert_eq!(reference, Reference::new("localhost:5000", "team/app", "1.0").unwrap());
    }

    #[test]
    fn names_that_could_leave_the_store_are_rejected() {
        for bad in
            ["busybox:1", "quay.io/app", "../app:1", "quay.io/../app:1", "quay.io//app:1", "quay.io/app:../1"]
        {
            assert!(Reference::parse(bad).is_err(), "{bad}");
        }
        for bad in [
            "quay.io/.hidden:1",
            "quay.io/a%2e:1",
            "quay.io/a\0:1",
            "/app:1",
            "quay.io/app:",
            "quay.io/a b:1",
        ] {
            assert!(Reference::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_digest_is_sixty_four_lower_case_digits() {
        let digest = Digest::of(b"lab");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest.clone()));
        let digits = digest.digits();
        for bad in [
            digits.to_owned(),
            format!("sha256:{}", &digits[1..]),
            format!("sha256:{}", digits.to_uppercase()),
        ] {
            assert_eq!(Digest::parse(&bad), None, "{bad}");
        }
        assert_eq!(Digest::parse(&format!("sha256:../{}", &digits[3..])), None);
    }

    #[test]
    fn a_file_has_the_digest_of_its_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, vec![7; 200_000]).unwrap();
        assert_eq!(Digest::of_file(&path).unwrap(), Digest::of(&vec![7; 200_000]));
    }
}
