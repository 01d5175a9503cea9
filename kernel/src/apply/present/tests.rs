//! Objects that differ from what is stored, on a small server that keeps Secrets and compares versions.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Mutex;

use http::{Method, Request, Response};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use super::super::{Applied, Deletion, Tools, Way, Work};
use super::*;
use crate::declare::{Declaration, Owned, Prune, keep_nothing};
use crate::object::{Key, Stored};
use crate::store::Event;
use crate::stores::{Namespaces, Scopes, Stores, WatchFilter};

const SECRET: Kind = Kind::of::<Secret>();
const SECRETS: &str = "/api/v1/namespaces/n/secrets";

static DECLARATION: Declaration = Declaration {
    name: "test",
    primary: Kind::of::<ConfigMap>(),
    finalizer: "test",
    owned: &[Owned {
        kind: SECRET,
        way: Way::Replace,
        selector: None,
        detail: Detail::Metadata,
        prune: Prune::Unnamed,
        keeps: keep_nothing,
        optional: false,
        why: "a test",
    }],
    watched: &[],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// The Secrets of the server, and the requests to it.
#[derive(Debug, Default)]
struct Server {
    version: u64,
    secrets: BTreeMap<String, Value>,
    requests: Vec<String>,
}

impl Server {
    fn put(&mut self, name: &str, mut secret: Value) -> Value {
        self.version += 1;
        let uid = self
            .secrets
            .get(name)
            .map_or_else(|| self.version.to_string().into(), |old| old["metadata"]["uid"].clone());
        secret["metadata"]["uid"] = uid;
        secret["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.secrets.insert(name.to_owned(), secret.clone());
        secret
    }

    fn answer(&mut self, method: &Method, path: &str, body: &Value) -> (u16, Value) {
        let name = path.strip_prefix(SECRETS).unwrap().trim_start_matches('/').to_owned();
        let what = if name.is_empty() { "all" } else { name.as_str() };
        self.requests.push(format!("{method} {what}"));
        let failure = |code: u16| {
            let reason = if code == 404 { "NotFound" } else { "Conflict" };
            (code, json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason}))
        };
        match method.as_str() {
            "GET" if name.is_empty() => {
                let items: Vec<&Value> = self.secrets.values().collect();
                (
                    200,
                    json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "items": items}),
                )
            }
            "POST" => {
                let name = body["metadata"]["name"].as_str().unwrap().to_owned();
                if self.secrets.contains_key(&name) {
                    failure(409)
                } else {
                    (201, self.put(&name, body.clone()))
                }
            }
            method => match self.secrets.get(&name).cloned() {
                None => failure(404),
                Some(secret) if method == "GET" => (200, secret),
                Some(secret) if method == "DELETE" => {
                    self.secrets.remove(&name);
                    (200, secret)
                }
                Some(old) if old["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"] => {
                    failure(409)
                }
                Some(_) => (200, self.put(&name, body.clone())),
            },
        }
    }
}

/// A writer with its server. The test delivers the events of the watch.
struct Fixture {
    server: Arc<Mutex<Server>>,
    writer: Writer,
}

static NAMED: Declaration =
    Declaration { owned: &[Owned { prune: Prune::Named, ..DECLARATION.owned[0] }], ..DECLARATION };

impl Fixture {
    fn new(filters: BTreeMap<Kind, WatchFilter>) -> Self {
        Self::of(&DECLARATION, filters)
    }

