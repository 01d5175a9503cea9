//! The server over real TLS, and replicas that share a Secret.

mod agreement;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};
use tokio_util::sync::CancellationToken;

use super::admission::tests::review;
use super::conversion::tests::{review as conversion_review, toy};
use super::*;
use crate::clock;

fn wanted() -> Wanted {
    Wanted::names(["localhost"])
}

/// A server under way.
struct Running {
    address: SocketAddr,
    presented: Presented,
    bundle: Bundle,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Running {
    async fn start(limits: Limits) -> Self {
        let (presented, stop) = (Presented::default(), CancellationToken::new());
        let bundle = Bundle::make(clock::timestamp(), &wanted()).unwrap();
        presented.present(Identity::of(&bundle.serving).unwrap());
        let server = Server { routes: routes(), presented: presented.clone(), limits };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut tasks = JoinSet::new();
        let stopped = stop.clone();
        tasks.spawn(async move { server.serve(listener, stopped).await.unwrap() });
        Self { address, presented, bundle, stop, tasks }
    }

    async fn connect(&mut self) -> Connected {
        self.connect_trusting(&self.bundle.trusted()).await.unwrap()
    }

    async fn connect_trusting(&mut self, trusted: &str) -> std::io::Result<Connected> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(trusted.as_bytes()) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let provider = Arc::new(crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = TcpStream::connect(self.address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        let shown = stream.get_ref().1.peer_certificates().unwrap()[0].to_vec();
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        self.tasks.spawn(async move { drop(connection.await) });
        Ok(Connected { sender, shown })
    }
}

/// A client of it.
struct Connected {
    sender: SendRequest<Full<Bytes>>,
    shown: Vec<u8>,
}

impl Connected {
    async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> (StatusCode, Bytes) {
        let request = Request::post(path).header("host", "localhost").body(Full::new(body.into())).unwrap();
        self.sender.ready().await.unwrap();
        let answer = self.sender.send_request(request).await.unwrap();
        (answer.status(), answer.into_body().collect().await.unwrap().to_bytes())
    }

    async fn review(&mut self, path: &str, review: &Value) -> Value {
        let (status, body) = self.post(path, review.to_string()).await;
        assert_eq!(status, StatusCode::OK, "{body:?}");
        serde_json::from_slice(&body).unwrap()
    }
}

fn routes() -> Routes {
    Routes::default()
        .admission("/validate", |request| match request.object {
            Some(object) if object.data["data"]["word"] == "bad" => Verdict::deny("`bad` is no good word"),
            Some(object) if object.data["data"]["word"] == "panic" => panic!("a defect"),
            Some(object) if object.data["data"]["word"] == "slow" => {
                // Past the answer's limit; a thread of the pool is all that it holds.
                std::sync::mpsc::channel::<()>().1.recv_timeout(Duration::from_secs(2)).ok();
                Verdict::allow()
            }
            _ => Verdict::allow(),
        })
        .conversion("/convert", |desired, mut object| {
            object["apiVersion"] = desired.into();
            Ok(object)
        })
}

fn config(word: &str) -> Value {
    review(
        &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"word": word}}),
    )
}

