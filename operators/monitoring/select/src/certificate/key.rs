//! Private keys: whether one can be parsed, and which public key belongs to it.

use aws_lc_rs::agreement::{self, ECDH_P256, ECDH_P384, ECDH_P521};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ECDSA_P521_SHA512_ASN1, EcdsaVerificationAlgorithm,
    Ed25519KeyPair, KeyPair, ParsedPublicKey,
};
use x509_parser::asn1_rs::{Any, FromDer, Oid, Tag};
use x509_parser::oid_registry as oids;

use super::InvalidCertificate;

/// A curve that keys can be on.
#[derive(Debug)]
pub(super) struct Curve {
    oid: Oid<'static>,
    pub(super) name: &'static str,
    /// How many bytes a coordinate has.
    pub(super) size: usize,
    /// How to verify and compute points; `None` for P-224, which the cryptographic library does not support.
    algorithms: Option<(&'static EcdsaVerificationAlgorithm, &'static agreement::Algorithm)>,
}

static CURVES: [Curve; 4] = [
    Curve { oid: oids::asn1_rs::oid!(1.3.132.0.33), name: "P224", size: 28, algorithms: None },
    Curve {
        oid: oids::OID_EC_P256,
        name: "P256",
        size: 32,
        algorithms: Some((&ECDSA_P256_SHA256_ASN1, &ECDH_P256)),
    },
    Curve {
        oid: oids::OID_NIST_EC_P384,
        name: "P384",
        size: 48,
        algorithms: Some((&ECDSA_P384_SHA384_ASN1, &ECDH_P384)),
    },
    Curve {
        oid: oids::OID_NIST_EC_P521,
        name: "P521",
        size: 66,
        algorithms: Some((&ECDSA_P521_SHA512_ASN1, &ECDH_P521)),
    },
];

impl Curve {
    pub(super) fn of(oid: &Oid<'_>) -> Option<&'static Self> {
        CURVES.iter().find(|curve| curve.oid == *oid)
    }

    /// Whether a point is on it, as far as that can be computed.
    pub(super) fn holds(&self, point: &[u8]) -> bool {
        self.algorithms.is_none_or(|(verification, _)| ParsedPublicKey::new(verification, point).is_ok())
    }

    /// The public key of a secret number.
    fn point(&self, secret: &[u8]) -> Option<Vec<u8>> {
        let (_, agreement) = self.algorithms?;
        // Some programs write one leading zero too many or too few.
        let secret = without_zeros(secret);
        let mut padded = vec![0; self.size];
        padded.get_mut(self.size.checked_sub(secret.len())?..)?.copy_from_slice(secret);
        let key = agreement::PrivateKey::from_private_key(agreement, &padded).ok()?;
        Some(key.compute_public_key().ok()?.as_ref().to_vec())
    }
}

/// A public key: that of a certificate, or the one that belongs to a private key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PublicKey {
    /// RSA.
    Rsa {
        /// Without leading zeros.
        modulus: Vec<u8>,
        /// Without leading zeros.
        exponent: Vec<u8>,
    },
    /// A point on a curve.
    Elliptic {
        /// The name of the curve.
        curve: &'static str,
        /// The point, uncompressed.
        point: Vec<u8>,
    },
    /// Ed25519.
    Ed25519(Vec<u8>),
}

/// The public key of a private key, in any of the three forms.
pub(super) fn read(data: &[u8]) -> Result<PublicKey, InvalidCertificate> {
    if let Some(key) = rsa(data) {
        return Ok(key);
    }
    if let Some((kind, parameters, key)) = wrapped(data) {
        let read = if kind == oids::OID_PKCS1_RSAENCRYPTION {
            rsa(key)
        } else if kind == oids::OID_KEY_TYPE_EC_PUBLIC_KEY {
            elliptic(key, parameters.and_then(|parameters| parameters.oid().ok()))
        } else if kind == oids::OID_SIG_ED25519 {
            ed25519(key)
        } else if kind == X25519 {
            return Err(InvalidCertificate::KeyKind);
        } else {
            None
        };
        if let Some(key) = read {
            return Ok(key);
        }
    }
    elliptic(data, None).ok_or(InvalidCertificate::Key)
}

/// Keys for key agreement, which cannot sign.
const X25519: Oid<'static> = oids::asn1_rs::oid!(1.3.101.110);

/// A number without leading zeros.
pub(super) fn without_zeros(number: &[u8]) -> &[u8] {
    &number[number.iter().take_while(|byte| **byte == 0).count()..]
}

