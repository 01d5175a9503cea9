//! Certificates and keys: generated, parsed, and stored as the data of a Secret. No I/O.

use std::collections::BTreeMap;
use std::net::IpAddr;

use k8s_openapi::ByteString;
use k8s_openapi::jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};
use time::OffsetDateTime;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::pem::Pem;

use super::renewal::{Inventory, Renewal, Validity, Wanted};
use crate::web::{Pair, PrivateKey};

/// Why a certificate cannot be generated or parsed.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Generating one failed.
    #[error("cannot generate a certificate")]
    Make(#[from] rcgen::Error),
    /// The Secret lacks a part.
    #[error("the Secret has no readable `{0}`")]
    Missing(&'static str),
    /// A certificate cannot be parsed.
    #[error("`{0}` holds no readable certificate")]
    Unreadable(&'static str),
    /// A time that certificates cannot represent.
    #[error("the time is out of range")]
    Time,
}

/// The authority and the serving certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The authority that signs.
    pub authority: Pair,
    /// The serving certificate.
    pub serving: Pair,
    /// Certificates of earlier authorities, youngest first.
    pub former: Vec<String>,
}

const AUTHORITY: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
const SERVING: &str = "tls.crt";
const SERVING_KEY: &str = "tls.key";
const END: &str = "-----END CERTIFICATE-----";

impl Bundle {
    /// The authorities that clients must trust, in PEM.
    pub fn trusted(&self) -> String {
        [&self.authority.certificate].into_iter().chain(&self.former).map(String::as_str).collect()
    }

    /// Parses the data of a Secret.
    pub fn read(data: &BTreeMap<String, ByteString>) -> Result<Self, BundleError> {
        let text = |key: &'static str| {
            let bytes = data.get(key).ok_or(BundleError::Missing(key))?;
            String::from_utf8(bytes.0.clone()).map_err(|_| BundleError::Missing(key))
        };
        let bundled = text(AUTHORITY)?;
        let mut authorities = bundled.split_inclusive(END).map(str::trim).filter(|pem| !pem.is_empty());
        let certificate = authorities.next().ok_or(BundleError::Missing(AUTHORITY))?;
        Ok(Self {
            authority: Pair {
                certificate: format!("{certificate}\n"),
                key: PrivateKey::new(text(AUTHORITY_KEY)?),
            },
            serving: Pair { certificate: text(SERVING)?, key: PrivateKey::new(text(SERVING_KEY)?) },
            former: authorities.map(|pem| format!("{pem}\n")).collect(),
        })
    }

    /// The data of its Secret.
    pub fn write(&self) -> BTreeMap<String, ByteString> {
        let entries = [
            (AUTHORITY, self.trusted()),
            (AUTHORITY_KEY, self.authority.key.reveal().to_owned()),
            (SERVING, self.serving.certificate.clone()),
            (SERVING_KEY, self.serving.key.reveal().to_owned()),
        ];
        entries.into_iter().map(|(key, text)| (key.to_owned(), ByteString(text.into_bytes()))).collect()
    }

    /// The facts that a renewal depends on.
    pub fn inventory(&self) -> Result<Inventory, BundleError> {
        let authority = parse(&self.authority.certificate, AUTHORITY)?;
        let serving = parse(&self.serving.certificate, SERVING)?;
        let (authority, serving) = (read(&authority, AUTHORITY)?, read(&serving, SERVING)?);
        let mut former = Vec::new();
        for certificate in &self.former {
            former.push(validity(&read(&parse(certificate, AUTHORITY)?, AUTHORITY)?)?);
        }
        Ok(Inventory {
            authority: validity(&authority)?,
            serving: validity(&serving)?,
            names: names(&serving),
            signed_by_authority: serving.issuer() == authority.subject()
                && serving.verify_signature(Some(authority.public_key())).is_ok(),
            former,
        })
    }

    /// A new authority and serving certificate.
    pub fn make(now: Timestamp, wanted: &Wanted) -> Result<Self, BundleError> {
        let authority = make_authority(now, wanted)?;
        let serving = make_serving(now, wanted, &authority)?;
        Ok(Self { authority, serving, former: Vec::new() })
    }

    /// Performs a renewal. Without a stored bundle everything is generated.
    pub fn carry_out(
        stored: Option<Self>,
        renewal: Renewal,
        now: Timestamp,
        wanted: &Wanted,
    ) -> Result<Self, BundleError> {
        let Some(mut bundle) = stored else { return Self::make(now, wanted) };
        match renewal {
            Renewal::Keep(_) => {}
            Renewal::Make => return Self::make(now, wanted),
            Renewal::RenewServing => bundle.serving = make_serving(now, wanted, &bundle.authority)?,
            Renewal::RenewAuthority => {
                let before = std::mem::replace(&mut bundle.authority, make_authority(now, wanted)?);
                bundle.former.insert(0, before.certificate);
            }
            Renewal::Forget => drop(bundle.former.pop()),
        }
        Ok(bundle)
    }
}

fn make_authority(now: Timestamp, wanted: &Wanted) -> Result<Pair, BundleError> {
    let key = KeyPair::generate()?;
    let mut parameters = parameters(Vec::new(), Validity::starting(now, wanted.authority))?;
    // Two authorities that are trusted at the same time must be distinguishable.
    parameters.distinguished_name = common_name(&format!("webhook authority {}", now.as_nanosecond()));
    parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let certificate = parameters.self_signed(&key)?;
    Ok(Pair { certificate: certificate.pem(), key: PrivateKey::new(key.serialize_pem()) })
}

