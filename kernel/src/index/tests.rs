//! Which resources are found for an object, and that nothing is remembered of resources that are gone.

use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use serde_json::{Value, json};

use super::*;
use crate::declare::{Detail, Watched};
use crate::store::Event;
use crate::stores::{Namespaces, Scopes, WatchFilter};

const PRIMARY: Kind = Kind::of::<ConfigMap>();
/// Resources read it by name, and a label names the resource that it affects.
const NAMED: Kind = Kind::of::<Secret>();
/// Resources select it, and its status mentions them.
const SELECTED: Kind = Kind::of::<Service>();

const fn watched(kind: Kind, concerns: fn(&Object) -> Option<Key>) -> Watched {
    Watched {
        kind,
        concerns,
        selector: None,
        detail: Detail::Full,
        trim: |_| (),
        optional: false,
        why: "a test",
    }
}

fn is_for(object: &Object) -> Option<Key> {
    object.label("for").map(|name| Key::new(&object.key().namespace, name))
}

static DECLARATION: Declaration = Declaration {
    name: "test",
    primary: PRIMARY,
    finalizer: "test",
    owned: &[],
    watched: &[watched(NAMED, is_for), watched(SELECTED, |_| None)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// Resources select the objects of their team. It counts how often a resource is read.
#[derive(Default)]
struct Teams {
    reads: Arc<AtomicUsize>,
}

impl Interest for Teams {
    type Selects = String;

    fn read(&self, resource: &Object) -> String {
        self.reads.fetch_add(1, Ordering::Relaxed);
        resource.label("team").unwrap_or_default().to_owned()
    }

    fn decides(&self, kind: Kind) -> bool {
        kind == SELECTED
    }

    fn concerns(&self, _: &Key, team: &String, candidate: &CandidateObject<'_>) -> bool {
        candidate.object.label("team") == Some(team)
    }

    fn mentions(&self, _: Kind, object: &Object) -> Vec<Key> {
        let value = object.value();
        let names = value["status"]["mentions"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(key).collect()
    }
}

fn key(name: &str) -> Key {
    Key::new("n", name)
}

fn object(kind: Kind, name: &str, version: u64, rest: &Value) -> Object {
    let mut object = rest.clone();
    object["metadata"]["namespace"] = "n".into();
    object["metadata"]["name"] = name.into();
    object["metadata"]["uid"] = name.into();
    object["metadata"]["resourceVersion"] = version.to_string().into();
    Object::new(serde_json::from_value(object).unwrap(), &kind.resource())
}

fn of_team(kind: Kind, name: &str, version: u64, team: &str) -> Object {
    object(kind, name, version, &json!({"metadata": {"labels": {"team": team}}}))
}

fn mentioning(name: &str, version: u64, resources: &[&str]) -> Object {
    object(SELECTED, name, version, &json!({"status": {"mentions": resources}}))
}

/// Stores, and an index that follows their changes.
struct Fixture {
    stores: Stores,
    index: Index,
}

impl Fixture {
    fn new(scopes: &Scopes, interest: Teams) -> Self {
        let stores = Stores::new(&[&DECLARATION], "test", scopes);
        for (_, partition) in stores.iter() {
            partition.objects.write().see(Event::Begin);
            partition.objects.write().see(Event::Complete);
        }
        Self { stores, index: Index::new(&DECLARATION, Some(interests(interest))) }
    }

    /// The watch delivers an event.
    fn deliver(&self, kind: Kind, event: Event<Object>) {
        let changes = self.stores.partition(kind, "n").unwrap().write().see(event);
        for change in &changes {
            self.index.follow(kind, change);
        }
    }

    fn applied(&self, kind: Kind, object: Object) {
        self.deliver(kind, Event::Applied(object));
    }

    fn deleted(&self, kind: Kind, name: &str) {
        let identity = self.stores.get(kind, &key(name)).unwrap().identity().clone();
        self.deliver(kind, Event::Deleted(identity));
    }

    /// What a pass announces that it reads.
    fn reads(&self, resource: &str, secrets: &[&str]) {
        let secrets: BTreeSet<Key> = secrets.iter().map(|name| key(name)).collect();
        let objects = (!secrets.is_empty()).then_some((NAMED, secrets));
        self.index.reads(&key(resource), &objects.into_iter().collect());
    }

    fn concerned(&self, kind: Kind, object: &Object) -> Vec<String> {
        let concerned: BTreeSet<Key> = self.index.concerned(kind, object, &self.stores).into_iter().collect();
        concerned.into_iter().map(|key| key.name.to_string()).collect()
    }

    /// The resources that a change of a Secret concerns.
    fn concerned_by(&self, secret: &str) -> Vec<String> {
        self.concerned(NAMED, &object(NAMED, secret, 1, &json!({})))
    }
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new(&Namespaces::AllBut(Vec::new()).into(), Teams::default())
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_change_of_an_object_affects_the_resources_that_read_it_by_name() {
    let fixture = Fixture::default();
    fixture.reads("a", &["shared", "first"]);
    fixture.reads("b", &["shared"]);
    assert_eq!(fixture.concerned_by("shared"), ["a", "b"]);
    assert_eq!(fixture.concerned_by("first"), ["a"]);
    assert_eq!(fixture.concerned_by("second"), NOTHING);
    let other = object(SELECTED, "first", 1, &json!({}));
    assert_eq!(fixture.concerned(SELECTED, &other), NOTHING, "another kind");
    fixture.reads("a", &["second"]);
    assert_eq!(fixture.concerned_by("shared"), ["b"]);
    assert_eq!(fixture.concerned_by("first"), NOTHING);
    assert_eq!(fixture.concerned_by("second"), ["a"]);
    fixture.reads("a", &[]);
    assert_eq!(fixture.concerned_by("second"), NOTHING);
    fixture.index.forget(&key("b"));
    assert_eq!((fixture.concerned_by("shared"), fixture.index.len()), (Vec::new(), 0));
}

#[test]
fn readers_are_added_to_the_resources_of_the_declaration_and_the_selectors() {
    let fixture = Fixture::default();
    fixture.reads("reader", &["secret"]);
    let secret = object(NAMED, "secret", 1, &json!({"metadata": {"labels": {"for": "user"}}}));
    assert_eq!(fixture.concerned(NAMED, &secret), ["reader", "user"], "the declaration says so");
    fixture.applied(PRIMARY, of_team(PRIMARY, "red", 1, "red"));
    fixture.applied(PRIMARY, of_team(PRIMARY, "blue", 1, "blue"));
    let selected = of_team(SELECTED, "selected", 1, "red");
    assert_eq!(fixture.concerned(SELECTED, &selected), ["red"]);
    fixture.index.reads(&key("reader"), &BTreeMap::from([(SELECTED, [key("selected")].into())]));
    assert_eq!(fixture.concerned(SELECTED, &selected), ["reader", "red"]);
    assert_eq!(fixture.concerned_by("secret"), NOTHING);
}

#[test]
fn mentions_follow_the_status_of_objects() {
    let fixture = Fixture::default();
    let of = |resource: &str| -> Vec<String> {
        let mentioning = fixture.index.mentioning(&key(resource));
        let of_kind = fixture.index.mentioning_of(&key(resource), SELECTED, |keys| keys.cloned().collect());
        assert_eq!(mentioning.get(&SELECTED).cloned().unwrap_or_default(), of_kind);
        assert!(mentioning.keys().all(|kind| *kind == SELECTED), "no other kind mentions anything");
        of_kind.into_iter().map(|key: Key| key.name.to_string()).collect()
    };
    fixture.applied(SELECTED, mentioning("one", 1, &["a", "b"]));
    fixture.applied(SELECTED, mentioning("two", 2, &["b"]));
    assert_eq!((of("a"), of("b")), (vec!["one".to_owned()], vec!["one".to_owned(), "two".to_owned()]));
    fixture.applied(SELECTED, mentioning("one", 3, &["c"]));
    assert_eq!((of("a").len(), of("b"), of("c")), (0, vec!["two".to_owned()], vec!["one".to_owned()]));
    fixture.deleted(SELECTED, "two");
    assert_eq!((of("b").len(), of("c")), (0, vec!["one".to_owned()]));
    fixture.deleted(SELECTED, "one");
    assert_eq!((of("c").len(), fixture.index.len()), (0, 0));
}

#[test]
fn only_watched_resources_are_found_to_be_gone() {
    let gone = |scopes: &Scopes| -> Vec<String> {
        let fixture = Fixture::new(scopes, Teams::default());
        if fixture.stores.partition(PRIMARY, "n").is_some() {
            fixture.applied(PRIMARY, object(PRIMARY, "here", 1, &json!({})));
        }
        fixture.applied(SELECTED, mentioning("one", 2, &["here", "gone"]));
        fixture.index.mentioned_and_gone(&fixture.stores).iter().map(ToString::to_string).collect()
    };
    let everywhere = Scopes::from(Namespaces::AllBut(Vec::new()));
    assert_eq!(gone(&everywhere), ["n/gone"]);
    let only = |namespace: &str| Scopes {
        some: [(PRIMARY, Namespaces::Only(vec![namespace.into()]))].into(),
        ..everywhere.clone()
    };
    assert_eq!(gone(&only("n")), ["n/gone"]);
    assert_eq!(gone(&only("elsewhere")), NOTHING, "they may belong to another operator");
    let labels = WatchFilter { labels: Some("a=b".into()), fields: None };
    assert_eq!(gone(&Scopes { filters: [(PRIMARY, labels)].into(), ..everywhere }), NOTHING);
}

#[test]
fn no_resource_is_gone_before_all_resources_are_listed() {
    let fixture = Fixture::default();
    fixture.applied(SELECTED, mentioning("one", 1, &["a"]));
    let listing = Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
    assert_eq!(fixture.index.mentioned_and_gone(&listing), BTreeSet::new());
    assert_eq!(fixture.index.mentioned_and_gone(&fixture.stores), BTreeSet::from([key("a")]));
}

#[test]
fn a_resource_is_decoded_once_for_each_version() {
    let reads = Arc::<AtomicUsize>::default();
    let fixture = Fixture::new(&Namespaces::AllBut(Vec::new()).into(), Teams { reads: Arc::clone(&reads) });
    let concerned = |team: &str| {
        let concerned = fixture.concerned(SELECTED, &of_team(SELECTED, "selected", 1, team));
        (concerned.len(), reads.load(Ordering::Relaxed))
    };
    fixture.applied(PRIMARY, of_team(PRIMARY, "a", 1, "red"));
    assert_eq!((concerned("red"), concerned("blue"), concerned("red")), ((1, 1), (0, 1), (1, 1)));
    fixture.applied(PRIMARY, of_team(PRIMARY, "a", 2, "blue"));
    assert_eq!((concerned("red"), concerned("blue")), ((0, 2), (1, 2)));
    fixture.deleted(PRIMARY, "a");
    assert_eq!(concerned("blue"), (0, 2));
}

#[test]
fn what_was_decoded_of_a_resource_is_forgotten_with_it() {
    let cached = Arc::new(Cached { interest: Teams::default(), read: RwLock::default() });
    let index = Index::new(&DECLARATION, Some(Arc::clone(&cached) as Arc<dyn Interests>));
    let resource = Arc::new(of_team(PRIMARY, "a", 1, "red"));
    assert_eq!(*cached.selects(&resource, || true), "red");
    let newer = Arc::new(of_team(PRIMARY, "a", 2, "blue"));
    assert_eq!(*cached.selects(&newer, || true), "blue");
    index.follow(PRIMARY, &Change { before: Some(resource), after: Some(Arc::clone(&newer)) });
    assert_eq!(cached.read.read().len(), 1);
    index.follow(PRIMARY, &Change { before: Some(Arc::clone(&newer)), after: None });
    assert_eq!(cached.read.read().len(), 0);
    // A watch found the resource before it was deleted.
    assert_eq!(*cached.selects(&newer, || false), "blue");
    assert_eq!(cached.read.read().len(), 0);
}

#[test]
fn nothing_is_remembered_when_all_resources_are_gone() {
    let fixture = Fixture::default();
    let names = ["a", "b", "c"];
    for name in names {
        fixture.applied(PRIMARY, of_team(PRIMARY, name, 1, "red"));
        fixture.reads(name, &["shared", name]);
        fixture.applied(SELECTED, mentioning(name, 1, &names));
    }
    assert_ne!(fixture.index.len(), 0);
    for (version, name) in (2..).zip(names) {
        fixture.deleted(PRIMARY, name);
        // The last pass cleans up: no status mentions the resource any more, and what it read is forgotten.
        let others: Vec<&str> = names.into_iter().filter(|other| *other > name).collect();
        for object in names {
            fixture.applied(SELECTED, mentioning(object, version, &others));
        }
        fixture.index.forget(&key(name));
    }
    assert_eq!(fixture.index.mentioned_and_gone(&fixture.stores), BTreeSet::new());
    assert_eq!(fixture.index.len(), 0);
}