#[tokio::test]
async fn it_answers_reviews() {
    let mut server = Running::start(Limits::default()).await;
    let mut client = server.connect().await;
    assert_eq!(client.review("/validate", &config("good")).await["response"]["allowed"], true);
    let denied = client.review("/validate", &config("bad")).await;
    assert_eq!(denied["response"]["allowed"], false);
    assert_eq!(denied["response"]["status"]["message"], "`bad` is no good word");
    let converted = client.review("/convert", &conversion_review(&[toy("v1", "one")])).await;
    assert_eq!(converted["response"]["convertedObjects"], json!([toy("v2", "one")]));
    assert_eq!(converted["response"]["result"]["status"], "Success");
    assert_eq!(client.post("/nowhere", "").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn nonsense_panics_and_slowness_cost_one_request() {
    let limits = Limits { answer: Duration::from_millis(300), body: 4 << 20, ..Limits::default() };
    let mut server = Running::start(limits).await;
    let mut client = server.connect().await;
    assert_eq!(client.post("/validate", "{").await.0, StatusCode::BAD_REQUEST);
    assert_eq!(client.post("/convert", "[1]").await.0, StatusCode::BAD_REQUEST);
    let (status, words) = client.post("/validate", config("panic").to_string()).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(String::from_utf8_lossy(&words).contains("a defect of the operator"), "{words:?}");
    assert_eq!(client.post("/validate", config("slow").to_string()).await.0, StatusCode::GATEWAY_TIMEOUT);
    assert_eq!(client.review("/validate", &config("good")).await["response"]["allowed"], true);

    let large = client.review("/validate", &config(&"x".repeat(3 << 20))).await;
    assert_eq!(large["response"]["allowed"], true, "the largest object passes");
    let mut other = server.connect().await;
    assert_eq!(other.post("/validate", vec![b' '; 5 << 20]).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    // Whoever speaks no TLS is no harm either.
    drop(TcpStream::connect(server.address).await.unwrap());
    let mut last = server.connect().await;
    assert_eq!(last.review("/validate", &config("good")).await["response"]["allowed"], true);
}

#[tokio::test]
async fn a_rotation_drops_no_connection() {
    let mut server = Running::start(Limits::default()).await;
    let mut open = server.connect().await;
    open.review("/validate", &config("good")).await;
    let before = server.bundle.trusted();
    let renew =
        |bundle, decision| Bundle::carry_out(Some(bundle), decision, clock::timestamp(), &wanted()).unwrap();
    let joined = renew(server.bundle.clone(), Renewal::RenewAuthority);
    server.bundle = renew(joined, Renewal::RenewServing);
    server.presented.present(Identity::of(&server.bundle.serving).unwrap());

    assert_eq!(open.review("/validate", &config("good")).await["response"]["allowed"], true);
    let mut new = server.connect().await;
    assert_ne!(new.shown, open.shown);
    assert_eq!(new.review("/validate", &config("bad")).await["response"]["allowed"], false);
    assert!(server.connect_trusting(&before).await.is_err(), "who trusts the old one alone is told nothing");
}

#[tokio::test]
async fn a_stop_lets_requests_finish() {
    let limits = Limits { answer: Duration::from_secs(30), ..Limits::default() };
    let mut server = Running::start(limits).await;
    let mut client = server.connect().await;
    let stop = server.stop.clone();
    let stopping = async {
        clock::until(Some(clock::now() + Duration::from_millis(200))).await;
        stop.cancel();
    };
    let slow = config("slow");
    let (answer, ()) = tokio::join!(client.review("/validate", &slow), stopping);
    assert_eq!(answer["response"]["allowed"], true);
    while server.tasks.join_next().await.is_some() {}
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn files_are_read_again_when_they_change() {
    let directory = tempfile::tempdir().unwrap();
    let files =
        Files { certificate: directory.path().join("tls.crt"), key: directory.path().join("tls.key") };
    let mut server = Running::start(Limits::default()).await;
    let (notices, mut told) = tokio::sync::mpsc::unbounded_channel();
    let every = Duration::from_millis(20);
    let tell = move |notice| drop(notices.send(notice));
    let following = files.clone().follow(server.presented.clone(), every, tell, server.stop.clone());
    server.tasks.spawn(following);
    assert!(matches!(told.recv().await, Some(Notice::Trouble(RotationError::File(..)))));

    let mut shown = Vec::new();
    for _ in 0..2 {
        server.bundle = Bundle::make(clock::timestamp(), &wanted()).unwrap();
        std::fs::write(&files.certificate, &server.bundle.serving.certificate).unwrap();
        // Between the two the pair does not fit: the one before stays.
        while !matches!(told.recv().await, Some(Notice::Trouble(_))) {}
        std::fs::write(&files.key, server.bundle.serving.key.reveal()).unwrap();
        while !matches!(told.recv().await, Some(Notice::Presented)) {}
        shown.push(server.connect().await.shown);
    }
    assert_ne!(shown[0], shown[1]);
}

#[test]
fn a_moment_is_a_value() {
    let now = Timestamp::from_second(1_800_000_000).unwrap();
    let bundle = Bundle::make(now, &wanted()).unwrap();
    let inventory = bundle.inventory().unwrap();
    assert_eq!(decide(now, Some(&inventory), &wanted()), Renewal::Keep(inventory.serving.renewal()));
}
