//! What a writer remembers is dropped with the objects, so that the memory of a long-running process does not grow.

use std::convert::Infallible;
use std::sync::atomic::AtomicUsize;

use http::{Method, Request, Response};
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Secret, Service};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use super::*;
use crate::apply::{Desired, Touch, Way, Work};
use crate::declare::{Owned, Prune, keep_nothing};
use crate::metrics::Catalogue;
use crate::store::Event;
use crate::stores::WatchFilter;

const OWNER: Kind = Kind::of::<ConfigMap>();
const SECRET: Kind = Kind::of::<Secret>();
const SERVICE: Kind = Kind::of::<Service>();
const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
const ROUNDS: usize = 100;
const OBJECTS_OF_A_KIND: usize = 50;

const fn outlined(kind: Kind) -> Owned {
    Owned {
        kind,
        way: Way::Replace,
        selector: None,
        detail: Detail::Metadata,
        prune: Prune::Unnamed,
        keeps: keep_nothing,
        optional: false,
        why: "a test",
    }
}

static DECLARATION: Declaration = Declaration {
    name: "memory",
    primary: OWNER,
    finalizer: "test",
    owned: &[outlined(SECRET), outlined(SERVICE)],
    watched: &[looks_at(CLAIM, true)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// A server that accepts every object and stores none. An object with the name `late` conflicts, and claims cannot be
/// changed.
fn answer(method: &Method, path: &str, mut body: Value, version: usize) -> (u16, Value) {
    let failure = |code: u16, reason: &str| {
        let message = "it cannot grow";
        (
            code,
            json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}),
        )
    };
    let name = body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    match *method {
        Method::POST if name == "late" => failure(409, "Conflict"),
        Method::POST => {
            body["metadata"]["uid"] = name.into();
            body["metadata"]["resourceVersion"] = version.to_string().into();
            (201, body)
        }
        Method::PATCH => failure(422, "Invalid"),
        Method::DELETE => (200, json!({"kind": "Status", "status": "Success", "code": 200})),
        _ if path.ends_with("/services") => (200, json!({"metadata": {}, "items": []})),
        _ => failure(404, "NotFound"),
    }
}

/// The writer of a controller, and its subscriber, which gets the events of the watches.
struct Fixture {
    writer: Writer,
    subscriber: Subscriber,
    _keys: mpsc::UnboundedReceiver<Key>,
}

impl Fixture {
    fn new() -> Self {
        let versions = Arc::new(AtomicUsize::new(2));
        let service = tower::service_fn(move |request: Request<Body>| {
            let version = versions.fetch_add(1, Ordering::Relaxed);
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect_bytes().await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                let (code, answer) = answer(&head.method, head.uri.path(), body, version);
                let answer = Body::from(answer.to_string().into_bytes());
                Ok::<_, Infallible>(Response::builder().status(code).body(answer).unwrap())
            }
        });
        // The watch excludes these Services.
        let filter = WatchFilter { labels: Some("team=a".into()), fields: None };
        let filters = [(SERVICE, filter)].into();
        let scopes = Scopes { filters, ..Namespaces::AllBut(Vec::new()).into() };
        let stores = Stores::new(&[&DECLARATION], "test", &scopes);
        let (keys, receiver) = mpsc::unbounded_channel();
        let memory = WriterMemory::default();
        let subscriber = Subscriber {
            declaration: &DECLARATION,
            keys,
            index: Arc::new(Index::new(&DECLARATION, None)),
            stores: stores.clone(),
            metrics: Metrics::register(&mut Catalogue::default(), "test", "test"),
            memory: memory.clone(),
        };
        let tools =
            Tools { client: Client::new(service, "n"), stores, manager: "test", fence: Arc::new(|| true) };
        let writer = Writer::new(&DECLARATION, tools).joined(
            Arc::new(|_, _, _| {}),
            subscriber.metrics.clone(),
            memory,
        );
        let fixture = Self { writer, subscriber, _keys: receiver };
        for kind in [OWNER, SECRET, SERVICE, CLAIM] {
            fixture.deliver(kind, Event::Begin);
            fixture.deliver(kind, Event::Complete);
        }
        fixture
    }

    /// The watch delivers an event.
    fn deliver(&self, kind: Kind, event: Event<Object>) {
        let partition = self.subscriber.stores.partition(kind, "n").unwrap();
        let changes = partition.write().see(event);
        for change in &changes {
            self.subscriber.follow(kind, change);
            self.subscriber.notify(kind, change);
        }
    }

    /// All objects of a kind are deleted.
    fn delete_all(&self, kind: Kind) {
        for object in self.subscriber.stores.all(kind).iter() {
            let identity = crate::object::Stored::identity(&**object).clone();
            self.deliver(kind, Event::Deleted(identity));
        }
    }
}

