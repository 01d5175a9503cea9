//! Checks of TLS settings.

use api_monitoring::alertmanager::ClusterTlsConfig;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::web::WebTlsConfig;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_select::{Problem, tls};

use crate::web::volume_name::NotAVolumeName;

/// Settings that contradict each other, or are incomplete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebConfigError {
    /// The CA of clients is set twice.
    #[error("cannot specify both clientCAFile and clientCA")]
    AuthorityTwice,
    /// The CA of clients refers to two objects.
    #[error("invalid client CA: cannot specify both Secret and ConfigMap")]
    AuthorityFromBoth,
    /// The certificate is set twice.
    #[error("cannot specify both cert and certFile")]
    CertificateTwice,
    /// The certificate refers to two objects.
    #[error("invalid TLS certificate: cannot specify both Secret and ConfigMap")]
    CertificateFromBoth,
    /// The key is set twice.
    #[error("cannot specify both keyFile and keySecret")]
    KeyTwice,
    /// There is no key.
    #[error("TLS private key must be defined")]
    NoKey,
    /// There is no certificate.
    #[error("TLS certificate must be defined")]
    NoCertificate,
    /// The settings of incoming connections of peers are invalid.
    #[error("invalid server TLS configuration: {0}")]
    Server(Box<Self>),
    /// The settings of outgoing connections to peers are invalid.
    #[error("invalid client TLS configuration: {0}")]
    Client(Box<Problem>),
    /// Outgoing connections to peers have no certificate.
    #[error("invalid client TLS configuration: certificate is required")]
    ClientCertificateRequired,
    /// A volume cannot be named.
    #[error(transparent)]
    VolumeName(#[from] NotAVolumeName),
}

/// Checks the TLS settings of a web server.
pub(crate) fn server(tls: &WebTlsConfig) -> Result<(), WebConfigError> {
    let given = |file: &Option<String>| file.as_ref().is_some_and(|file| !file.is_empty());
    let has_certificate = tls.cert != SecretOrConfigMap::default();
    let has_key = tls.key_secret != SecretKeySelector::default();
    if tls.client_ca != SecretOrConfigMap::default() {
        if given(&tls.client_ca_file) {
            return Err(WebConfigError::AuthorityTwice);
        }
        if from_both(&tls.client_ca) {
            return Err(WebConfigError::AuthorityFromBoth);
        }
    }
    if has_certificate {
        if given(&tls.cert_file) {
            return Err(WebConfigError::CertificateTwice);
        }
        if from_both(&tls.cert) {
            return Err(WebConfigError::CertificateFromBoth);
        }
    }
    match (given(&tls.key_file), has_key) {
        (true, true) => return Err(WebConfigError::KeyTwice),
        (false, false) => return Err(WebConfigError::NoKey),
        (true, false) | (false, true) => {}
    }
    if !given(&tls.cert_file) && !has_certificate {
        return Err(WebConfigError::NoCertificate);
    }
    Ok(())
}

/// Checks the TLS settings of connections between peers; the key of outgoing connections.
pub(crate) fn cluster(tls: &ClusterTlsConfig) -> Result<&SecretKeySelector, WebConfigError> {
    server(&tls.server).map_err(|invalid| WebConfigError::Server(Box::new(invalid)))?;
    tls::check_safe(&tls.client).map_err(|problem| WebConfigError::Client(Box::new(problem)))?;
    tls.client.key_secret.as_ref().ok_or(WebConfigError::ClientCertificateRequired)
}

fn from_both(selector: &SecretOrConfigMap) -> bool {
    selector.secret.is_some() && selector.config_map.is_some()
}

#[cfg(test)]
mod tests {
    use api_monitoring::tls::SafeTlsConfig;
    use k8s_openapi::api::core::v1::ConfigMapKeySelector;

    use super::*;

    fn key(name: &str) -> SecretKeySelector {
        SecretKeySelector { name: name.into(), key: "k".into(), optional: None }
    }

    fn secret() -> SecretOrConfigMap {
        SecretOrConfigMap { secret: Some(key("s")), config_map: None }
    }

    fn both() -> SecretOrConfigMap {
        SecretOrConfigMap { config_map: Some(ConfigMapKeySelector::default()), ..secret() }
    }

    fn good() -> WebTlsConfig {
        WebTlsConfig { cert: secret(), key_secret: key("s"), ..WebTlsConfig::default() }
    }

    fn file() -> String {
        "/file".into()
    }

    #[test]
    fn a_server_needs_one_key_and_one_certificate() {
        for (tls, expected) in [
            (good(), Ok(())),
            (WebTlsConfig { cert_file: Some(String::new()), ..good() }, Ok(())),
            (
                WebTlsConfig { client_ca: secret(), client_ca_file: Some(file()), ..good() },
                Err(WebConfigError::AuthorityTwice),
            ),
            (WebTlsConfig { client_ca: both(), ..good() }, Err(WebConfigError::AuthorityFromBoth)),
            (WebTlsConfig { cert_file: Some(file()), ..good() }, Err(WebConfigError::CertificateTwice)),
            (WebTlsConfig { cert: both(), ..good() }, Err(WebConfigError::CertificateFromBoth)),
            (WebTlsConfig { key_file: Some(file()), ..good() }, Err(WebConfigError::KeyTwice)),
            (WebTlsConfig { key_secret: SecretKeySelector::default(), ..good() }, Err(WebConfigError::NoKey)),
            (
                WebTlsConfig { cert: SecretOrConfigMap::default(), ..good() },
                Err(WebConfigError::NoCertificate),
            ),
        ] {
            assert_eq!(server(&tls), expected, "{tls:?}");
        }
    }

    #[test]
    fn peers_need_a_certificate_on_both_sides() {
        let client = SafeTlsConfig { cert: secret(), key_secret: Some(key("s")), ..SafeTlsConfig::default() };
        let checked = |server: WebTlsConfig, client: SafeTlsConfig| {
            cluster(&ClusterTlsConfig { server, client }).map(|_| ()).map_err(|invalid| invalid.to_string())
        };
        let rejected = |text: &str| Err(text.to_owned());
        assert_eq!(checked(good(), client.clone()), Ok(()));
        assert_eq!(
            checked(WebTlsConfig::default(), client.clone()),
            rejected("invalid server TLS configuration: TLS private key must be defined")
        );
        for (client, text) in [
            (SafeTlsConfig::default(), "certificate is required"),
            (
                SafeTlsConfig { key_secret: None, ..client.clone() },
                "client cert specified without client key",
            ),
            (
                SafeTlsConfig { cert: SecretOrConfigMap::default(), ..client.clone() },
                "client key specified without client cert",
            ),
            (
                SafeTlsConfig { ca: both(), ..client.clone() },
                "ca <secret=s,key=k>: cannot specify both Secret and ConfigMap",
            ),
            (
                SafeTlsConfig { cert: both(), ..client.clone() },
                "cert <secret=s,key=k>: cannot specify both Secret and ConfigMap",
            ),
            (
                SafeTlsConfig {
                    min_version: Some("TLS13".into()),
                    max_version: Some("TLS12".into()),
                    ..client.clone()
                },
                "maxVersion must more than or equal to minVersion",
            ),
        ] {
            assert_eq!(
                checked(good(), client),
                rejected(&format!("invalid client TLS configuration: {text}"))
            );
        }
    }
}
