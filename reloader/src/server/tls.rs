//! The TLS settings of the server. They are read for each connection, so that renewed certificates are used at once.

use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WantsServerCert;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ConfigBuilder, InconsistentKeys, NamedGroup, ProtocolVersion, RootCertStore, ServerConfig,
    SupportedProtocolVersion,
};

use super::client_auth::{self, ClientAuth};
use super::web_config::{Error, Tls};

/// The TLS settings of a web configuration.
pub(super) fn settings(tls: &Tls) -> Result<Arc<ServerConfig>, Error> {
    let certificates =
        certificates("cert or cert_file", &content("cert or cert_file", &tls.cert, &tls.cert_file)?)?;
    let key = content("key or key_file", &tls.key, &tls.key_file)?;
    let key = PrivateKeyDer::from_pem_slice(&key).map_err(|_| Error::Pem("key or key_file"))?;
    let builder = with_client_auth(tls)?;
    let certified = certified(certificates, key, builder.crypto_provider()).map_err(Error::Certificate)?;
    Ok(Arc::new(builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))))
}

/// A certificate and its key. rustls cannot parse certificates of version 1, which Go accepts: of these it is only
/// checked that they contain the bytes of the public key.
fn certified(
    certificates: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, rustls::Error> {
    let certified = CertifiedKey::new(certificates, provider.key_provider.load_private_key(key)?);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(certified),
        Err(rustls::Error::InvalidCertificate(_)) if contains_key(&certified) => Ok(certified),
        Err(error) => Err(error),
    }
}

fn contains_key(certified: &CertifiedKey) -> bool {
    let (certificate, key) = (certified.cert.first(), certified.key.public_key());
    certificate.zip(key).is_some_and(|(certificate, key)| memmem::find(certificate, &key).is_some())
}

/// The content of the file, or the text in the web configuration.
fn content(name: &'static str, text: &str, file: &Path) -> Result<Vec<u8>, Error> {
    if !file.as_os_str().is_empty() {
        return std::fs::read(file).map_err(|error| Error::Read(file.into(), error));
    }
    if text.is_empty() {
        return Err(Error::Value(format!("tls_server_config: {name} is missing")));
    }
    Ok(text.into())
}

fn certificates(name: &'static str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    all.ok().filter(|all| !all.is_empty()).ok_or(Error::Pem(name))
}

fn with_client_auth(tls: &Tls) -> Result<ConfigBuilder<ServerConfig, WantsServerCert>, Error> {
    let provider = Arc::new(provider(tls)?);
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&versions(tls)?)
        .map_err(Error::Certificate)?;
    let client_auth = ClientAuth::parse(&tls.client_auth_type).ok_or_else(|| {
        Error::Value(format!("tls_server_config: unknown client_auth_type {:?}", tls.client_auth_type))
    })?;
    let has_authority = !tls.client_ca.is_empty() || !tls.client_ca_file.as_os_str().is_empty();
    match client_auth {
        ClientAuth::Nothing if has_authority => {
            Err(Error::Value("tls_server_config: client_ca needs a client_auth_type".into()))
        }
        ClientAuth::Nothing => Ok(builder.with_no_client_auth()),
        ClientAuth::Certificate { verified, .. } => {
            let roots = if verified { Some(authorities(tls)?) } else { None };
            let allowed = tls.client_allowed_sans.clone();
            let verifier = client_auth::verifier(client_auth, roots, allowed, provider)?;
            Ok(builder.with_client_cert_verifier(verifier))
        }
    }
}

fn authorities(tls: &Tls) -> Result<RootCertStore, Error> {
    let name = "client_ca or client_ca_file";
    let mut roots = RootCertStore::empty();
    for certificate in certificates(name, &content(name, &tls.client_ca, &tls.client_ca_file)?)? {
        roots.add(certificate).map_err(Error::Certificate)?;
    }
    Ok(roots)
}

/// The allowed versions of TLS. 1.0 and 1.1 are never used, even if they are allowed.
fn versions(tls: &Tls) -> Result<Vec<&'static SupportedProtocolVersion>, Error> {
    let number = |name: &str, default: u8| match name {
        "" => Ok(default),
        "TLS10" => Ok(10),
        "TLS11" => Ok(11),
        "TLS12" => Ok(12),
        "TLS13" => Ok(13),
        _ => Err(Error::Value(format!("tls_server_config: unknown TLS version {name:?}"))),
    };
    let range = number(&tls.min_version, 12)?..=number(&tls.max_version, 13)?;
    let known = [(13, &TLS13), (12, &TLS12)];
    let versions: Vec<_> =
        known.into_iter().filter(|(version, _)| range.contains(version)).map(|(_, known)| known).collect();
    if versions.is_empty() {
        return Err(Error::Value(
            "tls_server_config: min_version and max_version allow neither TLS 1.2 nor 1.3".into(),
        ));
    }
    Ok(versions)
}

