//! Whether connections use TLS, and with which configuration.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use tokio_rustls::rustls::ServerConfig;

use super::certificates::Certificates;
use super::identity::{Presented, TlsIdentityError, provider};

/// Whether connections use TLS.
#[derive(Debug)]
pub enum Protection {
    /// No TLS.
    Clear,
    /// TLS with a certificate that a rotation presents.
    Presented(Presented),
    /// TLS with certificates in files, which are reloaded while the server runs.
    Files(Box<Certificates>),
}

/// ALPN names.
pub(super) const HTTP1: &[u8] = b"http/1.1";
pub(super) const HTTP2: &[u8] = b"h2";

/// The present configuration of a TLS server. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub(super) struct TlsRules(Arc<RwLock<Arc<ServerConfig>>>);

impl TlsRules {
    pub(super) fn new(config: ServerConfig) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(config))))
    }

    /// Uses another configuration for new connections. Earlier sessions cannot be resumed.
    pub(super) fn replace(&self, config: ServerConfig) {
        *self.0.write() = Arc::new(config);
    }

    /// The present configuration.
    pub(super) fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.read())
    }

    /// A server without client certificates.
    pub(super) fn presenting(presented: &Presented) -> Result<Self, TlsIdentityError> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(presented.clone()));
        config.alpn_protocols = vec![HTTP1.to_vec()];
        Ok(Self::new(config))
    }
}

impl fmt::Debug for TlsRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TlsRules(…)")
    }
}
