//! What a scrape class adds to the options of a resource.

use api_monitoring::auth::{Authorization, SafeAuthorization};
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::scrape::AttachMetadata;
use api_monitoring::tls::{SafeTlsConfig, TlsConfig};
use monitoring_select::Server;

/// The `Authorization` header: the resource's own, with the credentials of the class if it has none.
pub(crate) fn authorization(
    own: Option<&SafeAuthorization>,
    class: Option<&ScrapeClass>,
) -> Option<Authorization> {
    let of_class = class.and_then(|class| class.authorization.clone());
    let Some(own) = own.filter(|own| **own != SafeAuthorization::default()) else { return of_class };
    let mut merged = Authorization { safe: own.clone(), credentials_file: String::new() };
    if let (None, Some(of_class)) = (&own.credentials, of_class) {
        merged.safe.credentials = of_class.safe.credentials;
        if merged.safe.credentials.is_none() {
            merged.credentials_file = of_class.credentials_file;
        }
    }
    Some(merged)
}

/// TLS of a resource that cannot name files. Empty settings count as none.
pub(crate) fn safe_tls(own: Option<&SafeTlsConfig>, class: Option<&ScrapeClass>) -> Option<TlsConfig> {
    let own = own.filter(|own| **own != SafeTlsConfig::default());
    tls(own.map(|own| TlsConfig { safe: own.clone(), ..TlsConfig::default() }), class)
}

/// TLS of a resource: its own, with the files of the class where it has none.
pub(crate) fn tls(own: Option<TlsConfig>, class: Option<&ScrapeClass>) -> Option<TlsConfig> {
    let Some(of_class) = class.and_then(|class| class.tls_config.as_ref()) else { return own };
    let Some(mut own) = own else { return Some(of_class.clone()) };
    let none = SecretOrConfigMap::default();
    for (file, is_set, of_class) in [
        (&mut own.ca_file, own.safe.ca != none, &of_class.ca_file),
        (&mut own.cert_file, own.safe.cert != none, &of_class.cert_file),
        (&mut own.key_file, own.safe.key_secret.is_some(), &of_class.key_file),
    ] {
        if file.is_empty() && !is_set {
            file.clone_from(of_class);
        }
    }
    Some(own)
}

/// Whether discovery attaches metadata of nodes, if the resource or its class sets it. Sharding by zone needs it.
pub(crate) fn attaches_nodes(
    server: &Server<'_>,
    own: Option<&AttachMetadata>,
    class: Option<&ScrapeClass>,
) -> Option<bool> {
    if !server.zones().is_empty() && !server.offers.pod_topology_labels {
        return Some(true);
    }
    let metadata = own.or_else(|| class.and_then(|class| class.attach_metadata.as_ref()))?;
    Some(metadata.node.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::SecretKeySelector;

    use super::*;

    fn class(credentials: Option<&str>, file: &str) -> ScrapeClass {
        let credentials = credentials.map(secret);
        let safe = SafeAuthorization { type_: "Class".into(), credentials };
        let authorization = Authorization { safe, credentials_file: file.into() };
        ScrapeClass { authorization: Some(authorization), ..ScrapeClass::default() }
    }

    fn secret(name: &str) -> SecretKeySelector {
        SecretKeySelector { name: name.into(), key: "key".into(), ..SecretKeySelector::default() }
    }

    #[test]
    fn missing_credentials_come_from_the_class() {
        let own = |credentials: Option<&str>| SafeAuthorization {
            type_: "Own".into(),
            credentials: credentials.map(secret),
        };
        let expected = |credentials: Option<&str>, file: &str| {
            Some(Authorization { safe: own(credentials), credentials_file: file.into() })
        };
        for (credentials, class, expected) in [
            (Some("mine"), class(Some("other"), ""), expected(Some("mine"), "")),
            (None, class(Some("other"), "/file"), expected(Some("other"), "")),
            (None, class(None, "/file"), expected(None, "/file")),
            (None, ScrapeClass::default(), expected(None, "")),
        ] {
            let own = own(credentials);
            assert_eq!(authorization(Some(&own), Some(&class)), expected);
        }
        let class = class(Some("other"), "");
        let empty = SafeAuthorization::default();
        assert_eq!(authorization(Some(&empty), Some(&class)), class.authorization);
        assert_eq!(authorization(None, None), None);
    }

    #[test]
    fn missing_files_come_from_the_class() {
        let files = |name: &str| TlsConfig {
            ca_file: format!("{name}/ca"),
            cert_file: format!("{name}/cert"),
            key_file: format!("{name}/key"),
            ..TlsConfig::default()
        };
        let class = ScrapeClass { tls_config: Some(files("class")), ..ScrapeClass::default() };
        let merge = |own: TlsConfig| tls(Some(own), Some(&class));
        assert_eq!(merge(files("own")), Some(files("own")));
        assert_eq!(merge(TlsConfig::default()), Some(files("class")));
        let own = SafeTlsConfig {
            ca: SecretOrConfigMap { secret: Some(secret("ca")), config_map: None },
            key_secret: Some(secret("key")),
            ..SafeTlsConfig::default()
        };
        let expected =
            TlsConfig { safe: own.clone(), cert_file: "class/cert".into(), ..TlsConfig::default() };
        assert_eq!(safe_tls(Some(&own), Some(&class)), Some(expected));
        assert_eq!(safe_tls(Some(&SafeTlsConfig::default()), None), None);
        assert_eq!(tls(Some(TlsConfig::default()), None), Some(TlsConfig::default()));
    }
}
