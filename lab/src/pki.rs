//! The certificates of a lab: a certificate authority, a second one for the front proxy, and a key pair for service
//! accounts. They are created once per lab; the file `complete` is written last.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    IsCa, KeyPair, KeyUsagePurpose, SanType,
};

use crate::paths::write_atomically;

/// The certificates of a lab, as files.
#[derive(Debug, Clone)]
pub struct Certificates(PathBuf);

/// The subject of a certificate.
#[derive(Debug, Clone)]
pub struct Subject {
    /// File name without extension.
    pub file: String,
    /// Common name: the user in Kubernetes.
    pub user: String,
    /// Organisation: the group in Kubernetes.
    pub group: Option<&'static str>,
    /// DNS names of the server.
    pub names: Vec<String>,
    /// IP addresses of the server.
    pub addresses: Vec<IpAddr>,
}

impl Subject {
    /// A client.
    pub fn client(file: &str, user: &str, group: Option<&'static str>) -> Self {
        Self { file: file.into(), user: user.into(), group, names: Vec::new(), addresses: Vec::new() }
    }
}

/// The client certificate of the front proxy, which has a separate authority.
const FRONT_PROXY: &str = "front-proxy";

impl Certificates {
    /// In `directory/pki`.
    pub fn below(directory: &Path) -> Self {
        Self(directory.join("pki"))
    }

    /// The certificate of a subject, or an authority.
    pub fn certificate(&self, file: &str) -> String {
        self.0.join(format!("{file}.crt")).display().to_string()
    }

    /// The private key of a subject, or an authority.
    pub fn key(&self, file: &str) -> String {
        self.0.join(format!("{file}.key")).display().to_string()
    }

    /// The public key for tokens of service accounts.
    pub fn service_account_public_key(&self) -> String {
        self.0.join("service-accounts.pub").display().to_string()
    }

    /// Creates all certificates, unless they exist.
    pub fn ensure(&self, subjects: &[Subject]) -> Result<()> {
        let complete = self.0.join("complete");
        if complete.exists() {
            return Ok(());
        }
        let authority = self.authority("ca", "lab")?;
        let front_proxy_authority = self.authority("front-proxy-ca", "lab front proxy")?;
        for subject in subjects {
            self.issue(subject, &authority)?;
        }
        self.issue(&Subject::client(FRONT_PROXY, "front-proxy-client", None), &front_proxy_authority)?;
        let accounts = KeyPair::generate()?;
        self.write("service-accounts.key", &accounts.serialize_pem())?;
        self.write("service-accounts.pub", &accounts.public_key_pem())?;
        self.write("complete", "")
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        write_atomically(&self.0.join(name), text)
    }

    fn authority(&self, file: &str, name: &str) -> Result<CertifiedIssuer<'static, KeyPair>> {
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name = named(name, None);
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let authority = CertifiedIssuer::self_signed(parameters, KeyPair::generate()?)?;
        self.write(&format!("{file}.crt"), &authority.pem())?;
        self.write(&format!("{file}.key"), &authority.key().serialize_pem())?;
        Ok(authority)
    }

    fn issue(&self, subject: &Subject, authority: &CertifiedIssuer<'_, KeyPair>) -> Result<()> {
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name = named(&subject.user, subject.group);
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        parameters.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        for name in &subject.names {
            parameters.subject_alt_names.push(SanType::DnsName(name.as_str().try_into()?));
        }
        parameters.subject_alt_names.extend(subject.addresses.iter().copied().map(SanType::IpAddress));
        let key = KeyPair::generate()?;
        let certificate = parameters
            .signed_by(&key, authority)
            .with_context(|| format!("signing the certificate of {}", subject.user))?;
        self.write(&format!("{}.crt", subject.file), &certificate.pem())?;
        self.write(&format!("{}.key", subject.file), &key.serialize_pem())
    }
}

fn named(user: &str, group: Option<&str>) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    if let Some(group) = group {
        name.push(DnType::OrganizationName, group);
    }
    name.push(DnType::CommonName, user);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_created_once() {
        let directory = tempfile::tempdir().unwrap();
        let certificates = Certificates::below(directory.path());
        let subjects = [Subject::client("admin", "admin", Some("system:masters"))];
        certificates.ensure(&subjects).unwrap();
        let first = std::fs::read_to_string(certificates.certificate("admin")).unwrap();
        assert!(first.starts_with("-----BEGIN CERTIFICATE-----"));
        certificates.ensure(&subjects).unwrap();
        assert_eq!(std::fs::read_to_string(certificates.certificate("admin")).unwrap(), first);
        for file in
            [certificates.key("admin"), certificates.key("ca"), certificates.service_account_public_key()]
        {
            assert!(Path::new(&file).exists(), "{file}");
        }
    }
}
