//! Whether the lease may be looked at, on a server that answers by the second.

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http::{Request, Response};
use kube::client::Body;
use serde_json::json;
use tower::BoxError;

use crate::clock;
use crate::lease::LeaseObject;

/// The seconds at which the server was asked.
type Asked = Arc<Mutex<Vec<u64>>>;

/// What the server answers at a second.
type Code = fn(u64) -> u16;

/// A lease that is not there, on a server that says so where `code` is 404.
fn lease(code: Code) -> (LeaseObject, Asked) {
    let (start, asked) = (clock::now(), Asked::default());
    let seen = Arc::clone(&asked);
    let service = tower::service_fn(move |_: Request<Body>| {
        let second = seconds_since(start);
        seen.lock().unwrap().push(second);
        let code = code(second);
        let reason = if code == 404 { "NotFound" } else { "" };
        let body = json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason});
        let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
        ready(answer.map_err(BoxError::from))
    });
    (LeaseObject::new(kube::Client::new(service, "default"), "home", "mainstay"), asked)
}

fn seconds_since(start: Instant) -> u64 {
    (clock::now() - start).as_secs()
}

/// When it was asked until the lease could be looked at.
async fn asked_until_allowed(code: Code) -> Vec<u64> {
    let (lease, asked) = lease(code);
    tokio::time::timeout(Duration::from_hours(1), lease.allowed()).await.unwrap();
    std::mem::take(&mut *asked.lock().unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_just_begun_is_asked_often_and_later_seldom() {
    let late = |second| if second < 9 { 403 } else { 404 };
    assert_eq!(asked_until_allowed(late).await, [2, 4, 6, 8, 10]);
    let granted_later = |second| if second < 100 { 403 } else { 404 };
    let expected: Vec<u64> = (2..=30).step_by(2).chain([90, 150]).collect();
    assert_eq!(asked_until_allowed(granted_later).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_server_in_trouble_says_neither_yes_nor_no() {
    let troubled = |second| match second {
        0..5 => 500,
        5..7 => 403,
        _ => 404,
    };
    assert_eq!(asked_until_allowed(troubled).await, [2, 4, 6, 8]);
    let at_start: [(Code, bool); 3] = [(|_| 403, false), (|_| 404, true), (|_| 500, true)];
    for (code, may) in at_start {
        assert_eq!(lease(code).0.is_allowed().await, may, "{}", code(0));
    }
}
