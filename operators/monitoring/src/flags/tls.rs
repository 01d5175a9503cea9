//! How the web server speaks TLS.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use go_syntax::quoted::Quoted;

use crate::flags::web::Web;

/// How the web server speaks TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificate; without it, the key cannot be used.
    pub certificate: Option<PathBuf>,
    /// The key of the certificate; without it, the certificate cannot be used.
    pub key: Option<PathBuf>,
    /// Who signs the certificates of clients. If there is no such file, clients need none.
    pub client_authority: Option<PathBuf>,
    /// How long until the files are looked at again.
    pub reload_interval: Duration,
    /// The oldest version.
    pub min_version: TlsVersion,
    /// The cipher suites of TLS 1.2, as Go names them; empty for the usual ones.
    pub cipher_suites: BTreeSet<String>,
    /// The curves; empty for the usual ones.
    pub curves: BTreeSet<Curve>,
}

/// A version of TLS that is still safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
}

/// How keys are agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Curve {
    /// secp256r1.
    P256,
    /// secp384r1.
    P384,
    /// secp521r1.
    P521,
    /// X25519.
    X25519,
    /// X25519 with ML-KEM-768.
    X25519MlKem768,
}

/// Why the web server cannot be protected as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// Clients cannot be known before the server is.
    #[error("server key and certificate must be provided when a client CA is configured")]
    NoCertificate,
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

const CURVES: [(&str, Curve); 5] = [
    ("CurveP256", Curve::P256),
    ("CurveP384", Curve::P384),
    ("CurveP521", Curve::P521),
    ("X25519", Curve::X25519),
    ("X25519MLKEM768", Curve::X25519MlKem768),
];

/// The cipher suites that Go knows, also those that are not safe.
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

impl Web {
    /// How TLS is spoken. Nothing, if it is off, or if there is neither certificate nor key.
    pub fn tls(&self) -> Result<Option<Tls>, TlsError> {
        if !self.enable_tls {
            return Ok(None);
        }
        if self.certificate.is_none() && self.key.is_none() {
            return if self.client_authority.is_some() { Err(TlsError::NoCertificate) } else { Ok(None) };
        }
        let min_version = version(&self.min_version)?;
        let unknown = |suite: &&String| !CIPHER_SUITES.contains(&suite.as_str());
        if let Some(suite) = self.cipher_suites.iter().find(unknown) {
            return Err(TlsError::CipherSuite(suite.clone()));
        }
        Ok(Some(Tls {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            client_authority: self.client_authority.clone(),
            reload_interval: self.reload_interval,
            min_version,
            cipher_suites: self.cipher_suites.clone(),
            curves: self.curves.iter().map(|name| curve(name)).collect::<Result<_, _>>()?,
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

fn curve(name: &str) -> Result<Curve, TlsError> {
    let found = CURVES.iter().find(|(known, _)| *known == name);
    found.map(|(_, curve)| *curve).ok_or_else(|| TlsError::Curve(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web() -> Web {
        Web::new(":8443", true)
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_asked_for_is_understood() {
        let asked = Web {
            min_version: "VersionTLS12".to_owned(),
            cipher_suites: set(&["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]),
            curves: set(&["X25519", "CurveP521"]),
            ..web()
        };
        let expected = Tls {
            certificate: Some("/etc/tls/private/tls.crt".into()),
            key: Some("/etc/tls/private/tls.key".into()),
            client_authority: Some("/etc/tls/private/tls-ca.crt".into()),
            reload_interval: Duration::from_mins(1),
            min_version: TlsVersion::Tls12,
            cipher_suites: set(&["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]),
            curves: BTreeSet::from([Curve::P521, Curve::X25519]),
        };
        assert_eq!(asked.tls(), Ok(Some(expected)));
    }

    #[test]
    fn names_do_not_matter_while_it_is_off() {
        let nonsense = || Web { min_version: "new".to_owned(), curves: set(&["round"]), ..web() };
        assert_eq!(Web { enable_tls: false, ..nonsense() }.tls(), Ok(None));
        let without = Web { certificate: None, key: None, client_authority: None, ..nonsense() };
        assert_eq!(without.tls(), Ok(None));
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (web, words) in [
            (
                Web { certificate: None, key: None, ..web() },
                "server key and certificate must be provided when a client CA is configured",
            ),
            (
                Web { min_version: "new".to_owned(), ..web() },
                "invalid TLS version: unknown tls version \"new\"",
            ),
            (
                Web { min_version: "VersionTLS11".to_owned(), ..web() },
                "TLS version \"TLS 1.1\" isn't supported",
            ),
            (
                Web { cipher_suites: set(&["ROT13"]), ..web() },
                "failed to convert TLS cipher suite name to ID: Cipher suite ROT13 not supported or doesn't exist",
            ),
            (Web { curves: set(&["round"]), ..web() }, "\"round\" is not a supported curve value"),
        ] {
            assert_eq!(web.tls().unwrap_err().to_string(), words);
        }
    }
}
