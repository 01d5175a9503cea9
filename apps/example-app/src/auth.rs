//! Authentication: one user, from the files `username` and `password` of a mounted Secret. The files are read again
//! every second, so a rotation needs no restart. No secret is ever printed.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::clock::Deadline;

/// How long replicas still accept the previous credentials from each other: a changed Secret does not reach all pods at
/// the same time.
const GRACE: Duration = Duration::from_mins(5);

/// Why credentials could not be read.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// A file could not be read.
    #[error("cannot read credentials from {}; the directory must contain the files `username` and `password`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is empty, or the user name contains a colon.
    #[error("{} must not be empty, and a user name must not contain a colon", .0.display())]
    Unusable(PathBuf),
}

/// A user name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    username: String,
    password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

impl Credentials {
    /// Reads them from a directory. Both are of the same revision of a mounted Secret, also while it is replaced.
    pub fn read(directory: &Path) -> Result<Self, AuthError> {
        let directory = fs::canonicalize(directory.join("..data")).unwrap_or_else(|_| directory.into());
        let read = |name| {
            let path = directory.join(name);
            let text =
                fs::read_to_string(&path).map_err(|source| AuthError::Read { path: path.clone(), source })?;
            let text = text.trim_end_matches(['\r', '\n']).to_owned();
            if text.is_empty() { Err(AuthError::Unusable(path)) } else { Ok(text) }
        };
        let (username, password) = (read("username")?, read("password")?);
        if username.contains(':') {
            return Err(AuthError::Unusable(directory.join("username")));
        }
        Ok(Self { username, password })
    }

    /// The value of the header `Authorization`.
    fn header(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.username, self.password)))
    }

    fn accept(&self, header: &str) -> bool {
        let Some((scheme, encoded)) = header.split_once(' ') else { return false };
        let Ok(given) = STANDARD.decode(encoded.trim()) else { return false };
        // Digests have the same length, so the time taken reveals neither the length nor the first difference.
        let wanted = Sha256::digest(format!("{}:{}", self.username, self.password));
        let equal = bool::from(Sha256::digest(given).as_slice().ct_eq(wanted.as_slice()));
        scheme.eq_ignore_ascii_case("basic") && equal
    }
}

/// The current credentials, and for a while the previous ones.
#[derive(Debug, Clone)]
pub struct Keyring {
    current: Credentials,
    previous: Option<(Credentials, Deadline)>,
}

impl Keyring {
    /// Without previous credentials.
    pub fn new(current: Credentials) -> Self {
        Self { current, previous: None }
    }

    /// Replaces the credentials by those that were read; returns whether they differ.
    pub fn rotate(&mut self, read: Credentials) -> bool {
        if read == self.current {
            return false;
        }
        let old = std::mem::replace(&mut self.current, read);
        self.previous = Some((old, Deadline::after(GRACE)));
        true
    }

    /// Whether the header authenticates a client.
    pub fn accepts_client(&self, header: &str) -> bool {
        self.current.accept(header)
    }

    /// Whether the header authenticates another replica: it may not have the new credentials yet.
    pub fn accepts_replica(&self, header: &str) -> bool {
        self.current.accept(header) || self.previous().is_some_and(|previous| previous.accept(header))
    }

    /// The headers to try on another replica, in order.
    pub fn headers(&self) -> Vec<String> {
        std::iter::once(&self.current).chain(self.previous()).map(Credentials::header).collect()
    }

    fn previous(&self) -> Option<&Credentials> {
        self.previous.as_ref().filter(|(_, until)| !until.passed()).map(|(credentials, _)| credentials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(username: &str, password: &str) -> Credentials {
        Credentials { username: username.into(), password: password.into() }
    }

    #[test]
    fn only_the_current_credentials_are_accepted() {
        let keyring = Keyring::new(credentials("ann", "se:cret"));
        assert!(keyring.accepts_client(&credentials("ann", "se:cret").header()));
        assert!(keyring.accepts_client("basic YW5uOnNlOmNyZXQ="));
        for wrong in
            ["", "Basic", "Basic ?", "Bearer YW5uOnNlOmNyZXQ=", &credentials("ann", "secret").header()]
        {
            assert!(!keyring.accepts_client(wrong), "{wrong}");
        }
    }

    #[test]
    fn after_a_rotation_only_replicas_may_use_the_previous_credentials() {
        let (old, new) = (credentials("ann", "old"), credentials("ann", "new"));
        let mut keyring = Keyring::new(old.clone());
        assert!(!keyring.rotate(old.clone()));
        assert!(keyring.rotate(new.clone()));
        assert!(keyring.accepts_client(&new.header()) && !keyring.accepts_client(&old.header()));
        assert!(keyring.accepts_replica(&old.header()));
        assert_eq!(keyring.headers(), [new.header(), old.header()]);
    }

    #[test]
    fn a_final_newline_is_removed_and_an_empty_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("username"), "ann\n").unwrap();
        assert!(matches!(Credentials::read(directory.path()), Err(AuthError::Read { .. })));
        fs::write(directory.path().join("password"), "\n").unwrap();
        assert!(matches!(Credentials::read(directory.path()), Err(AuthError::Unusable(_))));
        fs::write(directory.path().join("password"), "pass word\r\n").unwrap();
        let read = Credentials::read(directory.path()).unwrap();
        assert_eq!(read, credentials("ann", "pass word"));
        assert_eq!(format!("{read:?}"), "Credentials(…)");
    }
}
