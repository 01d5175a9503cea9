//! Proxies of clients: rules between their fields.

use api_monitoring::http::ProxyConfig;
use go_syntax::url::Url;
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::problem::{Problem, broken};

/// Checks the fields of a proxy without reading references.
pub fn check(proxy: &ProxyConfig) -> Result<(), Problem> {
    let is_set = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    let (has_url, has_exceptions) = (is_set(&proxy.proxy_url), is_set(&proxy.no_proxy));
    let from_environment = proxy.proxy_from_environment == Some(true);
    let has_headers = proxy.proxy_connect_header.as_ref().is_some_and(|headers| !headers.is_empty());
    if has_headers && !from_environment && !has_url {
        return broken(
            "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured",
        );
    }
    if from_environment && has_url {
        return broken("if proxyFromEnvironment is configured, proxyUrl must not be configured");
    }
    if from_environment && has_exceptions {
        return broken("if proxyFromEnvironment is configured, noProxy must not be configured");
    }
    if !has_url && has_exceptions {
        return broken("if noProxy is configured, proxyUrl must also be configured");
    }
    for (name, values) in proxy.proxy_connect_header.iter().flatten() {
        if values.is_empty() {
            return broken(format!("proxyConnetHeader[{name}]: selector must not be empty"));
        }
        if let Some(index) = values.iter().position(|value| *value == SecretKeySelector::default()) {
            return broken(format!("proxyConnectHeader[{name}][{index}]: selector must be defined"));
        }
    }
    if let Some(address) = &proxy.proxy_url {
        Url::parse(address)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_proxy_has_one_source() {
        let url = Some("http://proxy:80".to_owned());
        let header = |values: Vec<SecretKeySelector>| Some(BTreeMap::from([("name".to_owned(), values)]));
        let value = SecretKeySelector { name: "secret".into(), ..SecretKeySelector::default() };
        let with_url = ProxyConfig { proxy_url: url.clone(), ..ProxyConfig::default() };
        let from_environment = ProxyConfig { proxy_from_environment: Some(true), ..ProxyConfig::default() };
        for good in [
            ProxyConfig::default(),
            with_url.clone(),
            from_environment.clone(),
            ProxyConfig { proxy_connect_header: Some(BTreeMap::new()), ..ProxyConfig::default() },
            ProxyConfig { no_proxy: Some("localhost".into()), ..with_url.clone() },
            ProxyConfig { proxy_connect_header: header(vec![value.clone()]), ..with_url.clone() },
            ProxyConfig { no_proxy: Some(String::new()), ..ProxyConfig::default() },
        ] {
            assert_eq!(check(&good), Ok(()), "{good:?}");
        }
        for (bad, words) in [
            (
                ProxyConfig { proxy_connect_header: header(vec![value]), ..ProxyConfig::default() },
                "if proxyConnectHeader is configured, proxyUrl or proxyFromEnvironment must also be configured",
            ),
            (
                ProxyConfig { proxy_url: url, ..from_environment.clone() },
                "if proxyFromEnvironment is configured, proxyUrl must not be configured",
            ),
            (
                ProxyConfig { no_proxy: Some("a".into()), ..from_environment },
                "if proxyFromEnvironment is configured, noProxy must not be configured",
            ),
            (
                ProxyConfig { no_proxy: Some("a".into()), ..ProxyConfig::default() },
                "if noProxy is configured, proxyUrl must also be configured",
            ),
            (
                ProxyConfig { proxy_connect_header: header(vec![]), ..with_url.clone() },
                "proxyConnetHeader[name]: selector must not be empty",
            ),
            (
                ProxyConfig { proxy_connect_header: header(vec![SecretKeySelector::default()]), ..with_url },
                "proxyConnectHeader[name][0]: selector must be defined",
            ),
            (
                ProxyConfig { proxy_url: Some(":".into()), ..ProxyConfig::default() },
                r#"parse ":": missing protocol scheme"#,
            ),
        ] {
            assert_eq!(check(&bad).unwrap_err().to_string(), words);
        }
    }
}