fn object(kind: Kind, name: &str) -> Object {
    let metadata = json!({"name": name, "namespace": "n", "uid": name, "resourceVersion": "1"});
    Object::new(serde_json::from_value(json!({"metadata": metadata})).unwrap(), &kind.resource())
}

fn wanted(kind: Kind, name: &str, owner: &str) -> Desired {
    let owner =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": owner, "controller": true});
    let metadata = json!({"name": name, "namespace": "n", "ownerReferences": [owner]});
    let object = json!({"apiVersion": "v1", "kind": kind.kind, "metadata": metadata});
    Desired { kind, object, way: Way::Replace, looks_after_pods: false }
}

/// Everything that can be remembered of an owner and its objects.
async fn round(fixture: &Fixture, number: usize) {
    let (owner, claim) = (format!("owner-{number}"), format!("claim-{number}"));
    for (kind, name) in [(OWNER, &owner), (CLAIM, &claim)] {
        fixture.deliver(kind, Event::Applied(object(kind, name)));
    }
    let of_kind = |kind: Kind| {
        let owner = owner.as_str();
        (0..OBJECTS_OF_A_KIND).map(move |at| wanted(kind, &format!("{}-{number}-{at}", kind.plural), owner))
    };
    let all: Vec<Desired> = [SECRET, SERVICE].into_iter().flat_map(of_kind).collect();
    let fields = json!({"spec": {"size": 2}});
    let touch = Touch { kind: CLAIM, key: Key::new("n", &claim), uid: claim.as_str().into(), fields };
    let owner = object(OWNER, &owner);
    let work = Work { waves: vec![all.clone()], touches: vec![touch], prune: true, ..Work::default() };
    let applied = fixture.writer.carry_out(&work, &owner).await.unwrap();
    assert_eq!((applied.written.len(), applied.refused.len()), (2 * OBJECTS_OF_A_KIND, 1));
    let late = Work { waves: vec![all, vec![wanted(SECRET, "late", owner.uid())]], ..Work::default() };
    fixture.writer.carry_out(&late, &owner).await.unwrap_err();
}

#[tokio::test]
async fn nothing_is_remembered_of_ten_thousand_objects_that_were_deleted() {
    let fixture = Fixture::new();
    let before = fixture.subscriber.memory.len();
    let mut most = 0;
    for number in 0..ROUNDS {
        round(&fixture, number).await;
        most = most.max(fixture.subscriber.memory.len());
        for kind in [SECRET, CLAIM, OWNER] {
            fixture.delete_all(kind);
        }
    }
    // The owner itself, its objects, a rejected patch, an outdated write, and what was pruned.
    assert_eq!(most, 1 + 2 * OBJECTS_OF_A_KIND + 1 + 1 + 1);
    assert_eq!((before, fixture.subscriber.memory.len()), (0, 0));
}

#[tokio::test]
async fn of_an_owner_only_the_named_objects_are_remembered() {
    let fixture = Fixture::new();
    fixture.deliver(OWNER, Event::Applied(object(OWNER, "owner")));
    let owner = object(OWNER, "owner");
    for number in 0..10 {
        let services = vec![vec![wanted(SERVICE, &format!("a-{number}"), "owner")]];
        let work = Work { waves: services, ..Work::default() };
        fixture.writer.carry_out(&work, &owner).await.unwrap();
    }
    assert_eq!(fixture.subscriber.memory.len(), 2);
}

#[tokio::test]
async fn objects_of_an_owner_that_is_gone_are_not_remembered() {
    let fixture = Fixture::new();
    let work = Work { waves: vec![vec![wanted(SERVICE, "a", "owner")]], prune: true, ..Work::default() };
    let applied = fixture.writer.carry_out(&work, &object(OWNER, "owner")).await.unwrap();
    assert_eq!((applied.written.len(), fixture.subscriber.memory.len()), (1, 0));
}
