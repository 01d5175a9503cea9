//! The server over real TLS, and replicas that share a Secret.

mod agreement;

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::Full;
use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::clock;
use crate::web::tests::{Caller, Connected};
use crate::web::{self, Protection, WebServer};

/// A review as an API server sends it.
pub(super) fn review(object: &Value) -> Value {
    let kind = json!({"group": "", "version": "v1", "kind": "ConfigMap"});
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "u-1",
            "kind": kind,
            "resource": {"group": "", "version": "v1", "resource": "configmaps"},
            "name": "a",
            "namespace": "d",
            "operation": "CREATE",
            "userInfo": {"username": "me"},
            "object": object,
            "oldObject": null,
        },
    })
}

fn wanted() -> Wanted {
    Wanted::names(["localhost"])
}

/// A running server.
struct Running {
    address: SocketAddr,
    presented: Presented,
    bundle: Bundle,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Running {
    async fn start(limits: WebhookLimits) -> Self {
        let (presented, stop) = (Presented::default(), CancellationToken::new());
        let bundle = Bundle::make(clock::timestamp(), &wanted()).unwrap();
        presented.present(TlsIdentity::of(&bundle.serving).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let protection = Protection::Presented(presented.clone());
        let server = WebServer { listener, protection, limits: web::ServerLimits::default() };
        let mut tasks = JoinSet::new();
        let stopped = stop.clone();
        tasks.spawn(async move { server.serve(routes().router(&limits), stopped).await.unwrap() });
        Self { address, presented, bundle, stop, tasks }
    }

    async fn connect(&self) -> Connected {
        self.connect_trusting(&self.bundle.trusted()).await.unwrap()
    }

    async fn connect_trusting(&self, trusted: &str) -> std::io::Result<Connected> {
        Caller { trusts: trusted.to_owned(), ..Caller::default() }.connect(self.address).await
    }
}

async fn post(client: &mut Connected, path: &str, body: impl Into<Bytes>) -> (StatusCode, Bytes) {
    let request = Request::post(path).header("host", "localhost").body(Full::new(body.into())).unwrap();
    client.send(request).await.unwrap()
}

async fn send_review(client: &mut Connected, path: &str, review: &Value) -> Value {
    let (status, body) = post(client, path, review.to_string()).await;
    assert_eq!(status, StatusCode::OK, "{body:?}");
    serde_json::from_slice(&body).unwrap()
}

fn routes() -> Routes {
    Routes::default()
        .admission("/validate", |request| match request.object {
            Some(object) if object.data["data"]["word"] == "bad" => Verdict::deny("`bad` is no good word"),
            Some(object) if object.data["data"]["word"] == "panic" => panic!("a defect"),
            Some(object) if object.data["data"]["word"] == "slow" => {
                // Longer than the timeout; it blocks only one thread of the pool.
                std::sync::mpsc::channel::<()>().1.recv_timeout(Duration::from_secs(2)).ok();
                Verdict::allow()
            }
            _ => Verdict::allow(),
        })
        .plain("/plain", |question| match question.content_type {
            Some("text/plain") => Ok(question.body.to_ascii_uppercase()),
            other => {
                let (code, message) = (StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("{other:?}"));
                Err(WebhookError { code, message })
            }
        })
}

fn config(word: &str) -> Value {
    review(
        &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"word": word}}),
    )
}

#[tokio::test]
async fn reviews_are_answered() {
    let server = Running::start(WebhookLimits::default()).await;
    let mut client = server.connect().await;
    assert_eq!(send_review(&mut client, "/validate", &config("good")).await["response"]["allowed"], true);
    let denied = send_review(&mut client, "/validate", &config("bad")).await;
    assert_eq!(denied["response"]["allowed"], false);
    assert_eq!(denied["response"]["status"]["message"], "`bad` is no good word");
    assert_eq!(post(&mut client, "/nowhere", "").await.0, StatusCode::NOT_FOUND);
    assert_eq!(post(&mut client, "/plain", "a").await, (StatusCode::UNSUPPORTED_MEDIA_TYPE, "None".into()));
    let request = Request::put("/plain").header("host", "localhost").header("content-type", "text/plain");
    let answer = client.send(request.body(Full::from("a")).unwrap()).await.unwrap();
    assert_eq!(answer, (StatusCode::OK, "A".into()));
}

