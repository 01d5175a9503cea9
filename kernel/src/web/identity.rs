//! The certificate that a server presents. It can be changed while connections are open: they continue, and new ones get the
//! new certificate.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use tokio_rustls::rustls;
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{self, CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsIdentityError {
    /// No certificate or key in the PEM.
    #[error("cannot read the certificate or its key")]
    Read(#[from] pki_types::pem::Error),
    /// They are not supported, or do not match.
    #[error("the certificate and its key cannot be used")]
    Use(#[from] rustls::Error),
}

/// A private key in PEM. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateKey(String);

impl PrivateKey {
    /// From PEM.
    pub fn new(pem: impl Into<String>) -> Self {
        Self(pem.into())
    }

    /// In PEM: only for the TLS library and for the Secret.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PrivateKey(…)")
    }
}

/// A certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// In PEM, with intermediate certificates.
    pub certificate: String,
    /// Its key.
    pub key: PrivateKey,
}

/// A certificate and its key, checked.
#[derive(Clone)]
pub struct TlsIdentity(Arc<CertifiedKey>);

impl TlsIdentity {
    /// Reads and checks a pair.
    pub fn of(pair: &Pair) -> Result<Self, TlsIdentityError> {
        let chain =
            CertificateDer::pem_slice_iter(pair.certificate.as_bytes()).collect::<Result<Vec<_>, _>>()?;
        let key = PrivateKeyDer::from_pem_slice(pair.key.reveal().as_bytes())?;
        // This also checks that the two match.
        Ok(Self(Arc::new(CertifiedKey::from_der(chain, key, &provider())?)))
    }
}

impl fmt::Debug for TlsIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TlsIdentity(…)")
    }
}

/// The certificate that is presented, shared by the server and the rotation. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Presented(Arc<RwLock<Option<TlsIdentity>>>);

impl Presented {
    /// Presents this certificate to new connections.
    pub fn present(&self, identity: TlsIdentity) {
        *self.0.write() = Some(identity);
    }
}

impl ResolvesServerCert for Presented {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().as_ref().map(|identity| Arc::clone(&identity.0))
    }
}

/// All algorithms of the TLS library.
pub(super) fn provider() -> CryptoProvider {
    aws_lc_rs::default_provider()
}

#[cfg(test)]
mod tests {
    use super::super::tests::pair;
    use super::*;

    #[test]
    fn a_certificate_needs_its_own_key() {
        let (one, other) = (pair(), pair());
        TlsIdentity::of(&one).unwrap();
        let mixed = Pair { key: other.key, ..one.clone() };
        assert!(matches!(TlsIdentity::of(&mixed), Err(TlsIdentityError::Use(_))));
        let empty = Pair { key: PrivateKey::new(""), ..one };
        assert!(matches!(TlsIdentity::of(&empty), Err(TlsIdentityError::Read(_))));
    }
}