fn make_serving(now: Timestamp, wanted: &Wanted, authority: &Pair) -> Result<Pair, BundleError> {
    let issuer =
        Issuer::from_ca_cert_pem(&authority.certificate, KeyPair::from_pem(authority.key.reveal())?)?;
    let signer = validity(&read(&parse(&authority.certificate, AUTHORITY)?, AUTHORITY)?)?;
    let mut held = Validity::starting(now, wanted.serving);
    held.until = held.until.min(signer.until);
    let key = KeyPair::generate()?;
    let mut parameters = parameters(wanted.names.clone(), held)?;
    parameters.distinguished_name = common_name("webhook");
    parameters.use_authority_key_identifier_extension = true;
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let certificate = parameters.signed_by(&key, &issuer)?;
    Ok(Pair { certificate: certificate.pem(), key: PrivateKey::new(key.serialize_pem()) })
}

fn parameters(names: Vec<String>, held: Validity) -> Result<CertificateParams, BundleError> {
    let moment = |time: Timestamp| {
        OffsetDateTime::from_unix_timestamp(time.as_second()).map_err(|_| BundleError::Time)
    };
    let mut parameters = CertificateParams::new(names)?;
    parameters.not_before = moment(held.from)?;
    parameters.not_after = moment(held.until)?;
    Ok(parameters)
}

fn common_name(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

fn parse(certificate: &str, place: &'static str) -> Result<Pem, BundleError> {
    let first = Pem::iter_from_buffer(certificate.as_bytes()).next();
    first.and_then(Result::ok).ok_or(BundleError::Unreadable(place))
}

fn read<'a>(pem: &'a Pem, place: &'static str) -> Result<X509Certificate<'a>, BundleError> {
    pem.parse_x509().map_err(|_| BundleError::Unreadable(place))
}

fn validity(certificate: &X509Certificate<'_>) -> Result<Validity, BundleError> {
    let moment = |seconds: i64| Timestamp::from_second(seconds).map_err(|_| BundleError::Time);
    let held = certificate.validity();
    Ok(Validity { from: moment(held.not_before.timestamp())?, until: moment(held.not_after.timestamp())? })
}

fn names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(extension)) = certificate.subject_alternative_name() else { return Vec::new() };
    let name = |name: &GeneralName<'_>| {
        if let GeneralName::DNSName(name) = name {
            return Some((*name).to_owned());
        }
        let GeneralName::IPAddress(bytes) = name else { return None };
        let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
        let address = four.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from)).ok()?;
        Some(address.to_string())
    };
    extension.value.general_names.iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_second(day * 24 * 3600).unwrap()
    }

    fn wanted() -> Wanted {
        Wanted::names(["webhook.default.svc", "127.0.0.1"])
    }

    #[test]
    fn a_generated_bundle_can_be_stored_in_the_secret() {
        let bundle = Bundle::make(at(20_000), &wanted()).unwrap();
        let inventory = bundle.inventory().unwrap();
        assert_eq!(inventory.serving, Validity::starting(at(20_000), wanted().serving));
        assert_eq!(inventory.authority, Validity::starting(at(20_000), wanted().authority));
        assert_eq!(inventory.names, wanted().names);
        assert!(inventory.signed_by_authority);
        assert_eq!(Bundle::read(&bundle.write()).unwrap(), bundle);
    }

    #[test]
    fn a_new_authority_is_added_before_it_signs() {
        let now = at(20_000);
        let renewed = |bundle, renewal| Bundle::carry_out(Some(bundle), renewal, now, &wanted()).unwrap();
        let first = Bundle::make(now, &wanted()).unwrap();
        let joined = renewed(first.clone(), Renewal::RenewAuthority);
        assert_eq!(joined.trusted(), joined.authority.certificate.clone() + &first.authority.certificate);
        assert_eq!(joined.serving, first.serving);
        assert!(!joined.inventory().unwrap().signed_by_authority);
        assert_eq!(Bundle::read(&joined.write()).unwrap(), joined);
        let signed = renewed(joined, Renewal::RenewServing);
        assert!(signed.inventory().unwrap().signed_by_authority);
        let alone = renewed(signed, Renewal::Forget);
        assert_eq!(alone.trusted(), alone.authority.certificate);
    }

    #[test]
    fn damaged_data_is_an_error_and_keys_are_not_printed() {
        let bundle = Bundle::make(at(20_000), &wanted()).unwrap();
        for key in [AUTHORITY, AUTHORITY_KEY, SERVING, SERVING_KEY] {
            let mut data = bundle.write();
            data.remove(key);
            assert!(Bundle::read(&data).is_err(), "{key}");
        }
        let mut data = bundle.write();
        data.insert(SERVING.into(), ByteString(b"nonsense".to_vec()));
        assert!(Bundle::read(&data).unwrap().inventory().is_err());
        let printed = format!("{bundle:?}");
        assert!(printed.contains("PrivateKey(…)"));
        assert!(!printed.contains("PRIVATE KEY"));
    }
}
