//! Private keys: whether one can be read, and which public key belongs to it.

use aws_lc_rs::agreement::{self, ECDH_P256, ECDH_P384, ECDH_P521};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ECDSA_P521_SHA512_ASN1, Ed25519KeyPair, KeyPair,
    ParsedPublicKey,
};
use x509_parser::asn1_rs::{Any, FromDer, Oid, Tag};
use x509_parser::oid_registry as oids;

use super::Invalid;

/// A curve that keys can be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Curve {
    /// P-224, with which no library here can compute: what a key says about itself must do.
    P224,
    /// P-256.
    P256,
    /// P-384.
    P384,
    /// P-521.
    P521,
}

impl Curve {
    /// The curve that goes by a name.
    pub(super) fn named(name: &Oid<'_>) -> Option<Self> {
        [
            (P224, Self::P224),
            (oids::OID_EC_P256, Self::P256),
            (oids::OID_NIST_EC_P384, Self::P384),
            (oids::OID_NIST_EC_P521, Self::P521),
        ]
        .into_iter()
        .find_map(|(known, curve)| (known == *name).then_some(curve))
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::P224 => "P224",
            Self::P256 => "P256",
            Self::P384 => "P384",
            Self::P521 => "P521",
        }
    }

    /// How many bytes a number has there.
    pub(super) fn size(self) -> usize {
        match self {
            Self::P224 => 28,
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// Whether a point is on it, as far as that can be computed.
    pub(super) fn holds(self, point: &[u8]) -> bool {
        let algorithm = match self {
            Self::P224 => return true,
            Self::P256 => &ECDSA_P256_SHA256_ASN1,
            Self::P384 => &ECDSA_P384_SHA384_ASN1,
            Self::P521 => &ECDSA_P521_SHA512_ASN1,
        };
        ParsedPublicKey::new(algorithm, point).is_ok()
    }

    /// The public key of a secret number.
    fn point(self, secret: &[u8]) -> Option<Vec<u8>> {
        let algorithm = match self {
            Self::P224 => return None,
            Self::P256 => &ECDH_P256,
            Self::P384 => &ECDH_P384,
            Self::P521 => &ECDH_P521,
        };
        let size = self.size();
        // Zeros before the number are one too many or too few in keys of some programs.
        let secret = without_zeros(secret);
        let mut padded = vec![0; size];
        padded.get_mut(size.checked_sub(secret.len())?..)?.copy_from_slice(secret);
        let key = agreement::PrivateKey::from_private_key(algorithm, &padded).ok()?;
        Some(key.compute_public_key().ok()?.as_ref().to_vec())
    }
}

/// As much of a private key as the certificate shows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PrivateKey {
    /// RSA.
    Rsa {
        /// Without zeros before it.
        modulus: Vec<u8>,
        /// Without zeros before it.
        exponent: Vec<u8>,
    },
    /// On a curve.
    Elliptic {
        /// The curve.
        curve: Curve,
        /// The public key.
        point: Vec<u8>,
    },
    /// Ed25519: the public key.
    Ed25519(Vec<u8>),
}

/// Reads a key, in whichever of the three forms it is.
pub(super) fn read(data: &[u8]) -> Result<PrivateKey, Invalid> {
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
            return Err(Invalid::KeyKind);
        } else {
            None
        };
        if let Some(key) = read {
            return Ok(key);
        }
    }
    elliptic(data, None).ok_or(Invalid::Key)
}

/// The name of a curve that is hardly used any more.
const P224: Oid<'static> = oids::asn1_rs::oid!(1.3.132.0.33);

/// The name of keys that can be agreed on but not signed with.
const X25519: Oid<'static> = oids::asn1_rs::oid!(1.3.101.110);

/// A number without zeros before it.
pub(super) fn without_zeros(number: &[u8]) -> &[u8] {
    &number[number.iter().take_while(|byte| **byte == 0).count()..]
}

/// PKCS #1: version, modulus, public exponent, private exponent, two primes, and more that can be computed.
fn rsa(data: &[u8]) -> Option<PrivateKey> {
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
    Some(PrivateKey::Rsa { modulus: number(0), exponent: number(1) })
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

/// SEC 1: version, secret number, and perhaps the curve and the public key.
fn elliptic(data: &[u8], curve: Option<Oid<'_>>) -> Option<PrivateKey> {
    let (elements, _) = sequence(data)?;
    let [version, secret, more @ ..] = elements.as_slice() else { return None };
    if version.tag() != Tag::Integer || version.data != [1] || secret.tag() != Tag::OctetString {
        return None;
    }
    let tagged = |number: u32| {
        let element = more.iter().find(|element| element.tag() == Tag(number))?;
        all(element.data)?.pop()
    };
    let curve = Curve::named(&curve.or_else(|| tagged(0)?.oid().ok())?)?;
    // The first byte of the key says how many bits are over: none.
    let written = || tagged(1)?.data.strip_prefix(&[0]).map(<[u8]>::to_vec);
    let point = if curve == Curve::P224 { written()? } else { curve.point(secret.data)? };
    Some(PrivateKey::Elliptic { curve, point })
}

fn ed25519(data: &[u8]) -> Option<PrivateKey> {
    let (_, seed) = Any::from_der(data).ok()?;
    let seed = Some(seed.data).filter(|data| seed.tag() == Tag::OctetString && data.len() == 32)?;
    let key = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
    Some(PrivateKey::Ed25519(key.public_key().as_ref().to_vec()))
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
    fn keys_that_only_agree_are_named() {
        let mut data = vec![
            0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20,
        ];
        data.extend([7; 32]);
        assert_eq!(read(&data), Err(Invalid::KeyKind));
        data[11] = 0x70;
        assert!(matches!(read(&data), Ok(PrivateKey::Ed25519(_))));
        data[11] = 0x01;
        assert_eq!(read(&data), Err(Invalid::Key));
    }

    #[test]
    fn zeros_before_a_secret_number_do_not_matter() {
        let key = |zeros: usize| {
            let secret = [vec![0; zeros], vec![9; 31]].concat();
            let length = u8::try_from(secret.len()).unwrap();
            let name = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
            let inner = [vec![0x02, 0x01, 0x01, 0x04, length], secret, name.to_vec()].concat();
            read(&[vec![0x30, u8::try_from(inner.len()).unwrap()], inner].concat())
        };
        assert!(matches!(key(0), Ok(PrivateKey::Elliptic { curve: Curve::P256, .. })));
        assert_eq!(key(0), key(1));
        assert_eq!(key(1), key(2));
    }
}
