//! A cluster-scoped owner with objects in several namespaces.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Mutex;

use http::{Request, Response};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use super::super::{Tools, Way};
use super::*;
use crate::declare::{Declaration, Detail, Owned, keep_nothing};
use crate::store::Event;
use crate::stores::{Namespaces, Scopes, Stores, WatchFilter};

const SECRET: Kind = Kind::of::<Secret>();

/// A Namespace stands for any cluster-scoped owner.
static DECLARATION: Declaration = Declaration {
    name: "test",
    primary: Kind::of::<Namespace>(),
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

/// A Secret of the owner in each of these namespaces, and one of another owner.
fn secrets() -> Vec<Value> {
    let owner = |uid: &str| json!({"apiVersion": "v1", "kind": "Namespace", "name": "o", "uid": uid, "controller": true});
    let secret = |namespace: &str, name: &str, uid: &str| {
        json!({"metadata": {"name": name, "namespace": namespace, "uid": format!("{namespace}-{name}"),
            "resourceVersion": "1", "ownerReferences": [owner(uid)]}})
    };
    let all = ["one", "two", "three"].map(|namespace| secret(namespace, "a", "owner"));
    all.into_iter().chain([secret("one", "b", "other")]).collect()
}

/// The requests when nothing is desired for a cluster-scoped owner any more.
async fn requests(namespaces: Namespaces, filters: BTreeMap<Kind, WatchFilter>) -> Vec<String> {
    let requests: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&requests);
    let server = tower::service_fn(move |request: Request<Body>| {
        let path = request.uri().path().to_owned();
        log.lock().unwrap().push(format!("{} {path}", request.method()));
        let namespace = path.strip_prefix("/api/v1/namespaces/").and_then(|rest| rest.split('/').next());
        let mut items = secrets();
        items.retain(|one| namespace.is_none_or(|name| one["metadata"]["namespace"] == name));
        let list = json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "items": items});
        async move { Ok::<_, Infallible>(Response::new(Body::from(list.to_string().into_bytes()))) }
    });
    let is_filtered = !filters.is_empty();
    let stores = Stores::new(&[&DECLARATION], "test", &Scopes { filters, ..namespaces.into() });
    for secret in secrets() {
        let object = stores.keep(SECRET, serde_json::from_value(secret).unwrap());
        if let Some(partition) = stores.partition(SECRET, &object.key().namespace).filter(|_| !is_filtered) {
            partition.write().see(Event::Applied(object));
        }
    }
    let tools = Tools { client: Client::new(server, "n"), stores, manager: "test", fence: Arc::new(|| true) };
    let writer = Writer::new(&DECLARATION, tools);
    let owner = json!({"metadata": {"name": "o", "uid": "owner"}});
    let owner = Object::new(serde_json::from_value(owner).unwrap(), &DECLARATION.primary.resource());
    let work = Work { prune: true, ..Work::default() };
    writer.carry_out(&work, &owner).await.unwrap();
    let mut requests = requests.lock().unwrap().clone();
    requests.sort();
    requests
}

fn deleted(namespaces: &[&str]) -> Vec<String> {
    namespaces.iter().map(|name| format!("DELETE /api/v1/namespaces/{name}/secrets/a")).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn objects_of_a_cluster_scoped_owner_are_pruned_in_every_watched_namespace() {
    let nothing = BTreeMap::new;
    assert_eq!(requests(Namespaces::AllBut(vec![]), nothing()).await, deleted(&["one", "three", "two"]));
    let but = Namespaces::AllBut(names(&["two"]));
    assert_eq!(requests(but, nothing()).await, deleted(&["one", "three"]));
    let only = Namespaces::Only(names(&["one", "two"]));
    assert_eq!(requests(only, nothing()).await, deleted(&["one", "two"]));
}

#[tokio::test]
async fn only_watched_namespaces_are_listed() {
    let filter = || {
        let filter = WatchFilter { labels: Some("team=a".into()), fields: None };
        BTreeMap::from([(SECRET, filter)])
    };
    let expected = |lists: &[&str], namespaces: &[&str]| {
        let mut all = deleted(namespaces);
        all.extend(lists.iter().map(|path| format!("GET /api/v1/{path}")));
        all
    };
    let but = Namespaces::AllBut(names(&["two"]));
    assert_eq!(requests(but, filter()).await, expected(&["secrets"], &["one", "three"]));
    let only = Namespaces::Only(names(&["one", "two"]));
    let lists = ["namespaces/one/secrets", "namespaces/two/secrets"];
    assert_eq!(requests(only, filter()).await, expected(&lists, &["one", "two"]));
}