#[tokio::test]
async fn invalid_slow_and_panicking_requests_do_not_affect_others() {
    let limits = WebhookLimits { answer: Duration::from_secs(1), body: 4 << 20 };
    let server = Running::start(limits).await;
    let mut client = server.connect().await;
    assert_eq!(post(&mut client, "/validate", "{").await.0, StatusCode::BAD_REQUEST);
    let (status, message) = post(&mut client, "/validate", config("panic").to_string()).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(String::from_utf8_lossy(&message).contains("a bug in the operator"), "{message:?}");
    assert_eq!(
        post(&mut client, "/validate", config("slow").to_string()).await.0,
        StatusCode::GATEWAY_TIMEOUT
    );
    assert_eq!(send_review(&mut client, "/validate", &config("good")).await["response"]["allowed"], true);

    let large = send_review(&mut client, "/validate", &config(&"x".repeat(3 << 20))).await;
    assert_eq!(large["response"]["allowed"], true, "the largest object passes");
    let mut other = server.connect().await;
    assert_eq!(post(&mut other, "/validate", vec![b' '; 5 << 20]).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    // A client without TLS does not affect others.
    drop(TcpStream::connect(server.address).await.unwrap());
    let mut last = server.connect().await;
    assert_eq!(send_review(&mut last, "/validate", &config("good")).await["response"]["allowed"], true);
}

#[tokio::test]
async fn a_rotation_drops_no_connection() {
    let mut server = Running::start(WebhookLimits::default()).await;
    let mut open = server.connect().await;
    send_review(&mut open, "/validate", &config("good")).await;
    let before = server.bundle.trusted();
    let renew =
        |bundle, renewal| Bundle::carry_out(Some(bundle), renewal, clock::timestamp(), &wanted()).unwrap();
    let joined = renew(server.bundle.clone(), Renewal::RenewAuthority);
    server.bundle = renew(joined, Renewal::RenewServing);
    server.presented.present(TlsIdentity::of(&server.bundle.serving).unwrap());

    assert_eq!(send_review(&mut open, "/validate", &config("good")).await["response"]["allowed"], true);
    let mut new = server.connect().await;
    assert_ne!(new.presented, open.presented);
    assert_eq!(send_review(&mut new, "/validate", &config("bad")).await["response"]["allowed"], false);
    assert!(server.connect_trusting(&before).await.is_err(), "it needs the new authority");
}

#[tokio::test]
async fn a_stop_lets_requests_finish() {
    let limits = WebhookLimits { answer: Duration::from_secs(30), ..WebhookLimits::default() };
    let mut server = Running::start(limits).await;
    let mut client = server.connect().await;
    let stop = server.stop.clone();
    let stopping = async {
        clock::until(Some(clock::now() + Duration::from_millis(200))).await;
        stop.cancel();
    };
    let slow = config("slow");
    let (answer, ()) = tokio::join!(send_review(&mut client, "/validate", &slow), stopping);
    assert_eq!(answer["response"]["allowed"], true);
    while server.tasks.join_next().await.is_some() {}
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[test]
fn renewals_depend_only_on_the_given_time() {
    let now = Timestamp::from_second(1_800_000_000).unwrap();
    let bundle = Bundle::make(now, &wanted()).unwrap();
    let inventory = bundle.inventory().unwrap();
    assert_eq!(decide(now, Some(&inventory), &wanted()), Renewal::Keep(inventory.serving.renewal()));
}
