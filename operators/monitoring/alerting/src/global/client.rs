//! What an HTTP client of the global part must be.

use api_monitoring::auth::{OAuth2, SafeAuthorization};
use api_monitoring::http::{HttpConfigWithProxy, ProxyConfig};
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::tls::SafeTlsConfig;
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::convert::Error;

pub(super) fn check(http: &HttpConfigWithProxy) -> Result<(), Error> {
    let client = &http.client;
    // Of these at most one may be there; a pair is named in this order.
    let ways = [
        ("authorization", client.authorization.is_some()),
        ("basicAuth", client.basic_auth.is_some()),
        ("bearerTokenSecret", client.bearer_token_secret.is_some()),
        ("oauth2", client.oauth2.is_some()),
    ];
    let mut taken = ways.iter().filter(|(_, is_there)| *is_there);
    if let (Some((one, _)), Some((other, _))) = (taken.next(), taken.next()) {
        return Err(Error::rule(format!("{one} and {other} cannot be configured at the same time")));
    }
    if let Some(authorization) = &client.authorization {
        check_authorization(authorization).map_err(|error| error.at("authorization"))?;
    }
    if let Some(oauth2) = &client.oauth2 {
        check_oauth2(oauth2).map_err(|error| error.at("oauth2"))?;
    }
    if let Some(tls) = &http.tls_config {
        check_tls(tls).map_err(|error| error.at("tlsConfig"))?;
    }
    check_proxy(&http.proxy)
}

fn check_authorization(authorization: &SafeAuthorization) -> Result<(), Error> {
    if authorization.type_.trim().eq_ignore_ascii_case("basic") {
        let words = "'authorization' type cannot be set to \"basic\", use \"basicAuth\" instead";
        return Err(Error::rule(words));
    }
    if authorization.credentials.is_none() {
        return Err(Error::rule("'authorization' credentials are required"));
    }
    Ok(())
}

fn check_oauth2(oauth2: &OAuth2) -> Result<(), Error> {
    if oauth2.token_url.is_empty() {
        return Err(Error::rule("OAuth2 tokenURL must be specified"));
    }
    if oauth2.client_id == SecretOrConfigMap::default() {
        return Err(Error::rule("OAuth2 'clientID' must be specified"));
    }
    check_either(&oauth2.client_id).map_err(|error| error.at("invalid OAuth2 'clientID'"))?;
    if let Some(tls) = &oauth2.tls_config {
        check_tls(tls).map_err(|error| error.at("invalid OAuth2 'tlsConfig'"))?;
    }
    check_proxy(&oauth2.proxy).map_err(|error| error.at("invalid OAuth2 proxyConfig"))
}

fn check_tls(tls: &SafeTlsConfig) -> Result<(), Error> {
    for (what, selector) in [("ca", &tls.ca), ("cert", &tls.cert)] {
        check_either(selector).map_err(|error| error.at(format!("{what} {}", shown(selector))))?;
    }
    if let (Some(highest), Some(lowest)) = (&tls.max_version, &tls.min_version)
        && highest < lowest
    {
        return Err(Error::rule("maxVersion must more than or equal to minVersion"));
    }
    match (tls.cert == SecretOrConfigMap::default(), &tls.key_secret) {
        (false, None) => Err(Error::rule("client cert specified without client key")),
        (true, Some(_)) => Err(Error::rule("client key specified without client cert")),
        (true, None) | (false, Some(_)) => Ok(()),
    }
}

fn check_either(selector: &SecretOrConfigMap) -> Result<(), Error> {
    if selector.secret.is_some() && selector.config_map.is_some() {
        return Err(Error::rule("cannot specify both Secret and ConfigMap"));
    }
    Ok(())
}

fn shown(selector: &SecretOrConfigMap) -> String {
    match (&selector.secret, &selector.config_map) {
        (Some(secret), _) => format!("<secret={},key={}>", secret.name, secret.key),
        (None, Some(map)) => format!("<configmap={},key={}>", map.name, map.key),
        (None, None) => "<empty>".into(),
    }
}

fn check_proxy(proxy: &ProxyConfig) -> Result<(), Error> {
    let environment = proxy.proxy_from_environment == Some(true);
    let has_url = proxy.proxy_url.as_ref().is_some_and(|url| !url.is_empty());
    let has_headers = proxy.proxy_connect_header.as_ref().is_some_and(|headers| !headers.is_empty());
    let has_exceptions = proxy.no_proxy.as_ref().is_some_and(|hosts| !hosts.is_empty());
    for (is_so, words) in [
        (
            has_headers && !environment && !has_url,
            "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured",
        ),
        (environment && has_url, "if proxyFromEnvironment is configured, proxyUrl must not be configured"),
        (
            environment && has_exceptions,
            "if proxyFromEnvironment is configured, noProxy must not be configured",
        ),
        (!has_url && has_exceptions, "if noProxy is configured, proxyUrl must also be configured"),
    ] {
        if is_so {
            return Err(Error::rule(words));
        }
    }
    for (name, selectors) in proxy.proxy_connect_header.iter().flatten() {
        if selectors.is_empty() {
            return Err(Error::rule(format!("proxyConnetHeader[{name}]: selector must not be empty")));
        }
        if let Some(at) = selectors.iter().position(|selector| *selector == SecretKeySelector::default()) {
            return Err(Error::rule(format!("proxyConnectHeader[{name}][{at}]: selector must be defined")));
        }
    }
    Ok(())
}
