//! Certificates: whether one can be parsed, and its public key.

use x509_parser::asn1_rs::Any;
use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::oid_registry as oids;
use x509_parser::prelude::FromDer;
use x509_parser::public_key;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::key::{Curve, PublicKey, without_zeros};

/// What is wrong with a certificate, in the words of Go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidX509 {
    /// The certificate cannot be parsed.
    #[error("x509: malformed certificate")]
    Certificate,
    /// The signed part cannot be parsed.
    #[error("x509: malformed tbs certificate")]
    Signed,
    /// The version cannot be parsed.
    #[error("x509: malformed version")]
    Version,
    /// The version is unknown.
    #[error("x509: invalid version")]
    UnknownVersion,
    /// The serial number cannot be parsed.
    #[error("x509: malformed serial number")]
    Serial,
    /// The serial number is negative.
    #[error("x509: negative serial number")]
    NegativeSerial,
    /// The signature algorithm cannot be parsed.
    #[error("x509: malformed algorithm identifier")]
    Algorithm,
    /// The signature algorithm differs between its two fields.
    #[error("x509: inner and outer signature algorithm identifiers don't match")]
    Algorithms,
    /// The name of the subject or issuer is invalid.
    #[error("x509: invalid RDNSequence")]
    Name,
    /// The validity cannot be parsed.
    #[error("x509: malformed validity")]
    Validity,
    /// The key cannot be parsed.
    #[error("x509: malformed spki")]
    Key,
    /// The parameters of the RSA key are missing.
    #[error("x509: RSA key missing NULL parameters")]
    RsaParameters,
    /// The key cannot be parsed.
    #[error("x509: invalid RSA public key")]
    RsaKey,
    /// The modulus is out of range.
    #[error("x509: RSA modulus is not a positive number")]
    RsaModulus,
    /// The exponent is out of range.
    #[error("x509: RSA public exponent is not a positive number")]
    RsaExponent,
    /// The curve of the key is missing.
    #[error("x509: invalid ECDSA parameters")]
    CurveName,
    /// The curve of the key is unknown.
    #[error("x509: unsupported elliptic curve")]
    Curve,
    /// The key has the wrong size for its curve.
    #[error("ecdsa: invalid uncompressed public key")]
    PointSize,
    /// The key is not on its curve.
    #[error("{0} point not on curve")]
    Point(&'static str),
    /// The key has parameters.
    #[error("x509: Ed25519 key encoded with illegal parameters")]
    Ed25519Parameters,
    /// The key has the wrong size.
    #[error("x509: wrong Ed25519 public key size")]
    Ed25519Size,
    /// The unique ID of the issuer is invalid.
    #[error("x509: malformed issuerUniqueID")]
    IssuerId,
    /// The unique ID of the subject is invalid.
    #[error("x509: malformed subjectUniqueID")]
    SubjectId,
    /// The extensions cannot be parsed.
    #[error("x509: malformed extensions")]
    Extensions,
    /// An extension occurs twice.
    #[error("x509: certificate contains duplicate extension with OID \"{0}\"")]
    DuplicateExtension(String),
    /// The signature cannot be parsed.
    #[error("x509: malformed signature")]
    Signature,
    /// Data follows the certificate.
    #[error("x509: trailing data")]
    TrailingData,
}

/// The first byte of an uncompressed point.
const UNCOMPRESSED: u8 = 4;

/// The public key of a certificate; `None` if Go does not support its kind.
pub(super) fn read(data: &[u8]) -> Result<Option<PublicKey>, InvalidX509> {
    let (rest, certificate) = X509Certificate::from_der(data).map_err(|error| invalid(&error.into()))?;
    let signed = &certificate.tbs_certificate;
    if signed.version.0 > 2 {
        return Err(InvalidX509::UnknownVersion);
    }
    if signed.raw_serial().first().is_some_and(|first| *first >= 0x80) {
        return Err(InvalidX509::NegativeSerial);
    }
    if signed.signature != certificate.signature_algorithm {
        return Err(InvalidX509::Algorithms);
    }
    let key = read_key(&signed.subject_pki)?;
    let extensions = signed.extensions();
    for (index, extension) in extensions.iter().enumerate() {
        if extensions[..index].iter().any(|before| before.oid == extension.oid) {
            return Err(InvalidX509::DuplicateExtension(extension.oid.to_id_string()));
        }
    }
    if !rest.is_empty() {
        return Err(InvalidX509::TrailingData);
    }
    Ok(key)
}

