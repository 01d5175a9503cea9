//! Objects that are not as we know them, on a small server that keeps Secrets and compares versions.

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
use crate::object::{Kept, Key};
use crate::store::Event;
use crate::stores::{Filter, Namespaces, Scopes, Stores};

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

/// What is there, and what was asked.
#[derive(Debug, Default)]
struct Server {
    version: u64,
    secrets: BTreeMap<String, Value>,
    asked: Vec<String>,
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
        self.asked.push(format!("{method} {what}"));
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

/// A hand with its server, and a watch that tells what the test says.
struct Stage {
    server: Arc<Mutex<Server>>,
    writer: Writer,
}

static NAMED: Declaration =
    Declaration { owned: &[Owned { prune: Prune::Named, ..DECLARATION.owned[0] }], ..DECLARATION };

impl Stage {
    fn set(filters: BTreeMap<Kind, Filter>) -> Self {
        Self::of(&DECLARATION, filters)
    }

    fn of(declaration: &'static Declaration, filters: BTreeMap<Kind, Filter>) -> Self {
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
        let filter = Filter { labels: Some("team=a".into()), fields: None };
        Self::set(BTreeMap::from([(SECRET, filter)]))
    }

    /// Wants these Secrets with this content, and no others. What was asked, and whether it came to anything.
    async fn want(&self, names: &[&str], content: &str) -> (Vec<String>, Result<Applied, WriteError>) {
        let secret = |name: &&str| Desired {
            kind: SECRET,
            object: json!({"apiVersion": "v1", "kind": "Secret", "data": {"key": content},
                "metadata": {"name": name, "namespace": "n", "ownerReferences": [owned("owner")]}}),
            way: Way::Replace,
            looks_after_pods: false,
        };
        let work = Work { waves: vec![names.iter().map(secret).collect()], prune: true, ..Work::default() };
        let applied = self.writer.carry_out(&work, &owner()).await;
        (std::mem::take(&mut self.server.lock().unwrap().asked), applied)
    }

    async fn asked(&self, content: &str) -> Vec<String> {
        let (asked, applied) = self.want(&["a"], content).await;
        applied.unwrap();
        asked
    }

    /// Somebody else writes.
    fn meddle(&self, name: &str) {
        let mut server = self.server.lock().unwrap();
        let mut secret = server.secrets[name].clone();
        secret["metadata"]["annotations"]["theirs"] = "x".into();
        server.put(name, secret);
    }

    fn take_away(&self, name: &str) {
        self.server.lock().unwrap().secrets.remove(name);
    }

    fn is_held(&self) -> bool {
        self.writer.stores().get(SECRET, &Key::new("n", "a")).is_some()
    }

