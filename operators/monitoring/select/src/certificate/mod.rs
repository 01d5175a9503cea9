//! Certificates and keys that users keep in Secrets and ConfigMaps: whether they can be read, and whether they belong
//! together. A Prometheus that finds a bad one in its configuration does not start, so one bad Secret must not get there.
//!
//! | file | owns |
//! |---|---|
//! | `pem` | blocks of text around the data |
//! | `x509` | certificates |
//! | `key` | private keys |

mod key;
mod pem;
mod x509;

use key::PrivateKey;
use x509::PublicKey;

/// Why a certificate or a key is refused. The words are those of Go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// There is no block in the text.
    #[error("failed to decode PEM block")]
    NoBlock,
    /// The certificate of an authority cannot be read.
    #[error("failed to parse certificate: {0}")]
    Authority(x509::Fault),
    /// A certificate cannot be read.
    #[error(transparent)]
    Certificate(#[from] x509::Fault),
    /// There is no block in the text of the certificate.
    #[error("tls: failed to find any PEM data in certificate input")]
    NoCertificateBlock,
    /// Certificate and key are in each other's place.
    #[error(
        "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
    )]
    Switched,
    /// There is no certificate among the blocks.
    #[error(
        "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following types: [{}]",
        .0.join(" ")
    )]
    NoCertificate(Vec<String>),
    /// There is no block in the text of the key.
    #[error("tls: failed to find any PEM data in key input")]
    NoKeyBlock,
    /// There is a certificate in place of the key.
    #[error("tls: found a certificate rather than a key in the PEM for the private key")]
    CertificateForKey,
    /// There is no key among the blocks.
    #[error(
        "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the following types: [{}]",
        .0.join(" ")
    )]
    NoKey(Vec<String>),
    /// The key cannot be read.
    #[error("tls: failed to parse private key")]
    Key,
    /// The key is of a kind with which nobody can sign.
    #[error("tls: found unknown private key type in PKCS#8 wrapping")]
    KeyKind,
    /// The certificate is for a kind of key that is not known.
    #[error("tls: unknown public key algorithm")]
    CertificateKind,
    /// Certificate and key are of different kinds.
    #[error("tls: private key type does not match public key type")]
    OtherKind,
    /// The key is another one than that of the certificate.
    #[error("tls: private key does not match public key")]
    OtherKey,
}

/// Checks the certificate of an authority: the first block of the text.
pub(crate) fn check_authority(text: &[u8]) -> Result<(), Invalid> {
    let (block, _) = pem::decode(text).ok_or(Invalid::NoBlock)?;
    x509::read(&block.data).map(|_| ()).map_err(Invalid::Authority)
}

/// Checks a certificate and its key.
pub(crate) fn check_pair(certificate: &[u8], key: &[u8]) -> Result<(), Invalid> {
    let certificate = find_certificate(certificate)?;
    let key = find_key(key)?;
    let public = x509::read(&certificate)?;
    match (public, key::read(&key)?) {
        (PublicKey::Unknown, _) => Err(Invalid::CertificateKind),
        (PublicKey::Rsa { modulus, exponent }, PrivateKey::Rsa { modulus: own, exponent: own_exponent }) => {
            same(modulus == own && exponent == own_exponent)
        }
        (PublicKey::Elliptic { curve, point }, PrivateKey::Elliptic { curve: own, point: own_point }) => {
            same(curve == own && point == own_point)
        }
        (PublicKey::Ed25519(public), PrivateKey::Ed25519(own)) => same(public == own),
        (PublicKey::Rsa { .. } | PublicKey::Elliptic { .. } | PublicKey::Ed25519(_), _) => {
            Err(Invalid::OtherKind)
        }
    }
}

fn same(same: bool) -> Result<(), Invalid> {
    if same { Ok(()) } else { Err(Invalid::OtherKey) }
}

/// The first certificate of a text.
fn find_certificate(mut text: &[u8]) -> Result<Vec<u8>, Invalid> {
    let mut skipped = Vec::new();
    while let Some((block, rest)) = pem::decode(text) {
        if block.label == "CERTIFICATE" {
            return Ok(block.data);
        }
        skipped.push(block.label);
        text = rest;
    }
    Err(match skipped.as_slice() {
        [] => Invalid::NoCertificateBlock,
        [one] if one.ends_with("PRIVATE KEY") => Invalid::Switched,
        _ => Invalid::NoCertificate(skipped),
    })
}

