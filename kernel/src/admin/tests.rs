//! The responses of the endpoints, and that the server stops.

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tower::ServiceExt as _;
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;
use crate::telemetry::filter;

fn admin() -> Admin {
    let mut catalogue = Catalogue::default();
    catalogue.ours().gauges("example_ready", [], "Whether the example is ready").with([]).set(1);
    Admin { catalogue: Arc::new(catalogue), readiness: Readiness::default() }
}

async fn send(router: Router, method: Method, path: &str, body: &str) -> (u16, String) {
    let request = Request::builder().method(method).uri(path).body(Body::from(body.to_owned())).unwrap();
    let response = router.oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 100_000).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn get_page(admin: &Admin, path: &str) -> (u16, String) {
    send(admin.clone().router(), Method::GET, path, "").await
}

fn page(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[tokio::test]
async fn metrics_are_served_as_prometheus_reads_them() {
    let admin = admin();
    let request = Request::builder().uri("/metrics").body(Body::empty()).unwrap();
    let response = admin.clone().router().oneshot(request).await.unwrap();
    assert_eq!(response.headers()[header::CONTENT_TYPE], CONTENT_TYPE);
    assert_eq!(get_page(&admin, "/metrics").await, page(200, &admin.catalogue.expose().unwrap()));
}

#[tokio::test]
async fn the_process_is_ready_once_every_gate_is_open() {
    let admin = admin();
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
async fn a_process_that_responds_is_alive() {
    assert_eq!(get_page(&admin(), "/healthz").await, page(200, "ok\n"));
    assert_eq!(get_page(&admin(), "/healthz?verbose").await, page(200, "healthz check passed\n"));
}

#[tokio::test]
async fn the_admin_port_does_not_serve_the_log_level() {
    let admin = admin();
    for method in [Method::GET, Method::PUT] {
        let (status, _) = send(admin.clone().router(), method, "/loglevel", "debug").await;
        assert_eq!(status, 404);
    }
}

#[tokio::test]
async fn the_log_level_is_read_and_set_and_invalid_values_are_rejected() {
    let (layer, level) = filter("info").unwrap();
    // The handle works only while the subscriber exists.
    let _log = tracing_subscriber::registry().with(layer);
    let level =
        async |method, body: &str| send(log_level::router(level.clone()), method, "/loglevel", body).await;
    assert_eq!(level(Method::GET, "").await, page(200, "info\n"));
    assert_eq!(level(Method::PUT, "debug\n").await, page(200, "debug\n"));
    let message = "\"debugging\" is not a log level: use off, error, warn, info, debug or trace, \
                   or directives such as info,kernel=debug\n";
    assert_eq!(level(Method::PUT, "debugging").await, page(400, message));
    assert_eq!(
        level(Method::PUT, "off").await,
        page(400, "\"off\" is rejected: errors are always logged; use error\n")
    );
    assert_eq!(level(Method::GET, "").await, page(200, "debug\n"));
    assert_eq!(level(Method::PUT, &"x".repeat(log_level::LONGEST_BODY + 1)).await.0, 413);
    assert_eq!(level(Method::POST, "debug").await.0, 405);
}

#[tokio::test]
async fn the_log_level_is_served_on_loopback_only() {
    let (_layer, level) = filter("info").unwrap();
    for address in ["0.0.0.0:0", "[::]:0", "10.0.0.1:0"] {
        let error = LogLevelServer::open(address.parse().unwrap(), level.clone()).await.unwrap_err();
        assert!(matches!(error, LogLevelError::NotLoopback(_)), "{error}");
    }
    LogLevelServer::open("127.0.0.1:0".parse().unwrap(), level).await.unwrap();
}

#[tokio::test]
async fn the_server_responds_on_its_port() {
    let admin = admin();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let client = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok\n"), "{answer}");
        stop.cancel();
    };
    let (served, ()) = tokio::join!(admin.serve(listener, stop.clone()), client);
    served.unwrap();
}