    /// The watch tells of it.
    fn tell(&self, name: &str) {
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
async fn what_the_watch_leaves_out_is_looked_at_before_it_is_written() {
    let stage = Stage::filtered();
    assert_eq!(stage.asked("one").await, ["GET a", "POST all", "GET all"]);
    assert!(!stage.is_held(), "nobody would tell that it is gone");
    assert_eq!(stage.asked("one").await, [""; 0], "it was so a moment ago");
    stage.meddle("a");
    assert_eq!(stage.asked("two").await, ["GET a", "PUT a"]);
    let secret = stage.server.lock().unwrap().secrets["a"].clone();
    assert_eq!(
        (&secret["data"]["key"], &secret["metadata"]["annotations"]["theirs"]),
        (&"two".into(), &"x".into())
    );
    stage.take_away("a");
    assert_eq!(stage.asked("three").await, ["GET a", "POST all"]);
}

#[tokio::test]
async fn what_the_watch_told_of_is_known_until_it_says_otherwise() {
    let stage = Stage::filtered();
    stage.asked("one").await;
    stage.tell("a");
    assert_eq!(stage.asked("one").await, [""; 0]);
    assert_eq!(stage.asked("two").await, ["GET a", "PUT a"], "nobody kept what was written before");
    assert_eq!(stage.asked("three").await, ["PUT a"]);
    let gone = stage.writer.stores().get(SECRET, &Key::new("n", "a")).unwrap().identity().clone();
    stage.writer.stores().partition(SECRET, "n").unwrap().write().see(Event::Deleted(gone));
    assert_eq!(stage.asked("four").await, ["GET a", "PUT a"], "it is there, and has lost a label");
    assert!(!stage.is_held());
}

#[tokio::test]
async fn a_write_that_came_too_late_is_not_repeated_on_the_strength_of_what_was_known() {
    let stage = Stage::set(BTreeMap::new());
    assert_eq!(stage.asked("one").await, ["POST all"]);
    stage.meddle("a");
    let (asked, late) = stage.want(&["a"], "two").await;
    assert_eq!(asked, ["PUT a"]);
    assert!(matches!(late, Err(WriteError::Outdated { .. })), "{late:?}");
    // The watch has not told anything yet.
    assert_eq!(stage.asked("two").await, ["GET a", "PUT a"]);
    assert_eq!(stage.asked("three").await, ["PUT a"], "all is well again");
    stage.take_away("a");
    let (asked, late) = stage.want(&["a"], "four").await;
    assert_eq!((asked, late.is_err()), (vec!["PUT a".to_owned()], true));
    assert_eq!(stage.asked("four").await, ["GET a", "POST all"]);
}

#[tokio::test]
async fn of_some_kinds_only_that_goes_what_is_named_for_deletion() {
    let stage = Stage::of(&NAMED, BTreeMap::new());
    for name in ["a", "b", "c"] {
        let secret =
            json!({"metadata": {"name": name, "namespace": "n", "ownerReferences": [owned("owner")]}});
        stage.server.lock().unwrap().put(name, secret);
        stage.tell(name);
    }
    let known = |name: &str| stage.writer.stores().get(SECRET, &Key::new("n", name)).unwrap();
    let deletions = vec![Deletion { kind: SECRET, object: known("b") }];
    let work = Work { deletions, prune: true, ..Work::default() };
    stage.writer.carry_out(&work, &owner()).await.unwrap();
    assert_eq!(stage.server.lock().unwrap().asked, ["DELETE b"]);
}

#[tokio::test]
async fn a_namesake_of_the_owner_in_another_api_group_owns_what_is_its_own() {
    let stage = Stage::set(BTreeMap::new());
    let other = json!({"apiVersion": "example.com/v1", "kind": "ConfigMap", "name": "o", "uid": "owner", "controller": true});
    for (name, owner) in [("a", &other), ("b", &other), ("c", &owned("owner"))] {
        let secret = json!({"metadata": {"name": name, "namespace": "n", "ownerReferences": [owner]}});
        stage.server.lock().unwrap().put(name, secret);
        stage.tell(name);
    }
    let (asked, adopted) = stage.want(&["a"], "one").await;
    assert_eq!(asked, ["GET a"]);
    let words = "Secret n/a belongs to ConfigMap o; rename or delete one of them";
    assert_eq!(adopted.unwrap_err().to_string(), words);
    let (asked, pruned) = stage.want(&[], "one").await;
    pruned.unwrap();
    assert_eq!(asked, ["DELETE c"]);
}

#[tokio::test]
async fn what_is_too_much_is_asked_for_when_something_else_is_wanted() {
    let stage = Stage::filtered();
    for (name, owner) in [("b", "owner"), ("c", "somebody else")] {
        let secret = json!({"metadata": {"name": name, "namespace": "n", "ownerReferences": [owned(owner)]}});
        stage.server.lock().unwrap().put(name, secret);
    }
    assert_eq!(stage.asked("one").await, ["GET a", "POST all", "GET all", "DELETE b"]);
    assert_eq!(stage.asked("two").await, ["GET a", "PUT a"]);
    let (asked, applied) = stage.want(&["a", "d"], "two").await;
    applied.unwrap();
    assert_eq!(asked, ["GET d", "POST all", "GET all"]);
    assert_eq!(stage.asked("two").await, ["GET all", "DELETE d"]);
    let names: Vec<String> = stage.server.lock().unwrap().secrets.keys().cloned().collect();
    assert_eq!(names, ["a", "c"]);
}
