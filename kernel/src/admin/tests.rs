//! What is answered, and that it ends.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tower::ServiceExt as _;
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;
use crate::telemetry::filter;

struct Bench {
    admin: Admin,
    /// The level is known as long as somebody logs.
    _log: Box<dyn tracing::Subscriber>,
}

fn bench() -> Bench {
    let (layer, level) = filter("info").unwrap();
    let mut catalogue = Catalogue::default();
    catalogue.gauges("example_ready", [], "Whether the example is ready").with([]).set(1);
    let (liveness, readiness) = (Liveness::default(), Readiness::default());
    let admin = Admin { catalogue: Arc::new(catalogue), liveness, readiness, level };
    Bench { admin, _log: Box::new(tracing_subscriber::registry().with(layer)) }
}

async fn ask(admin: &Admin, method: Method, path: &str, body: &str) -> (u16, String) {
    let request = Request::builder().method(method).uri(path).body(Body::from(body.to_owned())).unwrap();
    let response = admin.clone().router().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 100_000).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn get_page(admin: &Admin, path: &str) -> (u16, String) {
    ask(admin, Method::GET, path, "").await
}

fn page(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[tokio::test]
async fn metrics_are_served_as_prometheus_reads_them() {
    let Bench { admin, .. } = bench();
    let request = Request::builder().uri("/metrics").body(Body::empty()).unwrap();
    let response = admin.clone().router().oneshot(request).await.unwrap();
    assert_eq!(response.headers()[header::CONTENT_TYPE], CONTENT_TYPE);
    assert_eq!(get_page(&admin, "/metrics").await, page(200, &admin.catalogue.expose().unwrap()));
}

#[tokio::test]
async fn it_is_ready_when_every_gate_is_open_and_says_what_is_missing_until_then() {
    let Bench { admin, .. } = bench();
    assert_eq!(get_page(&admin, "/readyz").await, page(200, "ok\n"), "nothing is missing");
    let pods = admin.readiness.gate("watch-pods", "the first list of pods is not complete");
    let apps = admin.readiness.gate("watch-exampleapps", "the first list of exampleapps is not complete");
    pods.open();
    let missing =
        "[-]watch-exampleapps failed: the first list of exampleapps is not complete\n[+]watch-pods ok\n";
    assert_eq!(get_page(&admin, "/readyz").await, page(503, &format!("{missing}readyz check failed\n")));
    apps.clone().open();
    assert_eq!(get_page(&admin, "/readyz").await, page(200, "ok\n"));
    let all = "[+]watch-exampleapps ok\n[+]watch-pods ok\nreadyz check passed\n";
    assert_eq!(get_page(&admin, "/readyz?verbose").await, page(200, all));
    assert!(admin.readiness.is_ready());
    pods.close("the definition is gone");
    let text = "[+]watch-exampleapps ok\n[-]watch-pods failed: the definition is gone\nreadyz check failed\n";
    assert_eq!(get_page(&admin, "/readyz").await, page(503, text));
    assert!(!admin.readiness.is_ready());
}

#[tokio::test]
async fn it_is_alive_as_long_as_its_checks_say_so() {
    let Bench { admin, .. } = bench();
    assert_eq!(get_page(&admin, "/healthz").await, page(200, "ok\n"));
    let stuck = Arc::new(AtomicBool::new(false));
    let look = stuck.clone();
    admin.liveness.add("driver", move || {
        if look.load(Ordering::Relaxed) { Err("no pass has ended for an hour".to_owned()) } else { Ok(()) }
    });
    assert_eq!(get_page(&admin, "/healthz?verbose").await, page(200, "[+]driver ok\nhealthz check passed\n"));
    stuck.store(true, Ordering::Relaxed);
    let text = "[-]driver failed: no pass has ended for an hour\nhealthz check failed\n";
    assert_eq!(get_page(&admin, "/healthz").await, page(503, text));
}

#[tokio::test]
async fn the_level_is_read_and_set_and_a_mistake_changes_nothing() {
    let Bench { admin, _log } = bench();
    assert_eq!(get_page(&admin, "/loglevel").await, page(200, "info\n"));
    assert_eq!(ask(&admin, Method::PUT, "/loglevel", "debug\n").await, page(200, "debug\n"));
    let refusal = "\"debugging\" is no level: take off, error, warn, info, debug or trace, \
                   or directives such as info,kernel=debug\n";
    assert_eq!(ask(&admin, Method::PUT, "/loglevel", "debugging").await, page(400, refusal));
    assert_eq!(get_page(&admin, "/loglevel").await, page(200, "debug\n"));
    let (status, _) = ask(&admin, Method::PUT, "/loglevel", &"x".repeat(LONGEST_BODY + 1)).await;
    assert_eq!(status, 413);
    let (status, _) = ask(&admin, Method::POST, "/loglevel", "debug").await;
    assert_eq!(status, 405);
}

#[tokio::test]
async fn it_answers_on_its_port() {
    let Bench { admin, _log } = bench();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let client = async {
        let mut asks = TcpStream::connect(address).await.unwrap();
        asks.write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        asks.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok\n"), "{answer}");
        stop.cancel();
    };
    let (served, ()) = tokio::join!(admin.serve(listener, stop.clone()), client);
    served.unwrap();
}
