//! Certificates and keys in Secrets and ConfigMaps of users: whether they can be parsed, and whether they match. A
//! Prometheus does not start with an invalid one in its configuration.
//!
//! | file | owns |
//! |---|---|
//! | `pem` | blocks of text around the data |
//! | `x509` | certificates |
//! | `key` | private keys |

mod key;
mod pem;
mod x509;

use std::mem::discriminant;

/// Why a certificate or a key is invalid, in the words of Go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCertificate {
    /// The text has no PEM block.
    #[error("failed to decode PEM block")]
    NoBlock,
    /// A CA certificate cannot be parsed.
    #[error("failed to parse certificate: {0}")]
    Authority(x509::InvalidX509),
    /// A certificate cannot be parsed.
    #[error(transparent)]
    Certificate(#[from] x509::InvalidX509),
    /// The text of the certificate has no PEM block.
    #[error("tls: failed to find any PEM data in certificate input")]
    NoCertificateBlock,
    /// Certificate and key are swapped.
    #[error(
        "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
    )]
    Switched,
    /// No block is a certificate.
    #[error(
        "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following types: [{}]",
        .0.join(" ")
    )]
    NoCertificate(Vec<String>),
    /// The text of the key has no PEM block.
    #[error("tls: failed to find any PEM data in key input")]
    NoKeyBlock,
    /// The key is a certificate.
    #[error("tls: found a certificate rather than a key in the PEM for the private key")]
    CertificateForKey,
    /// No block is a key.
    #[error(
        "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the following types: [{}]",
        .0.join(" ")
    )]
    NoKey(Vec<String>),
    /// The key cannot be parsed.
    #[error("tls: failed to parse private key")]
    Key,
    /// The key cannot sign.
    #[error("tls: found unknown private key type in PKCS#8 wrapping")]
    KeyKind,
    /// The kind of the public key is unknown.
    #[error("tls: unknown public key algorithm")]
    CertificateKind,
    /// Certificate and key are of different kinds.
    #[error("tls: private key type does not match public key type")]
    OtherKind,
    /// The key does not belong to the certificate.
    #[error("tls: private key does not match public key")]
    OtherKey,
}

/// Checks a CA certificate: the first block of the text.
pub(crate) fn check_authority(text: &[u8]) -> Result<(), InvalidCertificate> {
    let (block, _) = pem::decode(text).ok_or(InvalidCertificate::NoBlock)?;
    x509::read(&block.data).map(drop).map_err(InvalidCertificate::Authority)
}

/// Checks a certificate and its private key.
pub(crate) fn check_pair(certificate: &[u8], key: &[u8]) -> Result<(), InvalidCertificate> {
    let certificate = find_certificate(certificate)?;
    let key = find_key(key)?;
    let public = x509::read(&certificate)?;
    let own = key::read(&key)?;
    match public {
        None => Err(InvalidCertificate::CertificateKind),
        Some(public) if public == own => Ok(()),
        Some(public) if discriminant(&public) == discriminant(&own) => Err(InvalidCertificate::OtherKey),
        Some(_) => Err(InvalidCertificate::OtherKind),
    }
}

/// The first certificate of a text.
fn find_certificate(text: &[u8]) -> Result<Vec<u8>, InvalidCertificate> {
    find(text, |label| label == "CERTIFICATE").map_err(|skipped| match skipped.as_slice() {
        [] => InvalidCertificate::NoCertificateBlock,
        [one] if one.ends_with("PRIVATE KEY") => InvalidCertificate::Switched,
        _ => InvalidCertificate::NoCertificate(skipped),
    })
}

/// The first private key of a text.
fn find_key(text: &[u8]) -> Result<Vec<u8>, InvalidCertificate> {
    let is_key = |label: &str| label == "PRIVATE KEY" || label.ends_with(" PRIVATE KEY");
    find(text, is_key).map_err(|skipped| match skipped.as_slice() {
        [] => InvalidCertificate::NoKeyBlock,
        [one] if one == "CERTIFICATE" => InvalidCertificate::CertificateForKey,
        _ => InvalidCertificate::NoKey(skipped),
    })
}

/// The first block with such a label, else the labels of all blocks.
fn find(mut text: &[u8], is_wanted: impl Fn(&str) -> bool) -> Result<Vec<u8>, Vec<String>> {
    let mut skipped = Vec::new();
    while let Some((block, rest)) = pem::decode(text) {
        if is_wanted(&block.label) {
            return Ok(block.data);
        }
        skipped.push(block.label);
        text = rest;
    }
    Err(skipped)
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

    fn problem(certificate: &str, key: &str) -> String {
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
            assert_eq!(problem(certificate, key), "good");
            assert_eq!(check_authority(certificate.as_bytes()), Ok(()));
        }
        assert_eq!(problem(&pairs[0].0, &pairs[3].1), "tls: private key type does not match public key type");
        assert_eq!(problem(&pairs[0].0, &pairs[1].1), "tls: private key does not match public key");
        let other = pair(&rcgen::PKCS_ED25519);
        assert_eq!(problem(&pairs[2].0, &other.1), "tls: private key does not match public key");
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
    fn other_blocks_are_skipped() {
        let (certificate, key) = pair(&rcgen::PKCS_ED25519);
        let other = "-----BEGIN OTHER-----\nAAAA\n-----END OTHER-----\n";
        assert_eq!(problem(&format!("{other}{certificate}"), &format!("{other}{key}")), "good");
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
            assert_eq!(problem(certificate, key), words);
        }
    }

    #[test]
    fn the_text_of_an_authority_has_a_certificate() {
        let words = |text: &str| check_authority(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(words("no block"), "failed to decode PEM block");
        assert_eq!(
            words("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            "failed to parse certificate: x509: malformed certificate"
        );
    }
}
