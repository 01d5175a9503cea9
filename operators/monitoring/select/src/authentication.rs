//! Authentication of clients: rules between the fields.

use api_monitoring::auth::{Authorization, OAuth2, SafeAuthorization};
use api_monitoring::http::HttpClient;

use crate::problem::{Problem, Within, broken};
use crate::{proxy, tls};

/// Checks an `Authorization` header whose content is in a Secret.
pub fn check_safe(authorization: &SafeAuthorization) -> Result<(), Problem> {
    if is_basic(authorization) {
        return broken("'authorization' type cannot be set to \"basic\", use \"basicAuth\" instead");
    }
    if authorization.credentials.is_none() {
        return broken("'authorization' credentials are required");
    }
    Ok(())
}

/// Checks an `Authorization` header whose content is in a Secret or a file.
pub fn check(authorization: &Authorization) -> Result<(), Problem> {
    if authorization.safe.credentials.is_some() && !authorization.credentials_file.is_empty() {
        return broken("authorization can not specify both \"credentials\" and \"credentialsFile\"");
    }
    if is_basic(&authorization.safe) {
        return broken("authorization type cannot be set to \"basic\", use \"basicAuth\" instead");
    }
    Ok(())
}

fn is_basic(authorization: &SafeAuthorization) -> bool {
    authorization.type_.trim().eq_ignore_ascii_case("basic")
}

/// Checks OAuth 2.0 settings without reading references.
pub fn check_oauth2(oauth2: &OAuth2) -> Result<(), Problem> {
    if oauth2.token_url.is_empty() {
        return broken("OAuth2 tokenURL must be specified");
    }
    if !tls::is_set(&oauth2.client_id) {
        return broken("OAuth2 'clientID' must be specified");
    }
    tls::check_selector(&oauth2.client_id).within("invalid OAuth2 'clientID'")?;
    if let Some(settings) = &oauth2.tls_config {
        tls::check_safe(settings).within("invalid OAuth2 'tlsConfig'")?;
    }
    proxy::check(&oauth2.proxy).within("invalid OAuth2 proxyConfig")
}

/// Checks that an HTTP client uses at most one way to authenticate, and that it is complete.
pub fn check_client(client: &HttpClient) -> Result<(), Problem> {
    let ways = [
        ("authorization", client.authorization.is_some()),
        ("basicAuth", client.basic_auth.is_some()),
        ("bearerTokenSecret", client.bearer_token_secret.is_some()),
        ("oauth2", client.oauth2.is_some()),
    ];
    let mut used = ways.iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name);
    if let (Some(one), Some(other)) = (used.next(), used.next()) {
        return broken(format!("{one} and {other} cannot be configured at the same time"));
    }
    if let Some(authorization) = &client.authorization {
        check_safe(authorization).within("authorization")?;
    }
    if let Some(oauth2) = &client.oauth2 {
        check_oauth2(oauth2).within("oauth2")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use api_monitoring::auth::BasicAuth;
    use api_monitoring::http::ProxyConfig;
    use api_monitoring::reference::SecretOrConfigMap;
    use api_monitoring::tls::SafeTlsConfig;
    use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};

    use super::*;

    fn words(result: Result<(), Problem>) -> String {
        result.map_or_else(|problem| problem.to_string(), |()| "good".to_owned())
    }

    #[test]
    fn a_header_is_not_basic_and_has_one_source() {
        let safe = |kind: &str, credentials| SafeAuthorization { type_: kind.into(), credentials };
        let secret = || Some(SecretKeySelector::default());
        assert_eq!(words(check_safe(&safe("Bearer", secret()))), "good");
        assert_eq!(words(check_safe(&safe("", None))), "'authorization' credentials are required");
        let basic = "'authorization' type cannot be set to \"basic\", use \"basicAuth\" instead";
        assert_eq!(words(check_safe(&safe(" Basic ", None))), basic);
        let with_file = |safe| Authorization { safe, credentials_file: "file".into() };
        assert_eq!(words(check(&with_file(safe("", None)))), "good");
        let both = "authorization can not specify both \"credentials\" and \"credentialsFile\"";
        assert_eq!(words(check(&with_file(safe("basic", secret())))), both);
        assert_eq!(words(check(&with_file(safe("BASIC", None)))), basic.replace('\'', ""));
    }

    #[test]
    fn oauth2_needs_an_address_and_a_client() {
        let secret = SecretOrConfigMap { secret: Some(SecretKeySelector::default()), config_map: None };
        let good = OAuth2 { token_url: "http://a".into(), client_id: secret.clone(), ..OAuth2::default() };
        assert_eq!(words(check_oauth2(&good)), "good");
        let both = SecretOrConfigMap { config_map: Some(ConfigMapKeySelector::default()), ..secret.clone() };
        let cert_only = SafeTlsConfig { cert: secret, ..SafeTlsConfig::default() };
        let exceptions = ProxyConfig { no_proxy: Some("a".into()), ..ProxyConfig::default() };
        for (oauth2, expected) in [
            (OAuth2 { token_url: "".into(), ..good.clone() }, "OAuth2 tokenURL must be specified"),
            (
                OAuth2 { client_id: SecretOrConfigMap::default(), ..good.clone() },
                "OAuth2 'clientID' must be specified",
            ),
            (
                OAuth2 { client_id: both, ..good.clone() },
                "invalid OAuth2 'clientID': cannot specify both Secret and ConfigMap",
            ),
            (
                OAuth2 { tls_config: Some(cert_only), ..good.clone() },
                "invalid OAuth2 'tlsConfig': client cert specified without client key",
            ),
            (
                OAuth2 { proxy: exceptions, ..good },
                "invalid OAuth2 proxyConfig: if noProxy is configured, proxyUrl must also be configured",
            ),
        ] {
            assert_eq!(words(check_oauth2(&oauth2)), expected);
        }
    }

    #[test]
    fn the_first_two_ways_are_named() {
        let client = HttpClient {
            basic_auth: Some(BasicAuth::default()),
            oauth2: Some(OAuth2::default()),
            ..HttpClient::default()
        };
        assert_eq!(
            words(check_client(&client)),
            "basicAuth and oauth2 cannot be configured at the same time"
        );
    }
}
