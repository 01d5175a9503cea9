//! The file of `--web-config-file`, in the format that all Prometheus programs use.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

use crate::flags::duration;

/// Why the file is not valid.
#[derive(Debug, Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    /// It is not YAML, or has unknown fields. Values are not shown, because the file contains secrets.
    #[error("{path}, line {line}: not a web configuration: unknown field or wrong type")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
    },
    /// A value is not valid.
    #[error("{0}")]
    Value(String),
    /// A certificate or a key cannot be used.
    #[error("cannot use the certificate or key")]
    Certificate(#[source] rustls::Error),
    /// A certificate or a key is not in PEM format.
    #[error("{0}: there is no certificate or key in PEM format")]
    Pem(&'static str),
}

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WebConfig {
    pub(super) tls_server_config: Option<Tls>,
    pub(super) http_server_config: Option<Http>,
    pub(super) rate_limit: Option<RateLimit>,
    pub(super) basic_auth_users: Option<BTreeMap<String, String>>,
}

/// TLS of the server.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Tls {
    pub(super) cert: String,
    pub(super) key: String,
    pub(super) client_ca: String,
    pub(super) cert_file: PathBuf,
    pub(super) key_file: PathBuf,
    pub(super) client_ca_file: PathBuf,
    pub(super) client_auth_type: String,
    pub(super) client_allowed_sans: Option<Vec<String>>,
    pub(super) cipher_suites: Vec<String>,
    pub(super) curve_preferences: Vec<String>,
    pub(super) min_version: String,
    pub(super) max_version: String,
    /// Ignored: the server always prefers its own order.
    #[serde(rename = "prefer_server_cipher_suites")]
    pub(super) _prefer: Option<bool>,
}

/// Headers of each response.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Http {
    /// Ignored: HTTP/2 is not supported.
    #[serde(rename = "http2")]
    pub(super) _http2: Option<bool>,
    pub(super) headers: BTreeMap<String, String>,
}

/// Limits the rate of requests.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RateLimit {
    pub(super) burst: u32,
    #[serde(deserialize_with = "interval")]
    pub(super) interval: Duration,
}

fn interval<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration::parse(&text).ok_or_else(|| de::Error::custom("not a duration"))
}

/// Headers that can be set, and the allowed values of those that do not allow all.
const HEADERS: [(&str, &[&str]); 5] = [
    ("Strict-Transport-Security", &[]),
    ("X-Content-Type-Options", &["nosniff"]),
    ("X-Frame-Options", &["deny", "sameorigin"]),
    ("X-XSS-Protection", &[]),
    ("Content-Security-Policy", &[]),
];

impl WebConfig {
    /// Reads and checks the file. Paths in it are relative to its directory.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::Read(path.into(), error))?;
        let mut config = Self::parse(&text).map_err(|line| Error::Syntax { path: path.into(), line })?;
        config.check()?;
        let directory = path.parent().unwrap_or(Path::new(""));
        if let Some(tls) = &mut config.tls_server_config {
            for file in [&mut tls.cert_file, &mut tls.key_file, &mut tls.client_ca_file] {
                if !file.as_os_str().is_empty() {
                    *file = directory.join(&file);
                }
            }
        }
        Ok(config)
    }

    /// Returns only the line of an error.
    fn parse(text: &str) -> Result<Self, u64> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let config: Option<Self> = serde_saphyr::from_str(text)
            .map_err(|error| error.location().map_or(0, |location| location.line()))?;
        Ok(config.unwrap_or_default())
    }

    fn check(&self) -> Result<(), Error> {
        for (user, hash) in self.basic_auth_users.iter().flatten() {
            if hash.parse::<bcrypt::HashParts>().is_err() {
                return Err(Error::Value(format!(
                    "basic_auth_users: the password of {user:?} is not a bcrypt hash"
                )));
            }
        }
        for (name, value) in self.headers() {
            let Some((_, values)) = HEADERS.iter().find(|(known, _)| known == name) else {
                return Err(Error::Value(format!("http_server_config: the header {name:?} cannot be set")));
            };
            if (!values.is_empty() && !values.contains(&value.as_str())) || value.contains(['\r', '\n']) {
                return Err(Error::Value(format!("http_server_config: {name} cannot be {value:?}")));
            }
        }
        Ok(())
    }

    /// The TLS settings, if TLS is enabled.
    pub(super) fn tls(&self) -> Option<&Tls> {
        self.tls_server_config.as_ref().filter(|tls| !tls.is_empty())
    }

    /// Headers of each response.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&String, &String)> {
        self.http_server_config.iter().flat_map(|http| &http.headers)
    }

    /// Users and the hashes of their passwords; `None` if no authentication is required.
    pub(super) fn users(&self) -> Option<&BTreeMap<String, String>> {
        self.basic_auth_users.as_ref().filter(|users| !users.is_empty())
    }
}

