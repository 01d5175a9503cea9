//! Checks of HTTP clients, TLS settings and URLs.

use crate::alertmanager::fit::{ConfigError, refuse};
use crate::alertmanager::global::Global;
use crate::alertmanager::http::{HttpClient, OAuth2, TLS_VERSIONS, Tls};
use crate::alertmanager::url::{HIDDEN, Url, check_web};

/// Checks the global URLs and clients.
pub(super) fn check_global(global: &Global) -> Result<(), ConfigError> {
    check_client(global.http_config.as_ref())?;
    check_tls(global.smtp_tls_config.as_ref())?;
    for (name, is_there) in [
        ("hipchat_api_url", global.hipchat_api_url.is_some()),
        ("hipchat_auth_token", !global.hipchat_auth_token.is_empty()),
    ] {
        if is_there {
            return Err(ConfigError::new(format!("field {name} not found in type config.plain")));
        }
    }
    let urls = [
        &global.slack_app_url,
        &global.pagerduty_url,
        &global.opsgenie_api_url,
        &global.wechat_api_url,
        &global.victorops_api_url,
        &global.telegram_api_url,
        &global.webex_api_url,
        &global.jira_api_url,
        &global.rocketchat_api_url,
    ];
    urls.into_iter().flatten().try_for_each(check_written)?;
    let secret = [&global.slack_api_url, &global.mattermost_webhook_url];
    secret.into_iter().flatten().try_for_each(check_secret)
}

/// Checks a URL that can be a placeholder for a secret. In a URL, the placeholder is escaped.
fn check_secret(url: &Url) -> Result<(), ConfigError> {
    if Url::parse(HIDDEN).is_ok_and(|hidden| hidden == *url) { Ok(()) } else { check_written(url) }
}

/// Checks a URL that is in the file, even if it is empty.
fn check_written(url: &Url) -> Result<(), ConfigError> {
    check_web(&url.to_string()).map_err(ConfigError::new)
}

/// Checks a URL if it is not empty.
pub(super) fn check_url(text: &str) -> Result<(), ConfigError> {
    if text.is_empty() { Ok(()) } else { check_web(text).map_err(ConfigError::new) }
}

/// Checks a URL that can be empty, or a placeholder for a secret.
pub(super) fn check_secret_url(text: &str) -> Result<(), ConfigError> {
    if text == HIDDEN { Ok(()) } else { check_url(text) }
}

/// Whether a client sends an `Authorization` header that is configured as such.
pub(super) fn has_authorization(client: Option<&HttpClient>) -> bool {
    client.is_some_and(|client| {
        client.authorization.is_some()
            || !client.bearer_token.is_empty()
            || !client.bearer_token_file.is_empty()
    })
}

/// Checks a client, if there is one.
pub(super) fn check_client(client: Option<&HttpClient>) -> Result<(), ConfigError> {
    let Some(client) = client else { return Ok(()) };
    check_tls(client.tls_config.as_ref())?;
    client.oauth2.as_ref().map_or(Ok(()), check_oauth2_parts)?;
    check_bearer(client)?;
    check_authorization(client)?;
    if let Some(oauth2) = &client.oauth2 {
        refuse(
            client.basic_auth.is_some(),
            "at most one of basic_auth, oauth2 & authorization must be configured",
        )?;
        refuse(oauth2.client_id.is_empty(), "oauth2 client_id must be configured")?;
        refuse(oauth2.token_url.is_empty(), "oauth2 token_url must be configured")?;
        refuse(
            !oauth2.client_secret.is_empty() && !oauth2.client_secret_file.is_empty(),
            "at most one of oauth2 client_secret, client_secret_file & client_secret_ref must be configured using \
             grant-type=client_credentials",
        )?;
    }
    let proxy = Proxy {
        url: &client.proxy_url,
        except: &client.no_proxy,
        environment: client.proxy_from_environment,
        has_headers: !client.proxy_connect_header.is_empty(),
    };
    proxy.check()?;
    client.check_headers()
}

fn check_bearer(client: &HttpClient) -> Result<(), ConfigError> {
    let (has_token, has_file) = (!client.bearer_token.is_empty(), !client.bearer_token_file.is_empty());
    refuse(has_token && has_file, "at most one of bearer_token & bearer_token_file must be configured")?;
    refuse(
        (client.basic_auth.is_some() || client.oauth2.is_some()) && (has_token || has_file),
        "at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured",
    )?;
    let has_two = |auth: &crate::alertmanager::http::BasicAuth| {
        !auth.password.is_empty() && !auth.password_file.is_empty()
    };
    refuse(
        client.basic_auth.as_ref().is_some_and(has_two),
        "at most one of basic_auth password, password_file & password_ref must be configured",
    )?;
    refuse(
        client.authorization.is_some() && (has_token || has_file),
        "authorization is not compatible with bearer_token & bearer_token_file",
    )
}

fn check_authorization(client: &HttpClient) -> Result<(), ConfigError> {
    let Some(authorization) = &client.authorization else { return Ok(()) };
    refuse(
        !authorization.credentials.is_empty() && !authorization.credentials_file.is_empty(),
        "at most one of authorization credentials & credentials_file must be configured",
    )?;
    refuse(
        authorization.type_.trim().eq_ignore_ascii_case("basic"),
        "authorization type cannot be set to \"basic\", use \"basic_auth\" instead",
    )?;
    refuse(
        client.basic_auth.is_some() || client.oauth2.is_some(),
        "at most one of basic_auth, oauth2 & authorization must be configured",
    )
}

fn check_oauth2_parts(oauth2: &OAuth2) -> Result<(), ConfigError> {
    check_tls(oauth2.tls_config.as_ref())?;
    let proxy = Proxy {
        url: &oauth2.proxy_url,
        except: &oauth2.no_proxy,
        environment: oauth2.proxy_from_environment,
        has_headers: !oauth2.proxy_connect_header.is_empty(),
    };
    proxy.check()
}

/// The fields of a proxy.
struct Proxy<'p> {
    url: &'p str,
    except: &'p str,
    environment: bool,
    has_headers: bool,
}

impl Proxy<'_> {
    fn check(&self) -> Result<(), ConfigError> {
        Url::parse(self.url).map_err(|error| ConfigError::new(error.to_string()))?;
        let (has_url, has_exceptions) = (!self.url.is_empty(), !self.except.is_empty());
        refuse(
            self.has_headers && !self.environment && !has_url,
            "if proxy_connect_header is configured, proxy_url or proxy_from_environment must also be configured",
        )?;
        refuse(
            self.environment && has_url,
            "if proxy_from_environment is configured, proxy_url must not be configured",
        )?;
        refuse(
            self.environment && has_exceptions,
            "if proxy_from_environment is configured, no_proxy must not be configured",
        )?;
        refuse(!has_url && has_exceptions, "if no_proxy is configured, proxy_url must also be configured")
    }
}

/// Checks TLS settings, if there are any.
pub(super) fn check_tls(tls: Option<&Tls>) -> Result<(), ConfigError> {
    let Some(tls) = tls else { return Ok(()) };
    for version in [&tls.min_version, &tls.max_version] {
        if !TLS_VERSIONS.contains(&version.as_str()) {
            return Err(ConfigError::new(format!("unknown TLS version: {version}")));
        }
    }
    refuse(
        !tls.cert_file.is_empty() && tls.key_file.is_empty(),
        "exactly one of key or key_file must be configured when a client certificate is configured",
    )?;
    refuse(
        tls.cert_file.is_empty() && !tls.key_file.is_empty(),
        "exactly one of cert or cert_file must be configured when a client key is configured",
    )
}
