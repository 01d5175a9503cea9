//! Certificates in files that somebody else renews: a certificate with its key, and who signs the certificates of
//! clients. They are read at the start and looked at again and again.

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
use super::identity::{Identity, IdentityError, Pair, Presented, PrivateKey};
use super::protection::{HTTP1, HTTP2, TlsRules};
use crate::clock;

/// How a server speaks TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// The certificate, with those between it and the authority.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// Who signs the certificates of clients. If there is no such file at the start, clients need none.
    pub client_authority: Option<PathBuf>,
    /// How long until the files are looked at again; a second at least.
    pub look_every: Duration,
    /// The oldest version that is spoken.
    pub oldest: TlsVersion,
    /// Cipher suites of TLS 1.2, as Go names them; none for the usual ones.
    pub cipher_suites: BTreeSet<String>,
    /// Curves, as Go names them; none for the usual ones.
    pub curves: BTreeSet<String>,
    /// Whether HTTP/2 is offered.
    pub http2: bool,
}

/// Why files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// What is asked for cannot be spoken.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// A file cannot be read.
    #[error("cannot read {}", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// The certificate and the key cannot be used.
    #[error("{} and {} are no certificate with its key", .0.display(), .1.display())]
    Pair(PathBuf, PathBuf, #[source] IdentityError),
    /// The authority of clients cannot be read.
    #[error("{} holds no readable certificate", .0.display())]
    Authority(PathBuf, #[source] pem::Error),
    /// The authority of clients holds a certificate that cannot be used.
    #[error("{} holds a certificate that cannot sign those of clients", .0.display())]
    Signer(PathBuf, #[source] rustls::Error),
    /// The authority of clients is empty.
    #[error("{} holds no certificate that could sign those of clients", .0.display())]
    NoSigner(PathBuf, #[source] VerifierBuilderError),
    /// The rules contradict each other.
    #[error("TLS cannot be spoken as asked")]
    Rules(#[source] rustls::Error),
}

/// Looking at them for less long apart would only cost.
const BRIEFEST: Duration = Duration::from_secs(1);

/// What the files hold.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    pair: Pair,
    authority: Option<String>,
}

/// Files with certificates, and the rules of TLS that follow from them.
#[derive(Debug)]
pub struct Certificates {
    settings: TlsSettings,
    algorithms: Algorithms,
    /// What the rules in force were made from.
    content: Content,
    rules: TlsRules,
}

impl Certificates {
    /// Reads the files for the first time. What should be known about the settings is said in the log.
    pub async fn read(mut settings: TlsSettings) -> Result<Self, CertificateError> {
        let (algorithms, warnings) =
            Algorithms::choose(settings.oldest, &settings.cipher_suites, &settings.curves)?;
        for warning in warnings {
            tracing::warn!("{warning}");
        }
        if let Some(path) = &settings.client_authority
            && !is_file(path).await
        {
            tracing::warn!(file = %path.display(), "there is no such file: clients need no certificate");
            settings.client_authority = None;
        }
        let content = content(&settings).await?;
        let rules = TlsRules::new(config(&settings, &algorithms, &content)?);
        Ok(Self { settings, algorithms, content, rules })
    }

    /// The rules of TLS, which change when the files do.
    pub(super) fn rules(&self) -> TlsRules {
        self.rules.clone()
    }

    /// Looks once. Says whether something new is in force.
    pub(super) async fn look(&mut self) -> Result<bool, CertificateError> {
        let content = content(&self.settings).await?;
        if content == self.content {
            return Ok(false);
        }
        self.rules.replace(config(&self.settings, &self.algorithms, &content)?);
        self.content = content;
        Ok(true)
    }

    /// Looks again and again, until `stop`. Of the same trouble it is said once.
    pub(super) async fn follow(mut self, stop: CancellationToken) {
        let every = self.settings.look_every.max(BRIEFEST);
        let mut said = None;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = clock::until(Some(clock::now() + every)) => {}
            }
            match self.look().await {
                Ok(true) => {
                    tracing::info!(file = %self.settings.certificate.display(), "a new certificate is shown");
                }
                Ok(false) => {}
                Err(error) => {
                    let words = words(&error);
                    if said.as_ref() != Some(&words) {
                        tracing::warn!("the certificate of before is still shown: {words}");
                    }
                    said = Some(words);
                    continue;
                }
            }
            said = None;
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

/// The rules that follow from what the files hold.
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
    let identity = Identity::of(&content.pair)
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

/// An error with its causes.
fn words(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |words, cause| format!("{words}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Directory, pair};
    use super::*;

    #[tokio::test]
    async fn what_is_missing_or_broken_at_the_start_is_named() {
        let directory = Directory::new();
        let settings = directory.settings();
        let refusal = async |settings: &TlsSettings| {
            words(&Certificates::read(settings.clone()).await.unwrap_err())
                .replace(&directory.path().display().to_string(), "")
        };
        assert_eq!(refusal(&settings).await, "cannot read /tls.crt: No such file or directory (os error 2)");
        directory.write("tls.crt", "nonsense");
        directory.write("tls.key", "nonsense");
        assert_eq!(
            refusal(&settings).await,
            "/tls.crt and /tls.key are no certificate with its key: cannot read the certificate or its key: \
             no items found"
        );
        let (one, other) = (pair(), pair());
        directory.write("tls.crt", &one.certificate);
        directory.write("tls.key", other.key.reveal());
        assert_eq!(
            refusal(&settings).await,
            "/tls.crt and /tls.key are no certificate with its key: the certificate and its key cannot be used: \
             keys may not be consistent: KeyMismatch"
        );
        directory.put(&one);
        Certificates::read(settings.clone()).await.unwrap();
        directory.write("tls-ca.crt", "nonsense");
        assert_eq!(
            refusal(&settings).await,
            "/tls-ca.crt holds no certificate that could sign those of clients: no root trust anchors were provided"
        );
    }

    #[tokio::test]
    async fn only_what_can_be_used_takes_the_place_of_what_was_there() {
        let directory = Directory::new();
        directory.put(&pair());
        let mut certificates = Certificates::read(directory.settings()).await.unwrap();
        let first = certificates.rules.current();
        assert!(!certificates.look().await.unwrap());
        let next = pair();
        directory.write("tls.crt", &next.certificate);
        assert!(matches!(certificates.look().await, Err(CertificateError::Pair(..))), "half of it is new");
        assert!(Arc::ptr_eq(&first, &certificates.rules.current()));
        directory.put(&next);
        assert!(certificates.look().await.unwrap());
        assert!(!Arc::ptr_eq(&first, &certificates.rules.current()));
        std::fs::remove_file(directory.path().join("tls.key")).unwrap();
        assert!(matches!(certificates.look().await, Err(CertificateError::Read(..))));
        // Who comes later does not turn away clients that could come before.
        directory.put(&next);
        directory.write("tls-ca.crt", &next.certificate);
        assert!(!certificates.look().await.unwrap());
    }
}
