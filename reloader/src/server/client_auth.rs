//! Verifies the certificates of clients.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme,
};
use webpki::EndEntityCert;

use super::web_config;

/// What a client has to present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientAuth {
    /// Nothing.
    Nothing,
    /// A certificate.
    Certificate {
        /// Clients without one are rejected.
        mandatory: bool,
        /// The certificate has to be signed by a known authority.
        verified: bool,
    },
}

impl ClientAuth {
    /// Parses the names that Go uses.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let certificate = |mandatory, verified| Some(Self::Certificate { mandatory, verified });
        match name {
            "" | "NoClientCert" => Some(Self::Nothing),
            "RequestClientCert" => certificate(false, false),
            "RequireAnyClientCert" | "RequireClientCert" => certificate(true, false),
            "VerifyClientCertIfGiven" => certificate(false, true),
            "RequireAndVerifyClientCert" => certificate(true, true),
            _ => None,
        }
    }
}

/// A verifier for clients. A certificate has to be signed by one of the authorities and to contain one of the allowed
/// names, if these are set.
pub(super) fn verifier(
    client_auth: ClientAuth,
    authorities: Option<RootCertStore>,
    allowed: Option<Vec<String>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, web_config::Error> {
    let signed = authorities
        .map(|roots| WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build())
        .transpose()
        .map_err(|_| web_config::Error::Pem("client_ca or client_ca_file"))?;
    Ok(Arc::new(ClientVerifier { client_auth, signed, allowed, provider }))
}

#[derive(Debug)]
struct ClientVerifier {
    client_auth: ClientAuth,
    signed: Option<Arc<dyn ClientCertVerifier>>,
    allowed: Option<Vec<String>>,
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for ClientVerifier {
    fn client_auth_mandatory(&self) -> bool {
        matches!(self.client_auth, ClientAuth::Certificate { mandatory: true, .. })
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.signed.as_ref().map_or(&[], |signed| signed.root_hint_subjects())
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if let Some(signed) = &self.signed {
            signed.verify_client_cert(certificate, intermediates, now)?;
        }
        match &self.allowed {
            Some(allowed) if !has_name(certificate, allowed)? => {
                Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
            }
            Some(_) | None => Ok(ClientCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Whether a certificate is for one of these names. A `*` is compared like any other character.
fn has_name(certificate: &CertificateDer<'_>, allowed: &[String]) -> Result<bool, Error> {
    let certificate = EndEntityCert::try_from(certificate)
        .map_err(|_| Error::InvalidCertificate(CertificateError::BadEncoding))?;
    let names = certificate.valid_dns_names().chain(certificate.valid_uri_names());
    if names.into_iter().any(|name| allowed.iter().any(|one| one == name)) {
        return Ok(true);
    }
    let addresses = allowed.iter().filter_map(|name| name.parse::<IpAddr>().ok());
    Ok(addresses
        .map(|address| ServerName::IpAddress(address.into()))
        .any(|address| certificate.verify_is_valid_for_subject_name(&address).is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_wildcards() {
        let names = ["prometheus.example".to_owned(), "*.wild.example".into(), "10.1.2.3".into()];
        let key = rcgen::generate_simple_self_signed(names).unwrap();
        let has = |name: &str| has_name(key.cert.der(), &["other".into(), name.into()]).unwrap();
        assert!(has("prometheus.example") && has("*.wild.example") && has("10.1.2.3"));
        assert!(!has("a.wild.example") && !has("10.1.2.4") && !has("prometheus"));
    }
}
