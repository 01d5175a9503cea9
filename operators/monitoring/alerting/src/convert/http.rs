//! Credentials, TLS and proxies.

use std::collections::BTreeMap;

use api_monitoring::alertmanager_config::receiver::HttpConfig;
use api_monitoring::http::ProxyConfig;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::tls::SafeTlsConfig;
use formats::alertmanager::http::{Authorization, BasicAuth, HttpClient, OAuth2, Tls};
use formats::alertmanager::secret::Secret;
use monitoring_assets::file;

use super::{Convert, Error, or_empty};

/// Where certificates and keys are mounted.
const CERTIFICATES: &str = "/etc/alertmanager/certs/";

/// The fields of a proxy, which are written among those of a client.
struct Proxy {
    url: String,
    except: String,
    from_environment: bool,
    headers: BTreeMap<String, Vec<Secret>>,
}

impl Convert<'_> {
    /// The client of a receiver, if it has one of its own.
    pub(super) fn http_if_any(&self, config: Option<&HttpConfig>) -> Result<Option<HttpClient>, Error> {
        config.map(|config| self.http(config)).transpose()
    }

    /// A client.
    pub fn http(&self, config: &HttpConfig) -> Result<HttpClient, Error> {
        let proxy = self.proxy(&config.proxy)?;
        // The older of the two fields wins.
        let older = config.proxy_url_original.as_ref().filter(|url| !url.is_empty());
        Ok(HttpClient {
            basic_auth: self.basic_auth(config)?,
            authorization: self.authorization(config)?,
            tls_config: config.tls_config.as_ref().map(|tls| self.tls(tls)),
            bearer_token: self.secret_if_any("bearer token", config.bearer_token_secret.as_ref())?,
            oauth2: self.oauth2(config)?,
            follow_redirects: config.follow_redirects,
            enable_http2: config.enable_http2,
            proxy_url: older.cloned().unwrap_or(proxy.url),
            no_proxy: proxy.except,
            proxy_from_environment: proxy.from_environment,
            proxy_connect_header: proxy.headers,
            ..HttpClient::default()
        })
    }

    fn basic_auth(&self, config: &HttpConfig) -> Result<Option<BasicAuth>, Error> {
        let Some(auth) = &config.basic_auth else { return Ok(None) };
        let username = self.secret("BasicAuth username", &auth.username)?;
        let password = self.secret("BasicAuth password", &auth.password)?;
        let says_something = !username.is_empty() || !password.is_empty();
        Ok(says_something.then(|| BasicAuth { username, password, ..BasicAuth::default() }))
    }

    fn authorization(&self, config: &HttpConfig) -> Result<Option<Authorization>, Error> {
        let Some(auth) = &config.authorization else { return Ok(None) };
        let Some(selector) = &auth.credentials else {
            return Err(Error::rule("'authorization' credentials are required"));
        };
        let credentials = self.secret("Authorization credentials", selector)?;
        let type_ = if auth.type_.is_empty() { "Bearer".to_owned() } else { auth.type_.clone() };
        let says_something = !credentials.is_empty();
        Ok(says_something.then(|| Authorization { type_, credentials, ..Authorization::default() }))
    }

    fn oauth2(&self, config: &HttpConfig) -> Result<Option<OAuth2>, Error> {
        let Some(oauth2) = &config.oauth2 else { return Ok(None) };
        let client_id =
            self.reader.either(&oauth2.client_id).map_err(|error| Error::from(error).reading("clientID"))?;
        let client_secret = self.secret("client secret", &oauth2.client_secret)?;
        let proxy = self.proxy(&oauth2.proxy)?;
        Ok(Some(OAuth2 {
            client_id: client_id.unwrap_or_default().into(),
            client_secret,
            scopes: oauth2.scopes.clone(),
            token_url: oauth2.token_url.0.clone(),
            endpoint_params: oauth2.endpoint_params.clone(),
            proxy_url: proxy.url,
            no_proxy: proxy.except,
            proxy_from_environment: proxy.from_environment,
            proxy_connect_header: proxy.headers,
            ..OAuth2::default()
        }))
    }

    /// TLS of a connection.
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
            server_name: or_empty(tls.server_name.as_ref()),
            insecure_skip_verify: tls.insecure_skip_verify.unwrap_or_default(),
            min_version: or_empty(tls.min_version.as_ref().map(|version| &version.0)),
            max_version: or_empty(tls.max_version.as_ref().map(|version| &version.0)),
        }
    }

    fn proxy(&self, proxy: &ProxyConfig) -> Result<Proxy, Error> {
        let header = |(name, selectors): (&String, &Vec<_>)| {
            let values =
                selectors.iter().map(|selector| self.secret("proxyConnectHeader secretKey", selector));
            Ok((name.clone(), values.collect::<Result<_, _>>()?))
        };
        Ok(Proxy {
            url: or_empty(proxy.proxy_url.as_ref()),
            except: or_empty(proxy.no_proxy.as_ref()),
            from_environment: proxy.proxy_from_environment.unwrap_or_default(),
            headers: proxy.proxy_connect_header.iter().flatten().map(header).collect::<Result<_, Error>>()?,
        })
    }
}
