//! An owner of the cluster, with objects in several namespaces.

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
use crate::stores::{Filter, Namespaces, Scopes, Stores};

const SECRET: Kind = Kind::of::<Secret>();

/// Namespaces stand for any kind of the cluster.
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

/// A Secret of the owner in each of these namespaces, and one of somebody else.
fn secrets() -> Vec<Value> {
    let owner = |uid: &str| json!({"apiVersion": "v1", "kind": "Namespace", "name": "o", "uid": uid, "controller": true});
    let secret = |namespace: &str, name: &str, uid: &str| {
        json!({"metadata": {"name": name, "namespace": namespace, "uid": format!("{namespace}-{name}"),
            "resourceVersion": "1", "ownerReferences": [owner(uid)]}})
    };
    let all = ["one", "two", "three"].map(|namespace| secret(namespace, "a", "owner"));
    all.into_iter().chain([secret("one", "b", "somebody else")]).collect()
}

/// What is asked when an owner of the cluster wants nothing any more.
async fn asked(namespaces: Namespaces, filters: BTreeMap<Kind, Filter>) -> Vec<String> {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let diary = Arc::clone(&asked);
    let server = tower::service_fn(move |request: Request<Body>| {
        let path = request.uri().path().to_owned();
        diary.lock().unwrap().push(format!("{} {path}", request.method()));
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
    let mut asked = asked.lock().unwrap().clone();
    asked.sort();
    asked
}

fn deleted(namespaces: &[&str]) -> Vec<String> {
    namespaces.iter().map(|name| format!("DELETE /api/v1/namespaces/{name}/secrets/a")).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn what_an_owner_of_the_cluster_does_not_want_goes_from_every_namespace() {
    let nothing = BTreeMap::new;
    assert_eq!(asked(Namespaces::AllBut(vec![]), nothing()).await, deleted(&["one", "three", "two"]));
    let but = Namespaces::AllBut(names(&["two"]));
    assert_eq!(asked(but, nothing()).await, deleted(&["one", "three"]));
    let only = Namespaces::Only(names(&["one", "two"]));
    assert_eq!(asked(only, nothing()).await, deleted(&["one", "two"]));
}

#[tokio::test]
async fn it_is_asked_for_where_we_look() {
    let filter = || {
        let filter = Filter { labels: Some("team=a".into()), fields: None };
        BTreeMap::from([(SECRET, filter)])
    };
    let with = |lists: &[&str], gone: &[&str]| {
        let mut all = deleted(gone);
        all.extend(lists.iter().map(|path| format!("GET /api/v1/{path}")));
        all
    };
    let but = Namespaces::AllBut(names(&["two"]));
    assert_eq!(asked(but, filter()).await, with(&["secrets"], &["one", "three"]));
    let only = Namespaces::Only(names(&["one", "two"]));
    let lists = ["namespaces/one/secrets", "namespaces/two/secrets"];
    assert_eq!(asked(only, filter()).await, with(&lists, &["one", "two"]));
}