fn read_key(info: &SubjectPublicKeyInfo<'_>) -> Result<Option<PublicKey>, InvalidX509> {
    let (kind, parameters) = (&info.algorithm.algorithm, info.algorithm.parameters.as_ref());
    let data = info.subject_public_key.data.as_ref();
    if *kind == oids::OID_PKCS1_RSAENCRYPTION {
        let is_null = |parameters: &Any<'_>| parameters.as_null().is_ok() && parameters.data.is_empty();
        if !parameters.is_some_and(is_null) {
            return Err(InvalidX509::RsaParameters);
        }
        let Ok(public_key::PublicKey::RSA(key)) = info.parsed() else { return Err(InvalidX509::RsaKey) };
        let is_positive = |number: &[u8]| !without_zeros(number).is_empty() && number[0] < 0x80;
        if !is_positive(key.modulus) {
            return Err(InvalidX509::RsaModulus);
        }
        if !is_positive(key.exponent) {
            return Err(InvalidX509::RsaExponent);
        }
        let (modulus, exponent) = (without_zeros(key.modulus), without_zeros(key.exponent));
        return Ok(Some(PublicKey::Rsa { modulus: modulus.to_vec(), exponent: exponent.to_vec() }));
    }
    if *kind == oids::OID_KEY_TYPE_EC_PUBLIC_KEY {
        let name =
            parameters.and_then(|parameters| parameters.as_oid().ok()).ok_or(InvalidX509::CurveName)?;
        let curve = Curve::of(&name).ok_or(InvalidX509::Curve)?;
        if data.len() != 1 + 2 * curve.size || data[0] != UNCOMPRESSED {
            return Err(InvalidX509::PointSize);
        }
        if !curve.holds(data) {
            return Err(InvalidX509::Point(curve.name));
        }
        return Ok(Some(PublicKey::Elliptic { curve: curve.name, point: data.to_vec() }));
    }
    if *kind == oids::OID_SIG_ED25519 {
        if parameters.is_some() {
            return Err(InvalidX509::Ed25519Parameters);
        }
        if data.len() != 32 {
            return Err(InvalidX509::Ed25519Size);
        }
        return Ok(Some(PublicKey::Ed25519(data.to_vec())));
    }
    Ok(None)
}

fn invalid(error: &X509Error) -> InvalidX509 {
    match error {
        X509Error::InvalidVersion => InvalidX509::Version,
        X509Error::InvalidSerial => InvalidX509::Serial,
        X509Error::InvalidAlgorithmIdentifier => InvalidX509::Algorithm,
        X509Error::InvalidX509Name => InvalidX509::Name,
        X509Error::InvalidDate => InvalidX509::Validity,
        X509Error::InvalidSPKI => InvalidX509::Key,
        X509Error::InvalidSubjectUID => InvalidX509::SubjectId,
        X509Error::InvalidIssuerUID => InvalidX509::IssuerId,
        X509Error::InvalidExtensions | X509Error::DuplicateExtensions => InvalidX509::Extensions,
        X509Error::InvalidSignatureValue => InvalidX509::Signature,
        X509Error::InvalidTbsCertificate => InvalidX509::Signed,
        X509Error::Generic
        | X509Error::InvalidAttributes
        | X509Error::DuplicateAttributes
        | X509Error::InvalidUserCertificate
        | X509Error::InvalidCertificate
        | X509Error::SignatureVerificationError
        | X509Error::SignatureUnsupportedAlgorithm
        | X509Error::InvalidNumber
        | X509Error::Der(_)
        | X509Error::NomError(_) => InvalidX509::Certificate,
    }
}
