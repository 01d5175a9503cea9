//! TLS without verification of certificates: the certificate of a pod is issued for another name than its address, and
//! nothing secret is sent to it.

use std::sync::{Arc, LazyLock};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};

/// Connects to servers with any certificate.
pub(super) fn connector() -> Result<TlsConnector, Error> {
    static CONNECTOR: LazyLock<Result<TlsConnector, Error>> = LazyLock::new(|| {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)))
    });
    CONNECTOR.clone()
}

/// Accepts every certificate. The signature of the handshake is not verified either: any server could present a
/// certificate of its own, and the key of a certificate of version 1 cannot be read.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
    use tokio_rustls::rustls::version::{TLS12, TLS13};

    use super::*;

    #[tokio::test]
    async fn a_certificate_of_version_1_is_accepted() {
        let both = include_bytes!("../../../reloader/src/server/tls/version-1.pem");
        let certificate = CertificateDer::from_pem_slice(both).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let key = PrivateKeyDer::from_pem_slice(both).unwrap();
        let key = provider.key_provider.load_private_key(key).unwrap();
        let presented = Arc::new(SingleCertAndKey::from(CertifiedKey::new(vec![certificate], key)));
        for version in [&TLS12, &TLS13] {
            let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
                .with_protocol_versions(&[version])
                .unwrap()
                .with_no_client_auth()
                .with_cert_resolver(presented.clone());
            let (ours, theirs) = tokio::io::duplex(16 * 1024);
            let (accepted, _) = tokio::join!(
                connector().unwrap().connect(ServerName::try_from("pod").unwrap(), ours),
                TlsAcceptor::from(Arc::new(config)).accept(theirs),
            );
            assert_eq!(accepted.map(|_| ()).map_err(|error| error.to_string()), Ok(()));
        }
    }
}
