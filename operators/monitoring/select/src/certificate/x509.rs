//! Certificates: whether one can be read, and for which key it is.

use x509_parser::asn1_rs::Any;
use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::oid_registry as oids;
use x509_parser::prelude::FromDer;
use x509_parser::public_key;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::key::{Curve, without_zeros};

/// What is wrong with a certificate, in the words of Go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is no certificate at all.
    #[error("x509: malformed certificate")]
    Certificate,
    /// The signed part of it is none.
    #[error("x509: malformed tbs certificate")]
    Signed,
    /// Its version is none.
    #[error("x509: malformed version")]
    Version,
    /// Its version is not known.
    #[error("x509: invalid version")]
    UnknownVersion,
    /// Its number is none.
    #[error("x509: malformed serial number")]
    Serial,
    /// Its number is below zero.
    #[error("x509: negative serial number")]
    NegativeSerial,
    /// Nobody can tell how it is signed.
    #[error("x509: malformed algorithm identifier")]
    Algorithm,
    /// It says in two places how it is signed, and not the same.
    #[error("x509: inner and outer signature algorithm identifiers don't match")]
    Algorithms,
    /// Its owner or issuer has no name.
    #[error("x509: invalid RDNSequence")]
    Name,
    /// Nobody can tell how long it is good.
    #[error("x509: malformed validity")]
    Validity,
    /// Its key cannot be read.
    #[error("x509: malformed spki")]
    Key,
    /// Its key says nothing where it should say that there is nothing.
    #[error("x509: RSA key missing NULL parameters")]
    RsaParameters,
    /// Its key cannot be read.
    #[error("x509: invalid RSA public key")]
    RsaKey,
    /// Its key is of the wrong size.
    #[error("x509: RSA modulus is not a positive number")]
    RsaModulus,
    /// Its key is of the wrong size.
    #[error("x509: RSA public exponent is not a positive number")]
    RsaExponent,
    /// Its key is on a curve that is not named.
    #[error("x509: invalid ECDSA parameters")]
    CurveName,
    /// Its key is on a curve that is not known.
    #[error("x509: unsupported elliptic curve")]
    Curve,
    /// Its key is none of its curve.
    #[error("ecdsa: invalid uncompressed public key")]
    PointSize,
    /// Its key is not on its curve.
    #[error("{0} point not on curve")]
    Point(&'static str),
    /// Its key says something where it should say nothing.
    #[error("x509: Ed25519 key encoded with illegal parameters")]
    Ed25519Parameters,
    /// Its key is too long or too short.
    #[error("x509: wrong Ed25519 public key size")]
    Ed25519Size,
    /// The number of its issuer is none.
    #[error("x509: malformed issuerUniqueID")]
    IssuerId,
    /// The number of its owner is none.
    #[error("x509: malformed subjectUniqueID")]
    SubjectId,
    /// Its extensions cannot be read.
    #[error("x509: malformed extensions")]
    Extensions,
    /// It has an extension twice.
    #[error("x509: certificate contains duplicate extension with OID \"{0}\"")]
    DuplicateExtension(String),
    /// Its signature cannot be read.
    #[error("x509: malformed signature")]
    Signature,
    /// Something comes after it.
    #[error("x509: trailing data")]
    TrailingData,
}

/// What a point begins with that is written in full.
const UNCOMPRESSED: u8 = 4;

/// The key that a certificate is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PublicKey {
    /// RSA.
    Rsa {
        /// Without zeros before it.
        modulus: Vec<u8>,
        /// Without zeros before it.
        exponent: Vec<u8>,
    },
    /// A point on a curve.
    Elliptic {
        /// The curve.
        curve: Curve,
        /// The point, uncompressed.
        point: Vec<u8>,
    },
    /// Ed25519.
    Ed25519(Vec<u8>),
    /// One that Go does not know.
    Unknown,
}

