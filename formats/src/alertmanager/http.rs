//! HTTP clients: credentials, TLS and proxies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use super::fit::{ConfigError, Fit, Fitting, refuse};
use super::secret::Secret;
use super::since::{AUTHORIZATION, PROXY};
use crate::yaml::serde::always;

/// An HTTP client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct HttpClient {
    pub authorization: Option<Authorization>,
    pub basic_auth: Option<BasicAuth>,
    pub oauth2: Option<OAuth2>,
    pub bearer_token: Secret,
    pub bearer_token_file: String,
    pub tls_config: Option<Tls>,
    pub follow_redirects: Option<bool>,
    pub enable_http2: Option<bool>,
    pub http_headers: Option<BTreeMap<String, Header>>,
    pub proxy_url: String,
    pub no_proxy: String,
    pub proxy_from_environment: bool,
    pub proxy_connect_header: BTreeMap<String, Vec<Secret>>,
}

/// A header that is added to every request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Header {
    /// Values.
    pub values: Vec<String>,
    /// Values that are secret.
    #[serde(serialize_with = "hidden")]
    pub secrets: Vec<String>,
    /// Files with values.
    pub files: Vec<String>,
}

/// Secrets are not written, because the Go library that the Prometheus Operator uses for headers does not write them
/// either.
fn hidden<S: Serializer>(secrets: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(secrets.iter().map(|secret| (!secret.is_empty()).then_some("<secret>")))
}

/// TLS settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Tls {
    pub ca_file: String,
    pub cert_file: String,
    pub key_file: String,
    pub server_name: String,
    #[serde(serialize_with = "always")]
    pub insecure_skip_verify: bool,
    pub min_version: String,
    pub max_version: String,
}

/// An `Authorization` header.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Authorization {
    #[serde(rename = "type")]
    pub type_: String,
    pub credentials: Secret,
    pub credentials_file: String,
}

/// Basic authentication.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct BasicAuth {
    pub username: Secret,
    pub password: Secret,
    pub password_file: String,
}

/// OAuth 2.0 client credentials.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct OAuth2 {
    #[serde(serialize_with = "always")]
    pub client_id: Secret,
    #[serde(serialize_with = "always")]
    pub client_secret: Secret,
    pub client_secret_file: String,
    pub scopes: Vec<String>,
    #[serde(serialize_with = "always")]
    pub token_url: String,
    pub endpoint_params: BTreeMap<String, String>,
    pub proxy_url: String,
    pub no_proxy: String,
    pub proxy_from_environment: bool,
    pub proxy_connect_header: BTreeMap<String, Vec<Secret>>,
    pub tls_config: Option<Tls>,
}

/// Headers that a client sets itself.
const RESERVED: [&str; 18] = [
    "Authorization",
    "Host",
    "Content-Encoding",
    "Content-Length",
    "Content-Type",
    "User-Agent",
    "Connection",
    "Keep-Alive",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Www-Authenticate",
    "Accept-Encoding",
    "X-Prometheus-Remote-Write-Version",
    "X-Prometheus-Remote-Read-Version",
    "X-Prometheus-Scrape-Timeout-Seconds",
    "X-Amz-Date",
    "X-Amz-Security-Token",
    "X-Amz-Content-Sha256",
];

/// TLS versions, from the oldest to the newest. An empty text allows any.
pub(super) const TLS_VERSIONS: [&str; 5] = ["", "TLS10", "TLS11", "TLS12", "TLS13"];

impl Fit for HttpClient {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        let has_authorization = fitting.has(AUTHORIZATION);
        refuse(
            self.authorization.is_some() && !has_authorization,
            "'authorization' set in 'http_config' but supported in Alertmanager >= 0.22.0 only",
        )?;
        refuse(
            self.oauth2.is_some() && !has_authorization,
            "'oauth2' set in 'http_config' but supported in Alertmanager >= 0.22.0 only",
        )?;
        self.check_headers()?;
        self.leave_out_new(fitting);
        self.tls_config.fit(fitting)?;
        if fitting.has(PROXY) {
            self.check_proxy()?;
        }
        self.oauth2.fit(fitting)
    }
}

impl HttpClient {
    /// Rejects headers that a client sets itself.
    pub(super) fn check_headers(&self) -> Result<(), ConfigError> {
        let names = self.http_headers.iter().flat_map(BTreeMap::keys).map(|name| canonical(name));
        match names.into_iter().find(|name| RESERVED.contains(&name.as_str())) {
            Some(name) => Err(ConfigError::new(format!("setting header {name:?} is not allowed"))),
            None => Ok(()),
        }
    }

    fn check_proxy(&self) -> Result<(), ConfigError> {
        let has_url = !self.proxy_url.is_empty();
        let environment = self.proxy_from_environment;
        refuse(
            !self.proxy_connect_header.is_empty() && !environment && !has_url,
            "if 'proxy_connect_header' is configured, 'proxy_url' or 'proxy_from_environment' must also be configured",
        )?;
        refuse(
            environment && has_url,
            "if 'proxy_from_environment' is configured, 'proxy_url' must not be configured",
        )?;
        refuse(
            environment && !self.no_proxy.is_empty(),
            "if 'proxy_from_environment' is configured, 'no_proxy' must not be configured",
        )?;
        refuse(
            !has_url && !self.no_proxy.is_empty(),
            "if 'no_proxy' is configured, 'proxy_url' must also be configured",
        )
    }
}

impl Fit for Tls {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.leave_out_new(fitting);
        let place = |version: &String| {
            let unknown = || ConfigError::new(format!("unknown TLS version: {version}"));
            TLS_VERSIONS.iter().position(|known| known == version).ok_or_else(unknown)
        };
        let (lowest, highest) = (place(&self.min_version)?, place(&self.max_version)?);
        if lowest > 0 && highest > 0 && lowest > highest {
            return Err(ConfigError::new(format!(
                "max TLS version {:?} must be greater than or equal to min TLS version {:?}",
                self.max_version, self.min_version
            )));
        }
        Ok(())
    }
}

impl Fit for OAuth2 {
    /// If only `proxy_from_environment` is set, it is kept even for versions that do not support it, as in the
    /// Prometheus Operator.
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        let says_where =
            !self.proxy_url.is_empty() || !self.no_proxy.is_empty() || !self.proxy_connect_header.is_empty();
        if says_where {
            self.leave_out_new(fitting);
        }
        Ok(())
    }
}

/// The canonical name of a header: `X-My-Header` for `x-my-header`. An invalid name stays as it is.
pub(super) fn canonical(name: &str) -> String {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return name.to_owned();
    }
    let mut begins = true;
    let characters = name.chars().map(|character| {
        let cased = if begins { character.to_ascii_uppercase() } else { character.to_ascii_lowercase() };
        begins = character == '-';
        cased
    });
    characters.collect()
}
