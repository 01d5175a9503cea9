//! TLS settings of clients: rules between their fields.

use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::tls::{SafeTlsConfig, TlsConfig};

use crate::problem::{Problem, Within, broken};

/// A selector, as the Prometheus Operator shows it.
pub(crate) fn shown(selector: &SecretOrConfigMap) -> String {
    match (&selector.secret, &selector.config_map) {
        (Some(secret), _) => format!("<secret={},key={}>", secret.name, secret.key),
        (None, Some(map)) => format!("<configmap={},key={}>", map.name, map.key),
        (None, None) => "<empty>".to_owned(),
    }
}

/// Whether a selector names a Secret or a ConfigMap.
pub(crate) fn is_set(selector: &SecretOrConfigMap) -> bool {
    selector.secret.is_some() || selector.config_map.is_some()
}

/// Checks that a selector does not name both a Secret and a ConfigMap.
pub(crate) fn check_selector(selector: &SecretOrConfigMap) -> Result<(), Problem> {
    if selector.secret.is_some() && selector.config_map.is_some() {
        return broken("cannot specify both Secret and ConfigMap");
    }
    Ok(())
}

/// Checks settings from Secrets and ConfigMaps without reading them.
pub fn check_safe(tls: &SafeTlsConfig) -> Result<(), Problem> {
    check_shared(tls)?;
    match (is_set(&tls.cert), tls.key_secret.is_some()) {
        (true, false) => broken("client cert specified without client key"),
        (false, true) => broken("client key specified without client cert"),
        (true, true) | (false, false) => Ok(()),
    }
}

/// Checks settings from Secrets, ConfigMaps or files without reading them.
pub fn check(tls: &TlsConfig) -> Result<(), Problem> {
    let safe = &tls.safe;
    check_shared(safe)?;
    for (file, path, object, is_set) in [
        ("caFile", &tls.ca_file, "ca", is_set(&safe.ca)),
        ("certFile", &tls.cert_file, "cert", is_set(&safe.cert)),
        ("keyFile", &tls.key_file, "keySecret", safe.key_secret.is_some()),
    ] {
        if is_set && !path.is_empty() {
            return broken(format!("cannot specify both '{file}' and '{object}'"));
        }
    }
    let has_certificate = is_set(&safe.cert) || !tls.cert_file.is_empty();
    let has_key = safe.key_secret.is_some() || !tls.key_file.is_empty();
    match (has_certificate, has_key) {
        (true, false) => broken("cannot specify client cert without client key"),
        (false, true) => broken("cannot specify client key without client cert"),
        (true, true) | (false, false) => Ok(()),
    }
}

fn check_shared(tls: &SafeTlsConfig) -> Result<(), Problem> {
    for (name, selector) in [("ca", &tls.ca), ("cert", &tls.cert)] {
        check_selector(selector).within(format_args!("{name} {}", shown(selector)))?;
    }
    // The names of the versions are in the order of the versions.
    if let (Some(most), Some(least)) = (&tls.max_version, &tls.min_version)
        && most < least
    {
        return broken("maxVersion must more than or equal to minVersion");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use api_monitoring::text::TlsVersion;
    use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};

    use super::*;

    fn secret() -> SecretOrConfigMap {
        let secret = SecretKeySelector { name: "s".into(), key: "k".into(), optional: None };
        SecretOrConfigMap { secret: Some(secret), config_map: None }
    }

    fn both() -> SecretOrConfigMap {
        SecretOrConfigMap { config_map: Some(ConfigMapKeySelector::default()), ..secret() }
    }

    #[test]
    fn a_certificate_needs_a_key() {
        let key = secret().secret;
        for (tls, words) in [
            (
                SafeTlsConfig { ca: both(), ..SafeTlsConfig::default() },
                "ca <secret=s,key=k>: cannot specify both Secret and ConfigMap",
            ),
            (
                SafeTlsConfig { cert: both(), ..SafeTlsConfig::default() },
                "cert <secret=s,key=k>: cannot specify both Secret and ConfigMap",
            ),
            (
                SafeTlsConfig { cert: secret(), ..SafeTlsConfig::default() },
                "client cert specified without client key",
            ),
            (
                SafeTlsConfig { key_secret: key.clone(), ..SafeTlsConfig::default() },
                "client key specified without client cert",
            ),
            (
                SafeTlsConfig {
                    min_version: Some(TlsVersion::from("TLS13")),
                    max_version: Some(TlsVersion::from("TLS12")),
                    ..SafeTlsConfig::default()
                },
                "maxVersion must more than or equal to minVersion",
            ),
        ] {
            assert_eq!(check_safe(&tls).unwrap_err().to_string(), words);
        }
        let good = SafeTlsConfig { cert: secret(), key_secret: key, ..SafeTlsConfig::default() };
        assert_eq!(check_safe(&good), Ok(()));
    }

    #[test]
    fn a_file_or_a_secret_but_not_both() {
        let safe = SafeTlsConfig {
            ca: secret(),
            cert: secret(),
            key_secret: secret().secret,
            ..SafeTlsConfig::default()
        };
        let file = || "file".to_owned();
        let with_safe = TlsConfig { safe, ..TlsConfig::default() };
        let good = TlsConfig { ca_file: file(), cert_file: file(), key_file: file(), ..TlsConfig::default() };
        assert_eq!((check(&with_safe), check(&good)), (Ok(()), Ok(())));
        for (tls, words) in [
            (TlsConfig { ca_file: file(), ..with_safe.clone() }, "cannot specify both 'caFile' and 'ca'"),
            (
                TlsConfig { cert_file: file(), ..with_safe.clone() },
                "cannot specify both 'certFile' and 'cert'",
            ),
            (TlsConfig { key_file: file(), ..with_safe }, "cannot specify both 'keyFile' and 'keySecret'"),
            (
                TlsConfig { cert_file: file(), ..TlsConfig::default() },
                "cannot specify client cert without client key",
            ),
            (
                TlsConfig { key_file: file(), ..TlsConfig::default() },
                "cannot specify client key without client cert",
            ),
        ] {
            assert_eq!(check(&tls).unwrap_err().to_string(), words);
        }
    }
}
