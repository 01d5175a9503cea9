//! What a scrape class adds to what a resource says itself.

use std::borrow::Cow;

use api_monitoring::auth::{Authorization, SafeAuthorization};
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::scrape::AttachMetadata;
use api_monitoring::text::ScrapeProtocol;
use api_monitoring::tls::{SafeTlsConfig, TlsConfig};
use formats::prometheus::Section;

use crate::server::Server;

/// `Authorization`: the resource's own, with the credentials of the class if it has none.
pub(crate) fn authorization<'a>(
    own: Option<&'a SafeAuthorization>,
    class: Option<&'a ScrapeClass>,
) -> Option<Cow<'a, Authorization>> {
    let of_class = class.and_then(|class| class.authorization.as_ref());
    let Some(own) = own.filter(|own| **own != SafeAuthorization::default()) else {
        return of_class.map(Cow::Borrowed);
    };
    let mut merged = Authorization { safe: own.clone(), credentials_file: String::new() };
    if let (None, Some(of_class)) = (&own.credentials, of_class) {
        merged.safe.credentials.clone_from(&of_class.safe.credentials);
        if merged.safe.credentials.is_none() {
            merged.credentials_file.clone_from(&of_class.credentials_file);
        }
    }
    Some(Cow::Owned(merged))
}

/// TLS of a resource that may not name files: nothing in it counts as no TLS at all.
pub(crate) fn safe_tls<'a>(
    own: Option<&'a SafeTlsConfig>,
    class: Option<&'a ScrapeClass>,
) -> Option<Cow<'a, TlsConfig>> {
    let own = own.filter(|own| **own != SafeTlsConfig::default());
    let own = own.map(|own| Cow::Owned(TlsConfig { safe: own.clone(), ..TlsConfig::default() }));
    merged(own, class)
}

/// TLS of a resource that may name files.
pub(crate) fn tls<'a>(
    own: Option<&'a TlsConfig>,
    class: Option<&'a ScrapeClass>,
) -> Option<Cow<'a, TlsConfig>> {
    merged(own.map(Cow::Borrowed), class)
}

/// The resource's own, with the files of the class where it has none.
fn merged<'a>(own: Option<Cow<'a, TlsConfig>>, class: Option<&'a ScrapeClass>) -> Option<Cow<'a, TlsConfig>> {
    let of_class = class.and_then(|class| class.tls_config.as_ref());
    let (Some(mut own), Some(of_class)) = (own.clone(), of_class) else {
        return own.or(of_class.map(Cow::Borrowed));
    };
    let none = SecretOrConfigMap::default();
    if own.ca_file.is_empty() && own.safe.ca == none && !of_class.ca_file.is_empty() {
        own.to_mut().ca_file.clone_from(&of_class.ca_file);
    }
    if own.cert_file.is_empty() && own.safe.cert == none && !of_class.cert_file.is_empty() {
        own.to_mut().cert_file.clone_from(&of_class.cert_file);
    }
    if own.key_file.is_empty() && own.safe.key_secret.is_none() && !of_class.key_file.is_empty() {
        own.to_mut().key_file.clone_from(&of_class.key_file);
    }
    Some(own)
}

/// Whether discovery attaches what is known about nodes, if anybody says so. To find the zone of a target it must.
pub(crate) fn attaches_nodes(
    server: &Server<'_>,
    own: Option<&AttachMetadata>,
    class: Option<&ScrapeClass>,
) -> Option<bool> {
    if !server.zones().is_empty() && !server.offers.pod_topology_labels {
        return Some(true);
    }
    let asked = own.or_else(|| class.and_then(|class| class.attach_metadata.as_ref()))?;
    Some(asked.node.unwrap_or_default())
}

/// `fallback_scrape_protocol`.
pub(crate) fn put_fallback_protocol(
    section: &mut Section<'_, '_>,
    own: Option<&ScrapeProtocol>,
    class: Option<&ScrapeClass>,
) {
    let protocol = own.or_else(|| class.and_then(|class| class.fallback_scrape_protocol.as_ref()));
    section.put_some("fallback_scrape_protocol", protocol.map(ToString::to_string));
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
    fn credentials_of_the_class_fill_a_gap() {
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
            assert_eq!(authorization(Some(&own), Some(&class)).map(Cow::into_owned), expected);
        }
        let class = class(Some("other"), "");
        let empty = SafeAuthorization::default();
        assert_eq!(authorization(Some(&empty), Some(&class)).as_deref(), class.authorization.as_ref());
        assert_eq!(authorization(None, None), None);
    }

    #[test]
    fn files_of_the_class_fill_gaps() {
        let files = |name: &str| TlsConfig {
            ca_file: format!("{name}/ca"),
            cert_file: format!("{name}/cert"),
            key_file: format!("{name}/key"),
            ..TlsConfig::default()
        };
        let class = ScrapeClass { tls_config: Some(files("class")), ..ScrapeClass::default() };
        let merge = |own: &TlsConfig| tls(Some(own), Some(&class)).map(Cow::into_owned);
        assert_eq!(merge(&files("own")), Some(files("own")));
        assert_eq!(merge(&TlsConfig::default()), Some(files("class")));
        let own = SafeTlsConfig {
            ca: SecretOrConfigMap { secret: Some(secret("ca")), config_map: None },
            key_secret: Some(secret("key")),
            ..SafeTlsConfig::default()
        };
        let expected =
            TlsConfig { safe: own.clone(), cert_file: "class/cert".into(), ..TlsConfig::default() };
        assert_eq!(safe_tls(Some(&own), Some(&class)).map(Cow::into_owned), Some(expected));
        assert_eq!(safe_tls(Some(&SafeTlsConfig::default()), None), None);
        assert_eq!(tls(Some(&TlsConfig::default()), None).map(Cow::into_owned), Some(TlsConfig::default()));
    }
}
