//! HTTP clients: credentials, TLS and proxies.

use std::collections::BTreeMap;

use api_monitoring::alertmanager_config::receiver::HttpConfig;
use api_monitoring::http::ProxyConfig;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::tls::SafeTlsConfig;
use formats::alertmanager::http::{Authorization, BasicAuth, HttpClient, OAuth2, Tls};
use formats::alertmanager::secret::Secret;
use monitoring_assets::file;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};
use monitoring_select::references::References;

use super::Convert;

/// The directory in which certificates and keys are mounted.
const CERTIFICATES: &str = "/etc/alertmanager/certs/";

impl Convert<'_> {
    /// The HTTP client of a receiver, if it has its own.
    pub(super) fn http_if_any(&self, config: Option<&HttpConfig>) -> Result<Option<HttpClient>, Problem> {
        config.map(|config| self.http(config)).transpose()
    }

    /// An HTTP client.
    pub fn http(&self, config: &HttpConfig) -> Result<HttpClient, Problem> {
        let proxy = &config.proxy;
        let proxy_connect_header = self.proxy_headers(proxy)?;
        // The deprecated field takes precedence.
        let proxy_url = config.proxy_url_original.clone().filter(|url| !url.is_empty());
        Ok(HttpClient {
            basic_auth: self.basic_auth(config)?,
            authorization: self.authorization(config)?,
            tls_config: config.tls_config.as_ref().map(|tls| self.tls(tls)),
            bearer_token: self.secret_if_any("bearer token", config.bearer_token_secret.as_ref())?,
            oauth2: self.oauth2(config)?,
            follow_redirects: config.follow_redirects,
            enable_http2: config.enable_http2,
            proxy_url: proxy_url.or_else(|| proxy.proxy_url.clone()).unwrap_or_default(),
            no_proxy: proxy.no_proxy.clone().unwrap_or_default(),
            proxy_from_environment: proxy.proxy_from_environment.unwrap_or_default(),
            proxy_connect_header,
            ..HttpClient::default()
        })
    }

    fn basic_auth(&self, config: &HttpConfig) -> Result<Option<BasicAuth>, Problem> {
        let Some(auth) = &config.basic_auth else { return Ok(None) };
        let username = self.secret("BasicAuth username", &auth.username)?;
        let password = self.secret("BasicAuth password", &auth.password)?;
        let is_set = !username.is_empty() || !password.is_empty();
        Ok(is_set.then(|| BasicAuth { username, password, ..BasicAuth::default() }))
    }

    fn authorization(&self, config: &HttpConfig) -> Result<Option<Authorization>, Problem> {
        let Some(auth) = &config.authorization else { return Ok(None) };
        let Some(selector) = &auth.credentials else {
            return broken("'authorization' credentials are required");
        };
        let credentials = self.secret("Authorization credentials", selector)?;
        let type_ = if auth.type_.is_empty() { "Bearer".to_owned() } else { auth.type_.clone() };
        let is_set = !credentials.is_empty();
        Ok(is_set.then(|| Authorization { type_, credentials, ..Authorization::default() }))
    }

    fn oauth2(&self, config: &HttpConfig) -> Result<Option<OAuth2>, Problem> {
        let Some(oauth2) = &config.oauth2 else { return Ok(None) };
        let client_id = self.reader.either(&oauth2.client_id).within("failed to get clientID")?;
        Ok(Some(OAuth2 {
            client_id: client_id.unwrap_or_default().into(),
            client_secret: self.secret("client secret", &oauth2.client_secret)?,
            scopes: oauth2.scopes.clone(),
            token_url: oauth2.token_url.0.clone(),
            endpoint_params: oauth2.endpoint_params.clone(),
            proxy_url: oauth2.proxy.proxy_url.clone().unwrap_or_default(),
            no_proxy: oauth2.proxy.no_proxy.clone().unwrap_or_default(),
            proxy_from_environment: oauth2.proxy.proxy_from_environment.unwrap_or_default(),
            proxy_connect_header: self.proxy_headers(&oauth2.proxy)?,
            ..OAuth2::default()
        }))
    }

    /// TLS settings of a client.
    pub(crate) fn tls(&self, tls: &SafeTlsConfig) -> Tls {
        let namespace = self.reader.namespace();
        let mounted = |name: String| format!("{CERTIFICATES}{name}");
        let either = |selector: &SecretOrConfigMap| {
            file::of_either(namespace, selector).map(mounted).unwrap_or_default()
        };
        let key = tls.key_secret.as_ref().map(|selector| mounted(file::of_secret(namespace, selector)));
        Tls {
            ca_file: either(&tls.ca),
            cert_file: either(&tls.cert),
            key_file: key.unwrap_or_default(),
            server_name: tls.server_name.clone().unwrap_or_default(),
            insecure_skip_verify: tls.insecure_skip_verify.unwrap_or_default(),
            min_version: tls.min_version.clone().unwrap_or_default().0,
            max_version: tls.max_version.clone().unwrap_or_default().0,
        }
    }

    fn proxy_headers(&self, proxy: &ProxyConfig) -> Result<BTreeMap<String, Vec<Secret>>, Problem> {
        let header = |(name, selectors): (&String, &Vec<_>)| {
            let values =
                selectors.iter().map(|selector| self.secret("proxyConnectHeader secretKey", selector));
            Ok((name.clone(), values.collect::<Result<_, _>>()?))
        };
        proxy.proxy_connect_header.iter().flatten().map(header).collect()
    }
}

/// Checks that everything that an HTTP client refers to exists, and collects its certificates and keys.
pub fn check_references(http: &HttpConfig, references: &References<'_>) -> Result<(), Problem> {
    references.optional_secret(http.bearer_token_secret.as_ref())?;
    references.safe_authorization(http.authorization.as_ref())?;
    references.basic_auth(http.basic_auth.as_ref())?;
    references.safe_tls(http.tls_config.as_ref())?;
    references.proxy_headers(&http.proxy)?;
    references.oauth2(http.oauth2.as_ref())
}