/// PKCS #1: version, modulus, public exponent, private exponent, two primes, and more that can be computed.
fn rsa(data: &[u8]) -> Option<PublicKey> {
    let (elements, rest) = sequence(data)?;
    let version = elements.first().filter(|version| rest.is_empty() && version.tag() == Tag::Integer)?;
    let numbers = elements.get(1..6)?;
    let is_positive = |number: &Any<'_>| {
        number.tag() == Tag::Integer
            && number.data.first().is_some_and(|first| *first < 0x80)
            && !without_zeros(number.data).is_empty()
    };
    if !matches!(version.data, [0 | 1]) || !numbers.iter().all(is_positive) {
        return None;
    }
    let number = |index: usize| without_zeros(numbers[index].data).to_vec();
    Some(PublicKey::Rsa { modulus: number(0), exponent: number(1) })
}

/// PKCS #8: the kind of a key, its parameters, and the key.
fn wrapped(data: &[u8]) -> Option<(Oid<'_>, Option<Any<'_>>, &[u8])> {
    let (elements, _) = sequence(data)?;
    let [version, algorithm, key, ..] = elements.as_slice() else { return None };
    if version.tag() != Tag::Integer || algorithm.tag() != Tag::Sequence || key.tag() != Tag::OctetString {
        return None;
    }
    let mut algorithm = all(algorithm.data)?.into_iter();
    let kind = algorithm.next()?.oid().ok()?;
    Some((kind, algorithm.next(), key.data))
}

/// SEC 1: version, secret number, optionally the curve and the public key.
fn elliptic(data: &[u8], curve: Option<Oid<'_>>) -> Option<PublicKey> {
    let (elements, _) = sequence(data)?;
    let [version, secret, more @ ..] = elements.as_slice() else { return None };
    if version.tag() != Tag::Integer || version.data != [1] || secret.tag() != Tag::OctetString {
        return None;
    }
    let tagged = |number: u32| {
        let element = more.iter().find(|element| element.tag() == Tag(number))?;
        all(element.data)?.pop()
    };
    let curve = Curve::of(&curve.or_else(|| tagged(0)?.oid().ok())?)?;
    // The first byte of the key is the number of unused bits.
    let written = || tagged(1)?.data.strip_prefix(&[0]).map(<[u8]>::to_vec);
    let point = if curve.algorithms.is_none() { written()? } else { curve.point(secret.data)? };
    Some(PublicKey::Elliptic { curve: curve.name, point })
}

fn ed25519(data: &[u8]) -> Option<PublicKey> {
    let (_, seed) = Any::from_der(data).ok()?;
    let seed = Some(seed.data).filter(|data| seed.tag() == Tag::OctetString && data.len() == 32)?;
    let key = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
    Some(PublicKey::Ed25519(key.public_key().as_ref().to_vec()))
}

/// The elements of a sequence, and what comes after it.
fn sequence(data: &[u8]) -> Option<(Vec<Any<'_>>, &[u8])> {
    let (rest, outer) = Any::from_der(data).ok()?;
    Some((all(Some(outer).filter(|outer| outer.tag() == Tag::Sequence)?.data)?, rest))
}

/// All elements of some data.
fn all(mut data: &[u8]) -> Option<Vec<Any<'_>>> {
    let mut elements = Vec::new();
    while !data.is_empty() {
        let (rest, element) = Any::from_der(data).ok()?;
        elements.push(element);
        data = rest;
    }
    Some(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_for_key_agreement_have_their_own_error() {
        let mut data = vec![
            0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20,
        ];
        data.extend([7; 32]);
        assert_eq!(read(&data), Err(InvalidCertificate::KeyKind));
        data[11] = 0x70;
        assert!(matches!(read(&data), Ok(PublicKey::Ed25519(_))));
        data[11] = 0x01;
        assert_eq!(read(&data), Err(InvalidCertificate::Key));
    }

    #[test]
    fn leading_zeros_of_a_secret_number_do_not_matter() {
        let key = |zeros: usize| {
            let secret = [vec![0; zeros], vec![9; 31]].concat();
            let length = u8::try_from(secret.len()).unwrap();
            let name = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
            let inner = [vec![0x02, 0x01, 0x01, 0x04, length], secret, name.to_vec()].concat();
            read(&[vec![0x30, u8::try_from(inner.len()).unwrap()], inner].concat())
        };
        assert!(matches!(key(0), Ok(PublicKey::Elliptic { curve: "P256", .. })));
        assert_eq!(key(0), key(1));
        assert_eq!(key(1), key(2));
    }
}