/// The first private key of a text.
fn find_key(mut text: &[u8]) -> Result<Vec<u8>, Invalid> {
    let mut skipped = Vec::new();
    while let Some((block, rest)) = pem::decode(text) {
        if block.label == "PRIVATE KEY" || block.label.ends_with(" PRIVATE KEY") {
            return Ok(block.data);
        }
        skipped.push(block.label);
        text = rest;
    }
    Err(match skipped.as_slice() {
        [] => Invalid::NoKeyBlock,
        [one] if one == "CERTIFICATE" => Invalid::CertificateForKey,
        _ => Invalid::NoKey(skipped),
    })
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, SignatureAlgorithm};

    use super::*;

    fn pair(algorithm: &'static SignatureAlgorithm) -> (String, String) {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let certificate =
            CertificateParams::new(vec!["localhost".into()]).unwrap().self_signed(&key).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    fn verdict(certificate: &str, key: &str) -> String {
        check_pair(certificate.as_bytes(), key.as_bytes())
            .map_or_else(|problem| problem.to_string(), |()| "good".to_owned())
    }

    #[test]
    fn a_certificate_belongs_to_its_key() {
        let algorithms = [
            &rcgen::PKCS_ECDSA_P256_SHA256,
            &rcgen::PKCS_ECDSA_P384_SHA384,
            &rcgen::PKCS_ED25519,
            &rcgen::PKCS_RSA_SHA256,
        ];
        let pairs: Vec<_> = algorithms.into_iter().map(pair).collect();
        for (certificate, key) in &pairs {
            assert_eq!(verdict(certificate, key), "good");
            assert_eq!(check_authority(certificate.as_bytes()), Ok(()));
        }
        assert_eq!(verdict(&pairs[0].0, &pairs[3].1), "tls: private key type does not match public key type");
        assert_eq!(verdict(&pairs[0].0, &pairs[1].1), "tls: private key does not match public key");
        let other = pair(&rcgen::PKCS_ED25519);
        assert_eq!(verdict(&pairs[2].0, &other.1), "tls: private key does not match public key");
    }

    #[test]
    fn a_key_is_on_its_curve() {
        for (algorithm, curve) in [
            (&rcgen::PKCS_ECDSA_P256_SHA256, "P256"),
            (&rcgen::PKCS_ECDSA_P384_SHA384, "P384"),
            (&rcgen::PKCS_ECDSA_P521_SHA512, "P521"),
        ] {
            let key = KeyPair::generate_for(algorithm).unwrap();
            let mut data = CertificateParams::default().self_signed(&key).unwrap().der().to_vec();
            let point = key.public_key_raw();
            let at = data.windows(point.len()).position(|window| window == point).unwrap();
            assert!(x509::read(&data).is_ok());
            data[at + point.len() - 1] ^= 1;
            let words = |data: &[u8]| x509::read(data).unwrap_err().to_string();
            assert_eq!(words(&data), format!("{curve} point not on curve"));
            data[at] = 2;
            assert_eq!(words(&data), "ecdsa: invalid uncompressed public key");
        }
    }

    #[test]
    fn blocks_are_looked_for() {
        let (certificate, key) = pair(&rcgen::PKCS_ED25519);
        let other = "-----BEGIN OTHER-----\nAAAA\n-----END OTHER-----\n";
        assert_eq!(verdict(&format!("{other}{certificate}"), &format!("{other}{key}")), "good");
        for (certificate, key, words) in [
            ("", key.as_str(), "tls: failed to find any PEM data in certificate input"),
            (
                &key,
                &certificate,
                "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
            ),
            (
                &format!("{other}{other}"),
                &key,
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following types: [OTHER OTHER]",
            ),
            (&certificate, "nothing", "tls: failed to find any PEM data in key input"),
            (
                &certificate,
                &certificate,
                "tls: found a certificate rather than a key in the PEM for the private key",
            ),
            (
                &certificate,
                other,
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the following types: [OTHER]",
            ),
            (&other.replace("OTHER", "CERTIFICATE"), &key, "x509: malformed certificate"),
            (&certificate, &other.replace("OTHER", "PRIVATE KEY"), "tls: failed to parse private key"),
        ] {
            assert_eq!(verdict(certificate, key), words);
        }
    }

    #[test]
    fn an_authority_has_a_certificate() {
        let words = |text: &str| check_authority(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(words("no block"), "failed to decode PEM block");
        assert_eq!(
            words("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            "failed to parse certificate: x509: malformed certificate"
        );
    }
}
