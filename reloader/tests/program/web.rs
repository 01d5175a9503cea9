//! The pages of the HTTP server, with and without TLS.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rcgen::{CertificateParams, CertifiedIssuer, KeyPair};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::program::{Program, page};

/// A certificate authority.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A certificate and its key, in PEM.
    fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        roots
    }
}

fn write(directory: &Path, name: &str, text: &str) {
    fs::write(directory.join(name), text).unwrap();
}

/// Requests `/healthz`, and returns the whole answer.
fn get(
    address: &str,
    roots: RootCertStore,
    identity: Option<&(String, String)>,
) -> Result<String, std::io::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
            builder.with_client_auth_cert(vec![certificate], key).unwrap()
        }
    };
    let client = ClientConnection::new(Arc::new(config), ServerName::try_from("reloader").unwrap()).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(address).unwrap());
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: reloader\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn start(directory: &Path, more: &[String]) -> (Program, String) {
    let config = directory.join("config.yaml");
    fs::write(&config, "a: 1\n").unwrap();
    let mut flags = vec![
        "--listen-address=127.0.0.1:0".to_owned(),
        format!("--config-file={}", config.display()),
        "--reload-url=http://127.0.0.1:1/".into(),
    ];
    flags.extend_from_slice(more);
    let program = Program::start(&flags);
    let address = program.address();
    (program, address)
}

#[test]
fn the_health_page_is_the_same_as_the_peers() {
    let directory = tempfile::tempdir().unwrap();
    let (_program, address) = start(directory.path(), &[]);
    assert_eq!(page(&address, "/healthz"), r#"{"status":"up"}"#);
}

#[test]
fn certificates_of_both_sides_are_verified_and_read_again_for_each_connection() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second, clients) = (Authority::new(), Authority::new(), Authority::new());
    let install = |authority: &Authority| {
        let (certificate, key) = authority.sign("reloader");
        write(directory.path(), "tls.crt", &certificate);
        write(directory.path(), "tls.key", &key);
    };
    install(&first);
    write(directory.path(), "clients.crt", &clients.0.pem());
    let text = "tls_server_config:\n  cert_file: tls.crt\n  key_file: tls.key\n  client_ca_file: clients.crt\n  \
                client_auth_type: RequireAndVerifyClientCert\n  client_allowed_sans: [scraper]\n  min_version: TLS12\n\
                http_server_config:\n  headers:\n    X-Content-Type-Options: nosniff\n";
    write(directory.path(), "web.yaml", text);
    let flag = format!("--web-config-file={}", directory.path().join("web.yaml").display());
    let (_program, address) = start(directory.path(), &[flag]);

    let scraper = clients.sign("scraper");
    let answer = get(&address, first.roots(), Some(&scraper)).unwrap();
    assert!(
        answer.contains("X-Content-Type-Options: nosniff\r\n") && answer.ends_with(r#"{"status":"up"}"#),
        "{answer}"
    );
    assert!(get(&address, first.roots(), None).is_err(), "without a certificate");
    assert!(get(&address, first.roots(), Some(&clients.sign("other"))).is_err(), "with another name");
    assert!(get(&address, first.roots(), Some(&first.sign("scraper"))).is_err(), "of another authority");

    install(&second);
    assert!(get(&address, first.roots(), Some(&scraper)).is_err(), "the old certificate is no longer used");
    assert!(get(&address, second.roots(), Some(&scraper)).is_ok());
}
