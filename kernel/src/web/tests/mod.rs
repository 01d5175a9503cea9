//! Tests with real connections, and a TLS client that other tests use.

mod connections;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use super::*;

/// A self-signed certificate for `localhost`.
pub(crate) fn pair() -> Pair {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    Pair { certificate: made.cert.pem(), key: PrivateKey::new(made.signing_key.serialize_pem()) }
}

/// A directory with certificates.
pub(crate) struct Directory(tempfile::TempDir);

impl Directory {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// Writes a certificate and its key.
    pub(crate) fn put(&self, pair: &Pair) {
        self.write("tls.crt", &pair.certificate);
        self.write("tls.key", pair.key.reveal());
    }

    pub(crate) fn settings(&self) -> TlsSettings {
        TlsSettings {
            certificate: self.path().join("tls.crt"),
            key: self.path().join("tls.key"),
            client_authority: Some(self.path().join("tls-ca.crt")),
            check_every: Duration::ZERO,
            oldest: TlsVersion::Tls12,
            cipher_suites: [].into(),
            curves: [].into(),
            http2: false,
        }
    }
}

/// A TLS client.
#[derive(Clone, Default)]
pub(crate) struct Caller {
    /// The trusted authorities, in PEM.
    pub(crate) trusts: String,
    /// The client certificate.
    pub(crate) presents: Option<Pair>,
    /// Whether it offers HTTP/2.
    pub(crate) http2: bool,
    /// Whether TLS 1.2 is the newest version that it supports.
    pub(crate) tls12: bool,
}

/// Sends requests over one connection.
enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// A connection that is open.
pub(crate) struct Connected {
    sender: Sender,
    /// The certificate that the server presented.
    pub(crate) presented: Vec<u8>,
    _connection: JoinSet<()>,
}

impl Caller {
    fn config(&self) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(self.trusts.as_bytes()) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let versions = if self.tls12 { vec![&TLS12] } else { vec![&TLS13, &TLS12] };
        let builder = ClientConfig::builder_with_provider(Arc::new(crypto::aws_lc_rs::default_provider()))
            .with_protocol_versions(&versions)
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match &self.presents {
            None => builder.with_no_client_auth(),
            Some(pair) => {
                let certificate = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap();
                let key = PrivateKeyDer::from_pem_slice(pair.key.reveal().as_bytes()).unwrap();
                builder.with_client_auth_cert(vec![certificate], key).unwrap()
            }
        };
        if self.http2 {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        config
    }

    /// Connects, with the TLS handshake.
    pub(crate) async fn connect(&self, address: SocketAddr) -> std::io::Result<Connected> {
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TlsConnector::from(Arc::new(self.config())).connect(name, stream).await?;
        let presented = stream.get_ref().1.peer_certificates().unwrap()[0].to_vec();
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let (stream, mut tasks) = (TokioIo::new(stream), JoinSet::new());
        let sender = if is_http2 {
            let executor = TokioExecutor::new();
            let (sender, connection) = http2::handshake(executor, stream).await.unwrap();
            tasks.spawn(async move { drop(connection.await) });
            Sender::Http2(sender)
        } else {
            let (sender, connection) = http1::handshake(stream).await.unwrap();
            tasks.spawn(async move { drop(connection.await) });
            Sender::Http1(sender)
        };
        Ok(Connected { sender, presented, _connection: tasks })
    }
}

impl Connected {
    pub(crate) fn is_http2(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> hyper::Result<(StatusCode, Bytes)> {
        let answer = match &mut self.sender {
            Sender::Http1(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
            Sender::Http2(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
        };
        Ok((answer.status(), answer.into_body().collect().await?.to_bytes()))
    }

    /// Gets a page.
    pub(crate) async fn get(&mut self, path: &str) -> hyper::Result<(StatusCode, Bytes)> {
        let host = if self.is_http2() { format!("https://localhost{path}") } else { path.to_owned() };
        let request = Request::get(host).header("host", "localhost").body(Full::default()).unwrap();
        self.send(request).await
    }
}
