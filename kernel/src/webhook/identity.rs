//! What the server shows to those who connect. It can be changed while connections are open: they go on with what
//! they have seen, new ones see the new one.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{self, CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};

use super::bundle::Pair;

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// No certificate or key in the PEM.
    #[error("cannot read the certificate or its key")]
    Read(#[from] pki_types::pem::Error),
    /// They do not work, or do not belong together.
    #[error("the certificate and its key cannot be used")]
    Use(#[from] rustls::Error),
}

/// A certificate and its key, ready to be shown.
#[derive(Clone)]
pub struct Identity(Arc<CertifiedKey>);

impl Identity {
    /// Reads and checks a pair.
    pub fn of(pair: &Pair) -> Result<Self, IdentityError> {
        let chain =
            CertificateDer::pem_slice_iter(pair.certificate.as_bytes()).collect::<Result<Vec<_>, _>>()?;
        let key = PrivateKeyDer::from_pem_slice(pair.key.reveal().as_bytes())?;
        // It also finds out whether the two belong together.
        Ok(Self(Arc::new(CertifiedKey::from_der(chain, key, &provider())?)))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Identity(…)")
    }
}

/// What is shown at present, shared by the server and whoever renews it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Presented(Arc<RwLock<Option<Identity>>>);

impl Presented {
    /// Shows this from now on.
    pub fn present(&self, identity: Identity) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(identity);
    }

    /// The rules of a TLS server that shows it.
    pub(super) fn server(&self) -> Result<ServerConfig, IdentityError> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(self.clone()));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

impl ResolvesServerCert for Presented {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let present = self.0.read().unwrap_or_else(PoisonError::into_inner);
        present.as_ref().map(|identity| Arc::clone(&identity.0))
    }
}

fn provider() -> CryptoProvider {
    aws_lc_rs::default_provider()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::jiff::Timestamp;

    use super::super::bundle::{Bundle, PrivateKey};
    use super::super::renewal::Wanted;
    use super::*;

    #[test]
    fn only_what_belongs_together_is_shown() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let bundle = Bundle::make(now, &Wanted::names(["localhost"])).unwrap();
        Identity::of(&bundle.serving).unwrap();
        let mixed = Pair { key: bundle.authority.key.clone(), ..bundle.serving.clone() };
        assert!(matches!(Identity::of(&mixed), Err(IdentityError::Use(_))));
        let empty = Pair { key: PrivateKey::new(""), ..bundle.serving };
        assert!(matches!(Identity::of(&empty), Err(IdentityError::Read(_))));
    }
}
