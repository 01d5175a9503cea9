//! Who may use the service: one user, from the files `username` and `password` of a mounted Secret. The files are read
//! again every second, so a rotation needs no restart. No secret is ever printed.

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

/// How long replicas still believe each other the previous credentials: files of a Secret do not change everywhere at
/// the same time.
const GRACE: Duration = Duration::from_mins(5);

/// Credentials that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// A file could not be read.
    #[error("cannot read credentials from {}; it must hold the files `username` and `password`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is empty, or the name holds a colon.
    #[error("{} must not be empty, and a user name holds no colon", .0.display())]
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
    /// Reads them from a directory. Both come from the same state of it, also while a mounted Secret is replaced.
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
    pub fn header(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.username, self.password)))
    }

    fn accept(&self, header: &str) -> bool {
        let Some((scheme, encoded)) = header.split_once(' ') else { return false };
        let Ok(given) = STANDARD.decode(encoded.trim()) else { return false };
        // Digests have one length: neither it nor the place of the first difference can be measured.
        let wanted = Sha256::digest(format!("{}:{}", self.username, self.password));
        let equal = bool::from(Sha256::digest(given).as_slice().ct_eq(wanted.as_slice()));
        scheme.eq_ignore_ascii_case("basic") && equal
    }
}

/// The credentials, and for a while those before them.
#[derive(Debug, Clone)]
pub struct Keyring {
    current: Credentials,
    previous: Option<(Credentials, Deadline)>,
}

impl Keyring {
    /// With these and no earlier ones.
    pub fn new(current: Credentials) -> Self {
        Self { current, previous: None }
    }

    /// Takes what was read; says whether it is new.
    pub fn rotate(&mut self, read: Credentials) -> bool {
        if read == self.current {
            return false;
        }
        let old = std::mem::replace(&mut self.current, read);
        self.previous = Some((old, Deadline::after(GRACE)));
        true
    }

    /// Whether a client may come in.
    pub fn accepts_client(&self, header: &str) -> bool {
        self.current.accept(header)
    }

    /// Whether another replica may come in: it may not have the new credentials yet.
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
    fn only_the_right_pair_comes_in() {
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
    fn after_a_rotation_only_replicas_may_still_use_the_old_pair() {
        let (old, new) = (credentials("ann", "old"), credentials("ann", "new"));
        let mut keyring = Keyring::new(old.clone());
        assert!(!keyring.rotate(old.clone()));
        assert!(keyring.rotate(new.clone()));
        assert!(keyring.accepts_client(&new.header()) && !keyring.accepts_client(&old.header()));
        assert!(keyring.accepts_replica(&old.header()));
        assert_eq!(keyring.headers(), [new.header(), old.header()]);
    }

    #[test]
    fn files_lose_their_last_newline_and_must_hold_something() {
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
