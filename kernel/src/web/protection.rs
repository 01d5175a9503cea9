//! How connections are protected: not at all, or by the rules of TLS that are in force when they begin.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tokio_rustls::rustls::ServerConfig;

use super::certificates::Certificates;
use super::identity::{IdentityError, Presented, provider};

/// How connections are protected.
#[derive(Debug)]
pub enum Protection {
    /// Not at all.
    Clear,
    /// By TLS, with what somebody else presents and renews.
    Presented(Presented),
    /// By TLS, with certificates in files, which are looked at as long as the server runs.
    Files(Box<Certificates>),
}

/// The names of protocols in the handshake of TLS.
pub(super) const HTTP1: &[u8] = b"http/1.1";
pub(super) const HTTP2: &[u8] = b"h2";

/// Rules of a TLS server, as they are at present. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub(super) struct TlsRules(Arc<RwLock<Arc<ServerConfig>>>);

impl TlsRules {
    pub(super) fn new(config: ServerConfig) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(config))))
    }

    /// These are in force for connections that begin from now on. Nobody goes on with a session of before.
    pub(super) fn replace(&self, config: ServerConfig) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
    }

    /// Those in force.
    pub(super) fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A server that shows what is presented and asks nobody who they are.
    pub(super) fn presenting(presented: &Presented) -> Result<Self, IdentityError> {
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
