//! Passes against a simulated API server.

use std::convert::Infallible;

use kernel::metrics::{Catalogue, Metrics as Kernel};
use kube::client::Body;
use serde_json::json;

use super::*;

/// The status codes of responses about a kind.
type Codes = &'static [(&'static str, u16)];

/// A server that creates the requested objects, unless it responds with one of these codes; and the requests.
fn server(codes: Codes) -> (Client, Arc<Mutex<Vec<String>>>) {
    let requests = Arc::<Mutex<Vec<String>>>::default();
    let log = Arc::clone(&requests);
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let log = Arc::clone(&log);
        async move {
            let (head, body) = request.into_parts();
            let path = head.uri.path();
            log.lock().unwrap().push(format!("{} {path}", head.method));
            let sent = body.collect_bytes().await.unwrap();
            let known = codes.iter().find(|(kind, _)| path.contains(kind)).map(|(_, code)| *code);
            let code = known.unwrap_or(if head.method == "GET" { 404 } else { 201 });
            let reason = if code == 404 { "NotFound" } else { "" };
            let failure = json!({"status": "Failure", "code": code, "reason": reason}).to_string();
            let answer = if code < 400 { sent.to_vec() } else { failure.into_bytes() };
            let answer = http::Response::builder().status(code).body(Body::from(answer)).unwrap();
            Ok::<_, Infallible>(answer)
        }
    });
    (Client::new(service, "n"), requests)
}

fn work(client: Client, slices: bool, leads: bool) -> Work {
    let kernel = Kernel::register(&mut Catalogue::default(), "", "");
    let settings = KubeletSettings {
        namespace: "n".into(),
        name: "kubelet".into(),
        endpoint_slices: slices,
        ..KubeletSettings::default()
    };
    let tools = Tools::without_stores(client, MANAGER, Arc::new(move || leads));
    Work {
        writer: Writer::new(&DECLARATION, tools),
        settings,
        endpoints: true,
        known: Shared::default(),
        period: Duration::from_mins(3),
        metrics: KubeletMetrics::register(&mut Catalogue::default(), &kernel, true, slices),
        unreachable: Mutex::default(),
        is_denied: AtomicBool::default(),
    }
}

async fn pass(codes: Codes, slices: bool, leads: bool) -> (Outcome, Vec<String>) {
    let (client, requests) = server(codes);
    let outcome = work(client, slices, leads).pass().await;
    let requests = requests.lock().unwrap().clone();
    (outcome, requests)
}

const SERVICES: [&str; 2] =
    ["GET /api/v1/namespaces/n/services/kubelet", "POST /api/v1/namespaces/n/services"];
const ENDPOINTS: [&str; 2] =
    ["GET /api/v1/namespaces/n/endpoints/kubelet", "POST /api/v1/namespaces/n/endpoints"];

#[test]
fn a_message_is_logged_once_and_again_when_it_returns() {
    let current = |messages: &[&str]| messages.iter().map(|message| (*message).to_owned()).collect();
    let mut logged = BTreeSet::new();
    assert_eq!(new_messages(&mut logged, current(&["a", "b"])), ["a", "b"]);
    assert_eq!(new_messages(&mut logged, current(&["b", "c"])), ["c"]);
    assert_eq!(new_messages(&mut logged, current(&["a"])), ["a"]);
}

#[tokio::test]
async fn missing_objects_are_created_and_checked_again_after_the_period() {
    let (outcome, requests) = pass(&[], false, true).await;
    assert_eq!(outcome, Outcome::Waiting(Duration::from_mins(3)));
    assert_eq!(requests, [SERVICES, ENDPOINTS].concat());
}

#[tokio::test]
async fn a_process_that_is_not_the_leader_sends_no_requests() {
    assert_eq!(pass(&[], true, false).await, (Outcome::Waiting(SOON), Vec::new()));
}

#[tokio::test]
async fn a_part_is_tried_even_if_another_one_fails() {
    let (outcome, requests) = pass(&[("services", 500)], false, true).await;
    assert_eq!(outcome, Outcome::Failed);
    assert_eq!(requests, [&SERVICES[..1], &ENDPOINTS].concat());
}

#[tokio::test]
async fn a_missing_permission_for_slices_is_not_a_failure_but_any_other_error_is() {
    let list = "GET /apis/discovery.k8s.io/v1/namespaces/n/endpointslices";
    for (codes, expected) in [
        (&[("endpointslices", 403)], Outcome::Waiting(Duration::from_mins(3))),
        (&[("endpointslices", 500)], Outcome::Failed),
    ] {
        let (outcome, requests) = pass(codes, true, true).await;
        assert_eq!(outcome, expected);
        assert_eq!(requests, [&SERVICES[..], &[list], &ENDPOINTS].concat());
    }
}
