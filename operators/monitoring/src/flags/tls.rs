//! What the TLS flags of the web server mean.

use go_syntax::quoted::Quoted;
use kernel::web::{TlsSettings, TlsVersion};

use crate::flags::web::WebFlags;

/// Why the TLS flags of the web server are rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// Client certificates are verified, and the server has no certificate.
    #[error("server key and certificate must be provided when a client CA is configured")]
    NoCertificate,
    /// There is a key without a certificate.
    #[error("--web.key-file needs --web.cert-file")]
    OnlyKey,
    /// There is a certificate without a key.
    #[error("--web.cert-file needs --web.key-file")]
    OnlyCertificate,
    /// There is no such version.
    #[error("invalid TLS version: unknown tls version {}", Quoted(.0))]
    UnknownVersion(String),
    /// The version is not safe.
    #[error("TLS version {} isn't supported", Quoted(.0))]
    UnsafeVersion(&'static str),
    /// There is no such cipher suite.
    #[error("failed to convert TLS cipher suite name to ID: Cipher suite {0} not supported or doesn't exist")]
    CipherSuite(String),
    /// There is no such curve.
    #[error("{} is not a supported curve value", Quoted(.0))]
    Curve(String),
}

const CURVES: [&str; 5] = ["CurveP256", "CurveP384", "CurveP521", "X25519", "X25519MLKEM768"];

/// The cipher suites that Go knows, including those that are not safe.
const CIPHER_SUITES: [&str; 27] = [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
    "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_RSA_WITH_RC4_128_SHA",
];

impl WebFlags {
    /// The settings of the server; nothing if TLS is off, or if there is neither certificate nor key.
    pub fn tls(&self) -> Result<Option<TlsSettings>, TlsError> {
        if !self.enable_tls {
            return Ok(None);
        }
        if self.certificate.is_none() && self.key.is_none() {
            return if self.client_authority.is_some() { Err(TlsError::NoCertificate) } else { Ok(None) };
        }
        let oldest = version(&self.min_version)?;
        if let Some(suite) = self.cipher_suites.iter().find(|name| !CIPHER_SUITES.contains(&name.as_str())) {
            return Err(TlsError::CipherSuite(suite.clone()));
        }
        if let Some(curve) = self.curves.iter().find(|name| !CURVES.contains(&name.as_str())) {
            return Err(TlsError::Curve(curve.clone()));
        }
        Ok(Some(TlsSettings {
            certificate: self.certificate.clone().ok_or(TlsError::OnlyKey)?,
            key: self.key.clone().ok_or(TlsError::OnlyCertificate)?,
            client_authority: self.client_authority.clone(),
            check_every: self.reload_interval,
            oldest,
            cipher_suites: self.cipher_suites.clone(),
            curves: self.curves.clone(),
            http2: self.http2,
        }))
    }
}

fn version(name: &str) -> Result<TlsVersion, TlsError> {
    match name {
        "" | "VersionTLS12" => Ok(TlsVersion::Tls12),
        "VersionTLS13" => Ok(TlsVersion::Tls13),
        "VersionTLS10" => Err(TlsError::UnsafeVersion("TLS 1.0")),
        "VersionTLS11" => Err(TlsError::UnsafeVersion("TLS 1.1")),
        other => Err(TlsError::UnknownVersion(other.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::*;

    fn web() -> WebFlags {
        WebFlags::new(":8443", true)
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn flags_become_settings() {
        let flags = WebFlags {
            http2: true,
            min_version: "VersionTLS12".to_owned(),
            cipher_suites: set(&["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]),
            curves: set(&["X25519", "CurveP521"]),
            ..web()
        };
        let expected = TlsSettings {
            certificate: "/etc/tls/private/tls.crt".into(),
            key: "/etc/tls/private/tls.key".into(),
            client_authority: Some("/etc/tls/private/tls-ca.crt".into()),
            check_every: Duration::from_mins(1),
            oldest: TlsVersion::Tls12,
            cipher_suites: set(&["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]),
            curves: set(&["X25519", "CurveP521"]),
            http2: true,
        };
        assert_eq!(flags.tls(), Ok(Some(expected)));
    }

    #[test]
    fn names_are_not_checked_if_tls_is_off() {
        let nonsense = || WebFlags { min_version: "new".to_owned(), curves: set(&["round"]), ..web() };
        assert_eq!(WebFlags { enable_tls: false, ..nonsense() }.tls(), Ok(None));
        let without = WebFlags { certificate: None, key: None, client_authority: None, ..nonsense() };
        assert_eq!(without.tls(), Ok(None));
    }

    #[test]
    fn invalid_settings_are_rejected() {
        for (web, words) in [
            (
                WebFlags { certificate: None, key: None, ..web() },
                "server key and certificate must be provided when a client CA is configured",
            ),
            (WebFlags { certificate: None, ..web() }, "--web.key-file needs --web.cert-file"),
            (WebFlags { key: None, ..web() }, "--web.cert-file needs --web.key-file"),
            (
                WebFlags { min_version: "new".to_owned(), ..web() },
                "invalid TLS version: unknown tls version \"new\"",
            ),
            (
                WebFlags { min_version: "VersionTLS11".to_owned(), ..web() },
                "TLS version \"TLS 1.1\" isn't supported",
            ),
            (
                WebFlags { cipher_suites: set(&["ROT13"]), ..web() },
                "failed to convert TLS cipher suite name to ID: Cipher suite ROT13 not supported or doesn't exist",
            ),
            (WebFlags { curves: set(&["round"]), ..web() }, "\"round\" is not a supported curve value"),
        ] {
            assert_eq!(web.tls().unwrap_err().to_string(), words);
        }
    }
}