    fn of(declaration: &'static Declaration, filters: BTreeMap<Kind, WatchFilter>) -> Self {
        let server: Arc<Mutex<Server>> = Arc::default();
        let shared = Arc::clone(&server);
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = Arc::clone(&shared);
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect_bytes().await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                let (code, answer) = server.lock().unwrap().answer(&head.method, head.uri.path(), &body);
                let answer = Body::from(answer.to_string().into_bytes());
                Ok::<_, Infallible>(Response::builder().status(code).body(answer).unwrap())
            }
        });
        let scopes = Scopes { filters, ..Namespaces::AllBut(Vec::new()).into() };
        let stores = Stores::new(&[declaration], "test", &scopes);
        for event in [Event::Begin, Event::Complete] {
            stores.partition(SECRET, "n").unwrap().write().see(event);
        }
        let client = Client::new(service, "n");
        let tools = Tools { client, stores, manager: "test", fence: Arc::new(|| true) };
        Self { server, writer: Writer::new(declaration, tools) }
    }

    fn filtered() -> Self {
        let filter = WatchFilter { labels: Some("team=a".into()), fields: None };
        Self::new(BTreeMap::from([(SECRET, filter)]))
    }

    /// Writes these Secrets with this content, and prunes others. Returns the requests and the result.
    async fn write(&self, names: &[&str], content: &str) -> (Vec<String>, Result<Applied, WriteError>) {
        let secret = |name: &&str| Desired {
            kind: SECRET,
            object: json!({"apiVersion": "v1", "kind": "Secret", "data": {"key": content},
                "metadata": {"name": name, "namespace": "n", "ownerReferences": [owned("owner")]}}),
            way: Way::Replace,
            looks_after_pods: false,
        };
        let work = Work { waves: vec![names.iter().map(secret).collect()], prune: true, ..Work::default() };
        let applied = self.writer.carry_out(&work, &owner()).await;
        (std::mem::take(&mut self.server.lock().unwrap().requests), applied)
    }

    async fn requests(&self, content: &str) -> Vec<String> {
        let (requests, applied) = self.write(&["a"], content).await;
        applied.unwrap();
        requests
    }

    /// Another writer changes a Secret.
    fn change(&self, name: &str) {
        let mut server = self.server.lock().unwrap();
        let mut secret = server.secrets[name].clone();
        secret["metadata"]["annotations"]["theirs"] = "x".into();
        server.put(name, secret);
    }

    fn delete(&self, name: &str) {
        self.server.lock().unwrap().secrets.remove(name);
    }

    fn is_stored(&self) -> bool {
        self.writer.stores().get(SECRET, &Key::new("n", "a")).is_some()
    }

    /// The watch delivers a Secret.
    fn deliver(&self, name: &str) {
        let secret = self.server.lock().unwrap().secrets[name].clone();
        let object = self.writer.stores().keep(SECRET, serde_json::from_value(secret).unwrap());
        self.writer.stores().partition(SECRET, "n").unwrap().write().see(Event::Applied(object));
    }
}

fn owner() -> Object {
    let owner = json!({"metadata": {"name": "o", "namespace": "n", "uid": "owner"}});
    Object::new(serde_json::from_value(owner).unwrap(), &DECLARATION.primary.resource())
}

fn owned(uid: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": uid, "controller": true})
}

#[tokio::test]
async fn an_object_that_the_watch_excludes_is_read_before_it_is_written() {
    let fixture = Fixture::filtered();
    assert_eq!(fixture.requests("one").await, ["GET a", "POST all", "GET all"]);
    assert!(!fixture.is_stored(), "no event would report that it is gone");
    assert_eq!(fixture.requests("one").await, [""; 0], "it was checked a moment ago");
    fixture.change("a");
    assert_eq!(fixture.requests("two").await, ["GET a", "PUT a"]);
    let secret = fixture.server.lock().unwrap().secrets["a"].clone();
    assert_eq!(
        (&secret["data"]["key"], &secret["metadata"]["annotations"]["theirs"]),
        (&"two".into(), &"x".into())
    );
    fixture.delete("a");
    assert_eq!(fixture.requests("three").await, ["GET a", "POST all"]);
}

#[tokio::test]
async fn an_object_that_the_watch_delivered_is_stored_until_its_deletion() {
    let fixture = Fixture::filtered();
    fixture.requests("one").await;
    fixture.deliver("a");
    assert_eq!(fixture.requests("one").await, [""; 0]);
    assert_eq!(fixture.requests("two").await, ["GET a", "PUT a"], "the written object was not remembered");
    assert_eq!(fixture.requests("three").await, ["PUT a"]);
    let gone = fixture.writer.stores().get(SECRET, &Key::new("n", "a")).unwrap().identity().clone();
    fixture.writer.stores().partition(SECRET, "n").unwrap().write().see(Event::Deleted(gone));
    assert_eq!(fixture.requests("four").await, ["GET a", "PUT a"], "it exists, and has lost a label");
    assert!(!fixture.is_stored());
}

