//! Certificates in files that are renewed externally: a certificate with its key, and the authority of client certificates.
//! They are read at the start and reloaded when they change.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};
use tokio_util::sync::CancellationToken;

use super::algorithms::{AlgorithmError, Algorithms, TlsVersion};
use super::identity::{Pair, Presented, PrivateKey, TlsIdentity, TlsIdentityError};
use super::protection::{HTTP1, HTTP2, TlsRules};
use crate::clock;
use crate::telemetry::with_causes;

/// The TLS settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// The certificate, with intermediate certificates.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The authority of client certificates. If the file does not exist at the start, clients need none.
    pub client_authority: Option<PathBuf>,
    /// The interval between checks of the files; at least a second.
    pub check_every: Duration,
    /// The oldest version.
    pub oldest: TlsVersion,
    /// Cipher suites of TLS 1.2, by their names in Go; empty for the defaults.
    pub cipher_suites: BTreeSet<String>,
    /// Curves, by their names in Go; empty for the defaults.
    pub curves: BTreeSet<String>,
    /// Whether HTTP/2 is offered.
    pub http2: bool,
}

/// Why files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The algorithms cannot be used.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// A file cannot be read.
    #[error("cannot read {}", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// The certificate and the key cannot be used.
    #[error("{} and {} are not a certificate and its key", .0.display(), .1.display())]
    Pair(PathBuf, PathBuf, #[source] TlsIdentityError),
    /// The authority of clients cannot be read.
    #[error("{} holds no readable certificate", .0.display())]
    Authority(PathBuf, #[source] pem::Error),
    /// The authority of clients holds a certificate that cannot be used.
    #[error("{} holds a certificate that cannot sign those of clients", .0.display())]
    Signer(PathBuf, #[source] rustls::Error),
    /// The authority of clients is empty.
    #[error("{} holds no certificate that could sign those of clients", .0.display())]
    NoSigner(PathBuf, #[source] VerifierBuilderError),
    /// The settings are inconsistent.
    #[error("the TLS settings cannot be used")]
    Rules(#[source] rustls::Error),
}

/// The shortest interval between checks.
const SHORTEST: Duration = Duration::from_secs(1);

/// The content of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    pair: Pair,
    authority: Option<String>,
}

/// Certificate files, and the TLS configuration that follows from them.
#[derive(Debug)]
pub struct Certificates {
    settings: TlsSettings,
    algorithms: Algorithms,
    /// The content that the present configuration was made from.
    content: Content,
    rules: TlsRules,
}

impl Certificates {
    /// Reads the files for the first time. Warnings about the settings are logged.
    pub async fn read(mut settings: TlsSettings) -> Result<Self, CertificateError> {
        let (algorithms, warnings) =
            Algorithms::choose(settings.oldest, &settings.cipher_suites, &settings.curves)?;
        for warning in warnings {
            tracing::warn!("{warning}");
        }
        if let Some(path) = &settings.client_authority
            && !is_file(path).await
        {
            tracing::warn!(file = %path.display(), "the file does not exist: clients need no certificate");
            settings.client_authority = None;
        }
        let content = content(&settings).await?;
        let rules = TlsRules::new(config(&settings, &algorithms, &content)?);
        Ok(Self { settings, algorithms, content, rules })
    }

    /// The TLS configuration, which changes with the files.
    pub(super) fn rules(&self) -> TlsRules {
        self.rules.clone()
    }

    /// Reloads the files if they changed. Returns whether they did.
    pub(super) async fn reload(&mut self) -> Result<bool, CertificateError> {
        let content = content(&self.settings).await?;
        if content == self.content {
            return Ok(false);
        }
        self.rules.replace(config(&self.settings, &self.algorithms, &content)?);
        self.content = content;
        Ok(true)
    }

    /// Checks the files periodically, until `stop`. The same error is logged once.
    pub(super) async fn follow(mut self, stop: CancellationToken) {
        let every = self.settings.check_every.max(SHORTEST);
        let mut logged = None;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = clock::until(Some(clock::now() + every)) => {}
            }
            match self.reload().await {
                Ok(true) => {
                    tracing::info!(file = %self.settings.certificate.display(), "the certificate was reloaded");
                }
                Ok(false) => {}
                Err(error) => {
                    let error = with_causes(&error);
                    if logged.as_ref() != Some(&error) {
                        tracing::warn!(
                            "cannot reload the certificate, the previous one stays in use: {error}"
                        );
                    }
                    logged = Some(error);
                    continue;
                }
            }
            logged = None;
        }
    }
}

async fn is_file(path: &Path) -> bool {
    tokio::fs::metadata(path).await.is_ok_and(|metadata| metadata.is_file())
}

async fn content(settings: &TlsSettings) -> Result<Content, CertificateError> {
    let text = async |path: &PathBuf| {
        tokio::fs::read_to_string(path).await.map_err(|error| CertificateError::Read(path.clone(), error))
    };
    let pair = Pair {
        certificate: text(&settings.certificate).await?,
        key: PrivateKey::new(text(&settings.key).await?),
    };
    let authority = match &settings.client_authority {
        Some(path) => Some(text(path).await?),
        None => None,
    };
    Ok(Content { pair, authority })
}

/// The TLS configuration for the content of the files.
fn config(
    settings: &TlsSettings,
    algorithms: &Algorithms,
    content: &Content,
) -> Result<ServerConfig, CertificateError> {
    let provider = Arc::new(algorithms.provider.clone());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&algorithms.versions)
        .map_err(CertificateError::Rules)?;
    let builder = match settings.client_authority.as_ref().zip(content.authority.as_deref()) {
        None => builder.with_no_client_auth(),
        Some((path, authority)) => {
            let signers = Arc::new(signers(path, authority)?);
            let verifier = WebPkiClientVerifier::builder_with_provider(signers, provider);
            let verifier =
                verifier.build().map_err(|error| CertificateError::NoSigner(path.clone(), error))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let identity = TlsIdentity::of(&content.pair)
        .map_err(|error| CertificateError::Pair(settings.certificate.clone(), settings.key.clone(), error))?;
    let presented = Presented::default();
    presented.present(identity);
    let mut config = builder.with_cert_resolver(Arc::new(presented));
    config.alpn_protocols =
        if settings.http2 { vec![HTTP2.to_vec(), HTTP1.to_vec()] } else { vec![HTTP1.to_vec()] };
    Ok(config)
}

fn signers(path: &Path, authority: &str) -> Result<RootCertStore, CertificateError> {
    let mut signers = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority.as_bytes()) {
        let certificate = certificate.map_err(|error| CertificateError::Authority(path.to_owned(), error))?;
        signers.add(certificate).map_err(|error| CertificateError::Signer(path.to_owned(), error))?;
    }
    Ok(signers)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Directory, pair};
    use super::*;

    #[tokio::test]
    async fn missing_and_invalid_files_are_errors_at_the_start() {
        let directory = Directory::new();
        let settings = directory.settings();
        let error = async |settings: &TlsSettings| {
            with_causes(&Certificates::read(settings.clone()).await.unwrap_err())
                .replace(&directory.path().display().to_string(), "")
        };
        assert_eq!(error(&settings).await, "cannot read /tls.crt: No such file or directory (os error 2)");
        directory.write("tls.crt", "nonsense");
        directory.write("tls.key", "nonsense");
        assert_eq!(
            error(&settings).await,
            "/tls.crt and /tls.key are not a certificate and its key: cannot read the certificate or its key: \
             no items found"
        );
        let (one, other) = (pair(), pair());
        directory.write("tls.crt", &one.certificate);
        directory.write("tls.key", other.key.reveal());
        assert_eq!(
            error(&settings).await,
            "/tls.crt and /tls.key are not a certificate and its key: the certificate and its key cannot be used: \
             keys may not be consistent: KeyMismatch"
        );
        directory.put(&one);
        Certificates::read(settings.clone()).await.unwrap();
        directory.write("tls-ca.crt", "nonsense");
        assert_eq!(
            error(&settings).await,
            "/tls-ca.crt holds no certificate that could sign those of clients: no root trust anchors were provided"
        );
    }

    #[tokio::test]
    async fn only_valid_files_replace_the_previous_ones() {
        let directory = Directory::new();
        directory.put(&pair());
        let mut certificates = Certificates::read(directory.settings()).await.unwrap();
        let first = certificates.rules.current();
        assert!(!certificates.reload().await.unwrap());
        let next = pair();
        directory.write("tls.crt", &next.certificate);
        let mismatch = certificates.reload().await;
        assert!(matches!(mismatch, Err(CertificateError::Pair(..))), "{mismatch:?}");
        assert!(Arc::ptr_eq(&first, &certificates.rules.current()));
        directory.put(&next);
        assert!(certificates.reload().await.unwrap());
        assert!(!Arc::ptr_eq(&first, &certificates.rules.current()));
        std::fs::remove_file(directory.path().join("tls.key")).unwrap();
        assert!(matches!(certificates.reload().await, Err(CertificateError::Read(..))));
        // An authority that is added later does not reject clients that were accepted before.
        directory.put(&next);
        directory.write("tls-ca.crt", &next.certificate);
        assert!(!certificates.reload().await.unwrap());
    }
}
