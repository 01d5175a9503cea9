//! What is asked for, how often, and what of it is new.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Mutex;

use http::{Request, Response, StatusCode};
use kernel::object::Object;
use kernel::store::Event;
use kernel::stores::{Namespaces, Scopes};
use kube::client::Body;
use serde_json::json;

use super::*;
use crate::shared::held;

/// A server that has Secrets at these versions, and lets nobody read those that have none; and what it was asked for.
#[derive(Default)]
struct Server {
    versions: Mutex<BTreeMap<&'static str, &'static str>>,
    asked: Mutex<Vec<String>>,
}

impl Server {
    fn client(self: &Arc<Self>) -> Client {
        let server = Arc::clone(self);
        let service = tower::service_fn(move |request: Request<Body>| {
            let name = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
            let (code, body) = match held(&server.versions).get(name.as_str()) {
                Some(&"") => (403, json!({"kind": "Status", "status": "Failure", "code": 403})),
                Some(version) => (200, json!({"metadata": {"name": name, "resourceVersion": version}})),
                None => {
                    (404, json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"}))
                }
            };
            held(&server.asked).push(name);
            let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
            ready(answer.map_err(tower::BoxError::from))
        });
        Client::new(service, "default")
    }
}

fn stores() -> Stores {
    Stores::new(&[&crate::PROMETHEUS], "test", &Scopes::from(Namespaces::AllBut(Vec::new())))
}

fn secret(name: &str) -> Reference {
    Reference { source: Source::Secret, namespace: "a".into(), name: name.into() }
}

#[test]
fn names_that_no_object_has_are_known() {
    for name in ["a", "a-b.c", "0", "a.b.c"] {
        assert!(can_be(name), "{name}");
    }
    for name in ["", "A", "a b", "a/b", "-a", "a-", "a..b", ".", "..", "a_b", "\u{e4}", &"a".repeat(254)] {
        assert!(!can_be(name), "{name}");
    }
}

#[tokio::test]
async fn what_cannot_be_there_is_absent_and_what_may_not_be_read_stops_nobody() {
    let service = tower::service_fn(|_: Request<Body>| {
        let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403});
        let body = Body::from(status.to_string().into_bytes());
        let answer = Response::builder().status(StatusCode::FORBIDDEN).body(body);
        ready(answer.map_err(tower::BoxError::from))
    });
    let client = Client::new(service, "default");
    let stores = stores();
    let mut vault = Vault::default();
    let wanted = BTreeSet::from([secret(""), secret("a/b"), secret("kept")]);
    assert!(vault.fetch(&wanted, &stores, &client).await.unwrap());
    assert_eq!(vault.forbidden(wanted.iter()), Some(&secret("kept")));
    assert!(matches!(vault.contents[&secret("")], Content::Absent));
    let objects = vault.objects();
    let reader = monitoring_assets::Reader::new(&objects, "a");
    let read = |name: &str| {
        let selector = serde_json::from_value(json!({"name": name, "key": "k"})).unwrap();
        reader.secret(&selector).unwrap_err().to_string()
    };
    assert_eq!(read("a/b"), "unable to get secret \"a/b\": secrets \"a/b\" not found");
    assert_eq!(
        read("kept"),
        "unable to get secret \"kept\": the operator may not read it; grant get on secrets in its namespace"
    );
}

#[tokio::test]
async fn what_nobody_tells_of_is_asked_for_once_in_a_pass_and_is_new_only_if_it_changed() {
    let server = Arc::new(Server::default());
    let (client, stores) = (server.client(), stores());
    let mut vault = Vault::default();
    let wanted = BTreeSet::from(["absent", "denied", "kept"].map(secret));
    let all = ["absent", "denied", "kept"].as_slice();
    // It is not asked again so soon for what may not be read.
    let others = ["absent", "kept"].as_slice();
    let rows = [
        ([("denied", ""), ("kept", "1")].as_slice(), true, all),
        (&[("denied", ""), ("kept", "1")], false, others),
        (&[("denied", ""), ("kept", "2")], true, others),
        (&[("denied", ""), ("kept", "2"), ("absent", "3")], true, others),
        (&[("denied", ""), ("kept", ""), ("absent", "3")], true, others),
        (&[("denied", ""), ("kept", "2")], true, &["absent"]),
    ];
    for (versions, is_new, asked) in rows {
        *held(&server.versions) = versions.iter().copied().collect();
        vault.begin();
        assert_eq!(vault.fetch(&wanted, &stores, &client).await.unwrap(), is_new, "{versions:?}");
        assert!(!vault.fetch(&wanted, &stores, &client).await.unwrap(), "{versions:?}");
        assert_eq!(std::mem::take(&mut *held(&server.asked)), asked, "{versions:?}");
    }
}

#[tokio::test]
async fn what_a_watch_tells_of_late_is_asked_for_again_and_is_nothing_new() {
    let server = Arc::new(Server::default());
    held(&server.versions).insert("kept", "2");
    let (client, stores) = (server.client(), stores());
    let tell = |version: &str| {
        let outline = json!({"metadata": {"namespace": "a", "name": "kept", "resourceVersion": version}});
        let outline = Object::new(serde_json::from_value(outline).unwrap(), &kinds::SECRET.resource());
        let mut partition = stores.partition(kinds::SECRET, "a").unwrap().write();
        for event in [Event::Begin, Event::Listed(outline), Event::Complete] {
            partition.see(event);
        }
    };
    let (mut vault, wanted) = (Vault::default(), BTreeSet::from([secret("kept")]));
    tell("1");
    assert!(vault.fetch(&wanted, &stores, &client).await.unwrap());
    assert!(!vault.fetch(&wanted, &stores, &client).await.unwrap());
    tell("2");
    vault.begin();
    assert!(!vault.fetch(&wanted, &stores, &client).await.unwrap());
    assert_eq!(held(&server.asked).len(), 2);
}