/// The cipher suites and curves of the settings. Suites of TLS 1.3 cannot be selected; suites that only Go supports are
/// ignored.
fn provider(tls: &Tls) -> Result<CryptoProvider, Error> {
    let mut provider = aws_lc_rs::default_provider();
    if let Some(name) = tls.cipher_suites.iter().find(|name| !name.starts_with("TLS_")) {
        return Err(Error::Value(format!("tls_server_config: unknown cipher suite {name:?}")));
    }
    if !tls.cipher_suites.is_empty() {
        provider.cipher_suites.retain(|suite| {
            let name = suite.suite().as_str();
            suite.version().version == ProtocolVersion::TLSv1_3
                || tls.cipher_suites.iter().any(|wanted| Some(wanted.as_str()) == name)
        });
    }
    if !tls.curve_preferences.is_empty() {
        let wanted: Vec<NamedGroup> =
            tls.curve_preferences.iter().map(|name| curve(name)).collect::<Result<_, _>>()?;
        provider.kx_groups.retain(|group| wanted.contains(&group.name()));
        if provider.kx_groups.is_empty() {
            return Err(Error::Value(
                "tls_server_config: curve_preferences: none of them is supported".into(),
            ));
        }
    }
    Ok(provider)
}

fn curve(name: &str) -> Result<NamedGroup, Error> {
    match name {
        "CurveP256" => Ok(NamedGroup::secp256r1),
        "CurveP384" => Ok(NamedGroup::secp384r1),
        "CurveP521" => Ok(NamedGroup::secp521r1),
        "X25519" => Ok(NamedGroup::X25519),
        _ => Err(Error::Value(format!("tls_server_config: unknown curve {name:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tls() -> Tls {
        let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        Tls { cert: key.cert.pem(), key: key.signing_key.serialize_pem(), ..Tls::default() }
    }

    fn error(tls: &Tls) -> String {
        settings(tls).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn a_certificate_and_its_key_are_enough() {
        assert!(settings(&tls()).is_ok());
        assert_eq!(
            error(&Tls { key: String::new(), ..tls() }),
            "tls_server_config: key or key_file is missing"
        );
        assert_eq!(error(&Tls { key: tls().key, ..tls() }), "cannot use the certificate or key");
        assert_eq!(
            error(&Tls { cert: "nothing".into(), ..tls() }),
            "cert or cert_file: there is no certificate or key in PEM format"
        );
    }

    #[test]
    fn a_certificate_of_version_1_has_to_match_its_key() {
        let both = include_str!("tls/version-1.pem").to_owned();
        let good = Tls { cert: both.clone(), key: both, ..Tls::default() };
        assert!(settings(&good).is_ok());
        assert_eq!(error(&Tls { key: tls().key, ..good.clone() }), "cannot use the certificate or key");
        assert_eq!(error(&Tls { cert: tls().cert, ..good }), "cannot use the certificate or key");
    }

    #[test]
    fn versions_are_selected() {
        let chosen = |min: &str, max: &str| {
            let tls = Tls { min_version: min.into(), max_version: max.into(), ..Tls::default() };
            versions(&tls)
                .map(|all| all.iter().map(|one| one.version).collect::<Vec<_>>())
                .map_err(|e| e.to_string())
        };
        assert_eq!(chosen("", ""), Ok(vec![ProtocolVersion::TLSv1_3, ProtocolVersion::TLSv1_2]));
        assert_eq!(chosen("TLS10", "TLS12"), Ok(vec![ProtocolVersion::TLSv1_2]));
        assert_eq!(chosen("TLS13", ""), Ok(vec![ProtocolVersion::TLSv1_3]));
        assert!(
            chosen("", "TLS11").is_err() && chosen("TLS13", "TLS12").is_err() && chosen("SSL3", "").is_err()
        );
    }

    #[test]
    fn suites_and_curves_are_selected() {
        let name = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384";
        let wanted = Tls {
            cipher_suites: vec![name.into(), "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA".into()],
            curve_preferences: vec!["CurveP521".into(), "CurveP256".into()],
            ..Tls::default()
        };
        let provider = provider(&wanted).unwrap();
        let names: Vec<_> =
            provider.cipher_suites.iter().filter_map(|suite| suite.suite().as_str()).collect();
        assert_eq!(names.iter().filter(|name| name.starts_with("TLS_")).collect::<Vec<_>>(), [&name]);
        assert_eq!(names.len(), 4);
        let groups: Vec<_> = provider.kx_groups.iter().map(|group| group.name()).collect();
        assert_eq!(groups, [NamedGroup::secp256r1]);
    }

    #[test]
    fn client_auth_types_are_checked() {
        let with = |kind: &str, authority: &str| Tls {
            client_auth_type: kind.into(),
            client_ca: authority.into(),
            ..tls()
        };
        let authority = tls().cert;
        for (kind, authority, good) in [
            ("RequireAndVerifyClientCert", authority.as_str(), true),
            ("VerifyClientCertIfGiven", &authority, true),
            ("RequireAndVerifyClientCert", "", false),
            ("RequireAnyClientCert", "", true),
            ("RequestClientCert", "", true),
            ("NoClientCert", "", true),
            ("NoClientCert", &authority, false),
            ("Sometimes", "", false),
        ] {
            assert_eq!(settings(&with(kind, authority)).is_ok(), good, "{kind}");
        }
    }
}