/// Reads a certificate.
pub(super) fn read(data: &[u8]) -> Result<PublicKey, Fault> {
    let (rest, certificate) = X509Certificate::from_der(data).map_err(|error| fault(&error.into()))?;
    let signed = &certificate.tbs_certificate;
    if signed.version.0 > 2 {
        return Err(Fault::UnknownVersion);
    }
    if signed.raw_serial().first().is_some_and(|first| *first >= 0x80) {
        return Err(Fault::NegativeSerial);
    }
    if signed.signature != certificate.signature_algorithm {
        return Err(Fault::Algorithms);
    }
    let key = read_key(&signed.subject_pki)?;
    let extensions = signed.extensions();
    for (index, extension) in extensions.iter().enumerate() {
        if extensions[..index].iter().any(|before| before.oid == extension.oid) {
            return Err(Fault::DuplicateExtension(extension.oid.to_id_string()));
        }
    }
    if !rest.is_empty() {
        return Err(Fault::TrailingData);
    }
    Ok(key)
}

fn read_key(info: &SubjectPublicKeyInfo<'_>) -> Result<PublicKey, Fault> {
    let (kind, parameters) = (&info.algorithm.algorithm, info.algorithm.parameters.as_ref());
    let data = info.subject_public_key.data.as_ref();
    if *kind == oids::OID_PKCS1_RSAENCRYPTION {
        let is_null = |parameters: &Any<'_>| parameters.as_null().is_ok() && parameters.data.is_empty();
        if !parameters.is_some_and(is_null) {
            return Err(Fault::RsaParameters);
        }
        let Ok(public_key::PublicKey::RSA(key)) = info.parsed() else { return Err(Fault::RsaKey) };
        let is_positive = |number: &[u8]| !without_zeros(number).is_empty() && number[0] < 0x80;
        if !is_positive(key.modulus) {
            return Err(Fault::RsaModulus);
        }
        if !is_positive(key.exponent) {
            return Err(Fault::RsaExponent);
        }
        let (modulus, exponent) = (without_zeros(key.modulus), without_zeros(key.exponent));
        return Ok(PublicKey::Rsa { modulus: modulus.to_vec(), exponent: exponent.to_vec() });
    }
    if *kind == oids::OID_KEY_TYPE_EC_PUBLIC_KEY {
        let name = parameters.and_then(|parameters| parameters.as_oid().ok()).ok_or(Fault::CurveName)?;
        let curve = Curve::named(&name).ok_or(Fault::Curve)?;
        if data.len() != 1 + 2 * curve.size() || data[0] != UNCOMPRESSED {
            return Err(Fault::PointSize);
        }
        if !curve.holds(data) {
            return Err(Fault::Point(curve.name()));
        }
        return Ok(PublicKey::Elliptic { curve, point: data.to_vec() });
    }
    if *kind == oids::OID_SIG_ED25519 {
        if parameters.is_some() {
            return Err(Fault::Ed25519Parameters);
        }
        if data.len() != 32 {
            return Err(Fault::Ed25519Size);
        }
        return Ok(PublicKey::Ed25519(data.to_vec()));
    }
    Ok(PublicKey::Unknown)
}

fn fault(error: &X509Error) -> Fault {
    match error {
        X509Error::InvalidVersion => Fault::Version,
        X509Error::InvalidSerial => Fault::Serial,
        X509Error::InvalidAlgorithmIdentifier => Fault::Algorithm,
        X509Error::InvalidX509Name => Fault::Name,
        X509Error::InvalidDate => Fault::Validity,
        X509Error::InvalidSPKI => Fault::Key,
        X509Error::InvalidSubjectUID => Fault::SubjectId,
        X509Error::InvalidIssuerUID => Fault::IssuerId,
        X509Error::InvalidExtensions | X509Error::DuplicateExtensions => Fault::Extensions,
        X509Error::InvalidSignatureValue => Fault::Signature,
        X509Error::InvalidTbsCertificate => Fault::Signed,
        X509Error::Generic
        | X509Error::InvalidAttributes
        | X509Error::DuplicateAttributes
        | X509Error::InvalidUserCertificate
        | X509Error::InvalidCertificate
        | X509Error::SignatureVerificationError
        | X509Error::SignatureUnsupportedAlgorithm
        | X509Error::InvalidNumber
        | X509Error::Der(_)
        | X509Error::NomError(_) => Fault::Certificate,
    }
}
