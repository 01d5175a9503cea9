//! Tests of which objects are requested, and how often.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::{Mutex, MutexGuard};

use http::{Request, Response, StatusCode};
use kernel::object::Object;
use kernel::store::Event;
use kernel::stores::{Namespaces, Scopes};
use kube::client::Body;
use serde_json::json;

use super::*;

/// An API server with Secrets at these versions; an empty version is forbidden. It records the requests.
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
                Some(version) => {
                    (200, json!({"metadata": {"namespace": "a", "name": name, "resourceVersion": version}}))
                }
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

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

/// The versions at which these objects were read; empty for one that was not read.
fn versions(contents: &Contents, these: &BTreeSet<Reference>) -> Vec<String> {
    let objects = contents.objects();
    these.iter().map(|one| objects.version(one).unwrap_or_default().to_owned()).collect()
}

fn secret(name: &str) -> Reference {
    Reference::secret("a", name)
}

#[test]
fn impossible_names_are_recognized() {
    for name in ["a", "a-b.c", "0", "a.b.c"] {
        assert!(is_valid_name(name), "{name}");
    }
    for name in ["", "A", "a b", "a/b", "-a", "a-", "a..b", ".", "..", "a_b", "\u{e4}", &"a".repeat(254)] {
        assert!(!is_valid_name(name), "{name}");
    }
}

#[tokio::test]
async fn impossible_objects_are_absent_and_forbidden_ones_do_not_fail_the_pass() {
    let service = tower::service_fn(|_: Request<Body>| {
        let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403});
        let body = Body::from(status.to_string().into_bytes());
        let answer = Response::builder().status(StatusCode::FORBIDDEN).body(body);
        ready(answer.map_err(tower::BoxError::from))
    });
    let client = Client::new(service, "default");
    let stores = stores();
    let mut contents = Contents::default();
    let wanted = BTreeSet::from([secret(""), secret("a/b"), secret("kept")]);
    contents.fetch(wanted.clone(), &stores, &client).await.unwrap();
    assert_eq!(contents.forbidden(&wanted), Some(&secret("kept")));
    assert!(contents.is_denied());
    assert_eq!(contents.known[&secret("")], Known::Read(None));
    let objects = contents.objects();
    let reader = monitoring_assets::Reader::new(&objects, "a");
    let read = |name: &str| {
        let selector = serde_json::from_value(json!({"name": name, "key": "k"})).unwrap();
        reader.secret(&selector).unwrap_err().to_string()
    };
    assert_eq!(read("a/b"), "unable to get secret \"a/b\": secrets \"a/b\" not found");
    assert_eq!(
        read("kept"),
        "unable to get secret \"kept\": the operator needs permission to get secrets in its namespace"
    );
}

#[tokio::test]
async fn objects_without_a_watch_are_read_once_in_each_pass() {
    let server = Arc::new(Server::default());
    let (client, stores) = (server.client(), stores());
    let mut contents = Contents::default();
    let wanted = BTreeSet::from(["absent", "denied", "kept"].map(secret));
    let all = ["absent", "denied", "kept"].as_slice();
    // A forbidden Secret is not requested again so soon.
    let others = ["absent", "kept"].as_slice();
    let rows = [
        ([("denied", ""), ("kept", "1")].as_slice(), ["", "", "1"], all),
        (&[("denied", ""), ("kept", "1")], ["", "", "1"], others),
        (&[("denied", ""), ("kept", "2")], ["", "", "2"], others),
        (&[("denied", ""), ("kept", "2"), ("absent", "3")], ["3", "", "2"], others),
        (&[("denied", ""), ("kept", ""), ("absent", "3")], ["3", "", ""], others),
        (&[("denied", ""), ("kept", "2")], ["", "", ""], &["absent"]),
    ];
    for (there, read, asked) in rows {
        *held(&server.versions) = there.iter().copied().collect();
        contents.fetch(wanted.clone(), &stores, &client).await.unwrap();
        assert_eq!(versions(&contents, &wanted), read, "{there:?}");
        assert_eq!(std::mem::take(&mut *held(&server.asked)), asked, "{there:?}");
    }
}

#[tokio::test]
async fn unreferenced_objects_are_forgotten() {
    let server = Arc::new(Server::default());
    *held(&server.versions) = [("denied", ""), ("kept", "1")].into();
    let (client, stores) = (server.client(), stores());
    let mut contents = Contents::default();
    let wanted = BTreeSet::from(["denied", "kept"].map(secret));
    contents.fetch(wanted.clone(), &stores, &client).await.unwrap();
    assert_eq!(versions(&contents, &wanted), ["", "1"]);
    assert!(contents.is_denied());
    contents.fetch(BTreeSet::new(), &stores, &client).await.unwrap();
    assert_eq!(versions(&contents, &wanted), ["", ""]);
    assert!(!contents.is_denied());
}

#[tokio::test]
async fn objects_are_read_again_until_the_watch_reports_their_version() {
    let server = Arc::new(Server::default());
    held(&server.versions).insert("kept", "2");
    let (client, stores) = (server.client(), stores());
    let watch = |version: &str| {
        let outline = json!({"metadata": {"namespace": "a", "name": "kept", "resourceVersion": version}});
        let outline = Object::new(serde_json::from_value(outline).unwrap(), &kinds::SECRET.resource());
        let mut partition = stores.partition(kinds::SECRET, "a").unwrap().write();
        for event in [Event::Begin, Event::Listed(outline), Event::Complete] {
            partition.see(event);
        }
    };
    let (mut contents, wanted) = (Contents::default(), BTreeSet::from([secret("kept")]));
    for (reported, reads) in [("1", 1), ("1", 2), ("2", 2), ("2", 2)] {
        watch(reported);
        contents.fetch(wanted.clone(), &stores, &client).await.unwrap();
        assert_eq!(versions(&contents, &wanted), ["2"]);
        assert_eq!(held(&server.asked).len(), reads);
    }
}
