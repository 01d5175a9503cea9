//! The permission to read the lease, on a server whose answers depend on the second.

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http::{Request, Response};
use kube::client::Body;
use serde_json::json;
use tower::BoxError;

use crate::clock;
use crate::lease::LeaseObject;

/// The seconds of the requests.
type Requests = Arc<Mutex<Vec<u64>>>;

/// What the server answers at a second.
type Code = fn(u64) -> u16;

/// A lease that does not exist, on a server that answers with these status codes.
fn lease(code: Code) -> (LeaseObject, Requests) {
    let (start, requests) = (clock::now(), Requests::default());
    let seen = Arc::clone(&requests);
    let service = tower::service_fn(move |_: Request<Body>| {
        let second = seconds_since(start);
        seen.lock().unwrap().push(second);
        let code = code(second);
        let reason = if code == 404 { "NotFound" } else { "" };
        let body = json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason});
        let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
        ready(answer.map_err(BoxError::from))
    });
    (LeaseObject::new(kube::Client::new(service, "default"), "home", "mainstay"), requests)
}

fn seconds_since(start: Instant) -> u64 {
    (clock::now() - start).as_secs()
}

/// The seconds of the requests until the lease could be read.
async fn requests_until_allowed(code: Code) -> Vec<u64> {
    let (lease, requests) = lease(code);
    tokio::time::timeout(Duration::from_hours(1), lease.allowed()).await.unwrap();
    std::mem::take(&mut *requests.lock().unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_permission_is_checked_often_at_first_and_seldom_later() {
    let late = |second| if second < 9 { 403 } else { 404 };
    assert_eq!(requests_until_allowed(late).await, [2, 4, 6, 8, 10]);
    let granted_later = |second| if second < 100 { 403 } else { 404 };
    let expected: Vec<u64> = (2..=30).step_by(2).chain([90, 150]).collect();
    assert_eq!(requests_until_allowed(granted_later).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_failing_server_neither_grants_nor_denies() {
    let failing = |second| match second {
        0..5 => 500,
        5..7 => 403,
        _ => 404,
    };
    assert_eq!(requests_until_allowed(failing).await, [2, 4, 6, 8]);
    let at_start: [(Code, bool); 3] = [(|_| 403, false), (|_| 404, true), (|_| 500, true)];
    for (code, is_allowed) in at_start {
        assert_eq!(lease(code).0.is_allowed().await, is_allowed, "{}", code(0));
    }
}