impl Tls {
    fn is_empty(&self) -> bool {
        let texts = [&self.cert, &self.key, &self.client_ca, &self.client_auth_type];
        let files = [&self.cert_file, &self.key_file, &self.client_ca_file];
        texts.iter().all(|text| text.is_empty()) && files.iter().all(|file| file.as_os_str().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<WebConfig, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("web.yaml");
        std::fs::write(&path, text).unwrap();
        WebConfig::read(&path)
            .map_err(|error| error.to_string().replace(&format!("{}/", directory.path().display()), ""))
    }

    #[test]
    fn the_file_of_the_operator_is_parsed() {
        let text = "tls_server_config:\n  cert_file: /c/tls.crt\n  key_file: key/tls.key\n  client_auth_type: NoClientCert\n  \
                    min_version: TLS13\n  prefer_server_cipher_suites: false\n  cipher_suites: [TLS_AES_128_GCM_SHA256]\n\
                    http_server_config:\n  http2: false\n  headers:\n    X-Frame-Options: deny\n\
                    rate_limit: {burst: 3, interval: 1m}\n";
        let config = read(text).unwrap();
        let tls = config.tls().unwrap();
        assert_eq!(tls.cert_file, Path::new("/c/tls.crt"));
        assert!(tls.key_file.is_absolute() && tls.key_file.ends_with("key/tls.key"));
        assert_eq!(tls.min_version, "TLS13");
        assert_eq!(
            config.headers().collect::<Vec<_>>(),
            [(&"X-Frame-Options".to_owned(), &"deny".to_owned())]
        );
        assert_eq!(config.rate_limit.map(|limit| (limit.burst, limit.interval.as_secs())), Some((3, 60)));
    }

    #[test]
    fn an_empty_file_enables_nothing() {
        for text in ["", "# nothing\n", "{}", "tls_server_config:\nbasic_auth_users: {}\n"] {
            let config = read(text).unwrap();
            assert!(config.tls().is_none() && config.users().is_none(), "{text}");
        }
    }

    #[test]
    fn errors_do_not_show_secrets() {
        for (text, expected) in [
            ("tls_config: {}", "web.yaml, line 1: not a web configuration: unknown field or wrong type"),
            (
                "rate_limit:\n  burst: hunter2\n",
                "web.yaml, line 2: not a web configuration: unknown field or wrong type",
            ),
            (
                "basic_auth_users: {me: hunter2}",
                "basic_auth_users: the password of \"me\" is not a bcrypt hash",
            ),
            (
                "http_server_config: {headers: {X-Frame-Options: maybe}}",
                "http_server_config: X-Frame-Options cannot be \"maybe\"",
            ),
            (
                "http_server_config: {headers: {Server: me}}",
                "http_server_config: the header \"Server\" cannot be set",
            ),
        ] {
            assert_eq!(read(text).map(|_| ()), Err(expected.into()), "{text}");
        }
    }
}
