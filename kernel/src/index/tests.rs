//! Which resources are found for an object, and that nothing is remembered of resources that are gone.

use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use serde_json::{Value, json};

use super::*;
use crate::declare::{Detail, Watched};
use crate::store::Event;
use crate::stores::{Filter, Namespaces, Scopes};

const PRIMARY: Kind = Kind::of::<ConfigMap>();
/// Resources read it by name, and a label says whom it is for.
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

    fn concerns(&self, _: &Key, team: &String, candidate: &Candidate<'_>) -> bool {
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

/// Stores and an index that follows them.
struct Stage {
    stores: Stores,
    index: Index,
}

impl Stage {
    fn new(scopes: &Scopes, interest: Teams) -> Self {
        let stores = Stores::new(&[&DECLARATION], "test", scopes);
        for (_, partition) in stores.iter() {
            partition.objects.write().see(Event::Begin);
            partition.objects.write().see(Event::Complete);
        }
        Self { stores, index: Index::new(&DECLARATION, Some(interests(interest))) }
    }

    /// The watch tells of something.
    fn tell(&self, kind: Kind, event: Event<Object>) {
        let changes = self.stores.partition(kind, "n").unwrap().write().see(event);
        for change in &changes {
            self.index.follow(kind, change);
        }
    }

    fn applied(&self, kind: Kind, object: Object) {
        self.tell(kind, Event::Applied(object));
    }

    fn deleted(&self, kind: Kind, name: &str) {
        let identity = self.stores.get(kind, &key(name)).unwrap().identity().clone();
        self.tell(kind, Event::Deleted(identity));
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

impl Default for Stage {
    fn default() -> Self {
        Self::new(&Namespaces::AllBut(Vec::new()).into(), Teams::default())
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn what_a_resource_reads_by_name_concerns_it_until_it_reads_something_else() {
    let stage = Stage::default();
    stage.reads("a", &["shared", "first"]);
    stage.reads("b", &["shared"]);
    assert_eq!(stage.concerned_by("shared"), ["a", "b"]);
    assert_eq!(stage.concerned_by("first"), ["a"]);
    assert_eq!(stage.concerned_by("second"), NOTHING);
    assert_eq!(stage.concerned(SELECTED, &object(SELECTED, "first", 1, &json!({}))), NOTHING, "another kind");
    stage.reads("a", &["second"]);
    assert_eq!(stage.concerned_by("shared"), ["b"]);
    assert_eq!(stage.concerned_by("first"), NOTHING);
    assert_eq!(stage.concerned_by("second"), ["a"]);
    stage.reads("a", &[]);
    assert_eq!(stage.concerned_by("second"), NOTHING);
    stage.index.forget(&key("b"));
    assert_eq!((stage.concerned_by("shared"), stage.index.len()), (Vec::new(), 0));
}

#[test]
fn who_reads_an_object_is_added_to_those_whom_it_concerns_anyway() {
    let stage = Stage::default();
    stage.reads("reader", &["secret"]);
    let secret = object(NAMED, "secret", 1, &json!({"metadata": {"labels": {"for": "user"}}}));
    assert_eq!(stage.concerned(NAMED, &secret), ["reader", "user"], "the declaration says so");
    stage.applied(PRIMARY, of_team(PRIMARY, "red", 1, "red"));
    stage.applied(PRIMARY, of_team(PRIMARY, "blue", 1, "blue"));
    let selected = of_team(SELECTED, "selected", 1, "red");
    assert_eq!(stage.concerned(SELECTED, &selected), ["red"]);
    stage.index.reads(&key("reader"), &BTreeMap::from([(SELECTED, [key("selected")].into())]));
    assert_eq!(stage.concerned(SELECTED, &selected), ["reader", "red"]);
    assert_eq!(stage.concerned_by("secret"), NOTHING);
}

#[test]
fn mentions_follow_the_status_of_objects() {
    let stage = Stage::default();
    let of = |resource: &str| -> Vec<String> {
        let mentioning = stage.index.mentioning(&key(resource));
        let of_kind = stage.index.mentioning_of(&key(resource), SELECTED, |keys| keys.cloned().collect());
        assert_eq!(mentioning.get(&SELECTED).cloned().unwrap_or_default(), of_kind);
        assert!(mentioning.keys().all(|kind| *kind == SELECTED), "no others mention anything");
        of_kind.into_iter().map(|key: Key| key.name.to_string()).collect()
    };
    stage.applied(SELECTED, mentioning("one", 1, &["a", "b"]));
    stage.applied(SELECTED, mentioning("two", 2, &["b"]));
    assert_eq!((of("a"), of("b")), (vec!["one".to_owned()], vec!["one".to_owned(), "two".to_owned()]));
    stage.applied(SELECTED, mentioning("one", 3, &["c"]));
    assert_eq!((of("a").len(), of("b"), of("c")), (0, vec!["two".to_owned()], vec!["one".to_owned()]));
    stage.deleted(SELECTED, "two");
    assert_eq!((of("b").len(), of("c")), (0, vec!["one".to_owned()]));
    stage.deleted(SELECTED, "one");
    assert_eq!((of("c").len(), stage.index.len()), (0, 0));
}

#[test]
fn only_resources_that_are_gone_for_sure_are_found_by_what_mentions_them() {
    let gone = |scopes: &Scopes| -> Vec<String> {
        let stage = Stage::new(scopes, Teams::default());
        if stage.stores.partition(PRIMARY, "n").is_some() {
            stage.applied(PRIMARY, object(PRIMARY, "here", 1, &json!({})));
        }
        stage.applied(SELECTED, mentioning("one", 2, &["here", "gone"]));
        stage.index.mentioned_and_gone(&stage.stores).iter().map(ToString::to_string).collect()
    };
    let everywhere = Scopes::from(Namespaces::AllBut(Vec::new()));
    assert_eq!(gone(&everywhere), ["n/gone"]);
    let only = |namespace: &str| Scopes {
        some: [(PRIMARY, Namespaces::Only(vec![namespace.into()]))].into(),
        ..everywhere.clone()
    };
    assert_eq!(gone(&only("n")), ["n/gone"]);
    assert_eq!(gone(&only("elsewhere")), NOTHING, "they may be those of another operator");
    let labels = Filter { labels: Some("a=b".into()), fields: None };
    assert_eq!(gone(&Scopes { filters: [(PRIMARY, labels)].into(), ..everywhere }), NOTHING);
}

#[test]
fn nothing_is_gone_before_all_resources_are_listed() {
    let stage = Stage::default();
    stage.applied(SELECTED, mentioning("one", 1, &["a"]));
    let listing = Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
    assert_eq!(stage.index.mentioned_and_gone(&listing), BTreeSet::new());
    assert_eq!(stage.index.mentioned_and_gone(&stage.stores), BTreeSet::from([key("a")]));
}

#[test]
fn a_resource_is_read_once_a_version() {
    let reads = Arc::<AtomicUsize>::default();
    let stage = Stage::new(&Namespaces::AllBut(Vec::new()).into(), Teams { reads: Arc::clone(&reads) });
    let concerned = |team: &str| {
        let concerned = stage.concerned(SELECTED, &of_team(SELECTED, "selected", 1, team));
        (concerned.len(), reads.load(Ordering::Relaxed))
    };
    stage.applied(PRIMARY, of_team(PRIMARY, "a", 1, "red"));
    assert_eq!((concerned("red"), concerned("blue"), concerned("red")), ((1, 1), (0, 1), (1, 1)));
    stage.applied(PRIMARY, of_team(PRIMARY, "a", 2, "blue"));
    assert_eq!((concerned("red"), concerned("blue")), ((0, 2), (1, 2)));
    stage.deleted(PRIMARY, "a");
    assert_eq!(concerned("blue"), (0, 2));
}

#[test]
fn what_was_read_of_a_resource_is_forgotten_with_it() {
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
    // A watch that found it before it was deleted comes late.
    assert_eq!(*cached.selects(&newer, || false), "blue");
    assert_eq!(cached.read.read().len(), 0);
}

#[test]
fn nothing_is_remembered_when_all_resources_are_gone() {
    let stage = Stage::default();
    let names = ["a", "b", "c"];
    for name in names {
        stage.applied(PRIMARY, of_team(PRIMARY, name, 1, "red"));
        stage.reads(name, &["shared", name]);
        stage.applied(SELECTED, mentioning(name, 1, &names));
    }
    assert_ne!(stage.index.len(), 0);
    for (version, name) in (2..).zip(names) {
        stage.deleted(PRIMARY, name);
        // Its last pass cleans up: no status mentions it any longer, and what it read is forgotten.
        let others: Vec<&str> = names.into_iter().filter(|other| *other > name).collect();
        for object in names {
            stage.applied(SELECTED, mentioning(object, version, &others));
        }
        stage.index.forget(&key(name));
    }
    assert_eq!((stage.index.mentioned_and_gone(&stage.stores), stage.index.len()), (BTreeSet::new(), 0));
}