#[tokio::test]
async fn after_an_outdated_write_the_object_is_read_from_the_server() {
    let fixture = Fixture::new(BTreeMap::new());
    assert_eq!(fixture.requests("one").await, ["POST all"]);
    fixture.change("a");
    let (requests, late) = fixture.write(&["a"], "two").await;
    assert_eq!(requests, ["PUT a"]);
    assert!(matches!(late, Err(WriteError::Outdated { .. })), "{late:?}");
    // The watch has not delivered the change yet.
    assert_eq!(fixture.requests("two").await, ["GET a", "PUT a"]);
    assert_eq!(fixture.requests("three").await, ["PUT a"], "the stored object is current again");
    fixture.delete("a");
    let (requests, late) = fixture.write(&["a"], "four").await;
    assert_eq!((requests, late.is_err()), (vec!["PUT a".to_owned()], true));
    assert_eq!(fixture.requests("four").await, ["GET a", "POST all"]);
}

#[tokio::test]
async fn of_some_kinds_only_objects_that_are_named_for_deletion_are_deleted() {
    let fixture = Fixture::of(&NAMED, BTreeMap::new());
    for name in ["a", "b", "c"] {
        let secret =
            json!({"metadata": {"name": name, "namespace": "n", "ownerReferences": [owned("owner")]}});
        fixture.server.lock().unwrap().put(name, secret);
        fixture.deliver(name);
    }
    let known = |name: &str| fixture.writer.stores().get(SECRET, &Key::new("n", name)).unwrap();
    let deletions = vec![Deletion { kind: SECRET, object: known("b") }];
    let work = Work { deletions, prune: true, ..Work::default() };
    fixture.writer.carry_out(&work, &owner()).await.unwrap();
    assert_eq!(fixture.server.lock().unwrap().requests, ["DELETE b"]);
}

#[tokio::test]
async fn an_owner_of_another_api_group_with_the_same_name_keeps_its_objects() {
    let fixture = Fixture::new(BTreeMap::new());
    let other = json!({"apiVersion": "example.com/v1", "kind": "ConfigMap", "name": "o", "uid": "owner", "controller": true});
    for (name, owner) in [("a", &other), ("b", &other), ("c", &owned("owner"))] {
        let secret = json!({"metadata": {"name": name, "namespace": "n", "ownerReferences": [owner]}});
        fixture.server.lock().unwrap().put(name, secret);
        fixture.deliver(name);
    }
    let (requests, adopted) = fixture.write(&["a"], "one").await;
    assert_eq!(requests, ["GET a"]);
    let message = "Secret n/a belongs to ConfigMap o; rename or delete one of them";
    assert_eq!(adopted.unwrap_err().to_string(), message);
    let (requests, pruned) = fixture.write(&[], "one").await;
    pruned.unwrap();
    assert_eq!(requests, ["DELETE c"]);
}

#[tokio::test]
async fn objects_are_listed_for_pruning_when_the_desired_set_changes() {
    let fixture = Fixture::filtered();
    for (name, owner) in [("b", "owner"), ("c", "other")] {
        let secret = json!({"metadata": {"name": name, "namespace": "n", "ownerReferences": [owned(owner)]}});
        fixture.server.lock().unwrap().put(name, secret);
    }
    assert_eq!(fixture.requests("one").await, ["GET a", "POST all", "GET all", "DELETE b"]);
    assert_eq!(fixture.requests("two").await, ["GET a", "PUT a"]);
    let (requests, applied) = fixture.write(&["a", "d"], "two").await;
    applied.unwrap();
    assert_eq!(requests, ["GET d", "POST all", "GET all"]);
    assert_eq!(fixture.requests("two").await, ["GET all", "DELETE d"]);
    let names: Vec<String> = fixture.server.lock().unwrap().secrets.keys().cloned().collect();
    assert_eq!(names, ["a", "c"]);
}
