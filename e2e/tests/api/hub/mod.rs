//! Controllers of one process around one real API server: which of them a change concerns, and what happens to kinds that
//! do not exist or may not be listed.

mod process;
mod selector;
mod witness;

use anyhow::Result;
use e2e::wait;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, PodTemplate};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::apply::Way;
use kernel::declare::{Declaration, Detail, Kind, Owned, Prune, Scope, Watched, keep_nothing};
use kernel::hub::Progress;
use kernel::object::{Key, Object};
use kernel::stores::Namespaces;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::NamespaceResourceScope;
use kube::{Client, Resource};
use lab::ControlPlane;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::process::Process;
use crate::apply::stage::{CONFIG_MAP, LEASE, SECRET};
use crate::record::Record;

const GADGET: Kind =
    Kind { group: "example.com", version: "v1", kind: "Gadget", plural: "gadgets", scope: Scope::Namespaces };
const LISTENER: &str = "listener";

/// Writes a `ConfigMap` for every `Lease`.
static WRITER: Declaration = Declaration {
    name: "writer",
    primary: LEASE,
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[Owned {
        kind: CONFIG_MAP,
        way: Way::Apply,
        selector: None,
        detail: Detail::Full,
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

/// Listens to every `ConfigMap`, and to kinds that it can do without.
static READER: Declaration = Declaration {
    name: "reader",
    primary: Kind::of::<PodTemplate>(),
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[],
    watched: &[listens(CONFIG_MAP, false), listens(GADGET, true), listens(SECRET, true)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// Listens to namespaces themselves.
static GUEST: Declaration = Declaration {
    name: "guest",
    primary: Kind::of::<PodTemplate>(),
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[],
    watched: &[listens(Kind::of::<Namespace>(), false)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

const fn listens(kind: Kind, optional: bool) -> Watched {
    let concerns = |object: &Object| Some(Key::new(LISTENER, &object.key().name));
    Watched { kind, concerns, selector: None, detail: Detail::Full, trim: |_| (), optional, why: "a test" }
}

async fn make(client: &Client, namespace: &str, kind: Kind, object: &Value) -> Result<DynamicObject> {
    let mut object = object.clone();
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.kind.into();
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind.resource());
    Ok(api.create(&PostParams::default(), &serde_json::from_value(object)?).await?)
}

async fn make_in<K>(client: &Client, namespace: &str, object: Value) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + std::fmt::Debug,
    K: Serialize + DeserializeOwned,
{
    Api::<K>::namespaced(client.clone(), namespace)
        .create(&PostParams::default(), &serde_json::from_value(object)?)
        .await?;
    Ok(())
}

async fn make_anywhere<K>(client: &Client, object: Value) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    Api::<K>::all(client.clone()).create(&PostParams::default(), &serde_json::from_value(object)?).await?;
    Ok(())
}

fn named(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

/// A `ConfigMap` that belongs to a lease of this name, wherever that is.
async fn tell_of(client: &Client, lease: &str) -> Result<()> {
    let object = json!({"metadata": {"name": format!("of-{lease}"), "ownerReferences": [{
        "apiVersion": LEASE.api_version(), "kind": LEASE.kind, "name": lease, "uid": "1", "controller": true,
    }]}});
    make(client, "default", CONFIG_MAP, &object).await.map(drop)
}

#[tokio::test]
async fn our_own_write_is_news_to_others_only() -> Result<()> {
    const LEASES: usize = 40;
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    let mut process = Process::start(&client, Namespaces::AllBut(Vec::new()), &[&WRITER, &READER]);
    let names: Vec<String> = (0..LEASES).map(|number| format!("lease-{number}")).collect();
    for name in &names {
        make(&client, "default", LEASE, &named(name)).await?;
    }
    for name in &names {
        process.passes(&format!("writer default/{name}"), 1).await?;
        process.passes(&format!("reader {LISTENER}/{name}"), 1).await?;
    }
    // Watch events come in order: with this one, all before it have come.
    tell_of(&client, "first").await?;
    process.passes("writer default/first", 1).await?;

    let leases: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &LEASE.resource());
    for name in &names {
        let change = Patch::Merge(json!({"metadata": {"labels": {"round": "two"}}}));
        leases.patch(name, &PatchParams::default(), &change).await?;
    }
    for name in &names {
        process.passes(&format!("writer default/{name}"), 2).await?;
        process.passes(&format!("reader {LISTENER}/{name}"), 2).await?;
    }
    tell_of(&client, "second").await?;
    process.passes("writer default/second", 1).await?;

    let diary = process.end().await;
    let of = |prefix: &str| {
        let mut found: Vec<&String> = diary.iter().filter(|entry| entry.starts_with(prefix)).collect();
        found.sort();
        found.into_iter().cloned().collect::<Vec<_>>()
    };
    let mut expected: Vec<String> =
        names.iter().flat_map(|name| vec![format!("writer default/{name}"); 2]).collect();
    expected.sort();
    assert_eq!(of("writer default/lease"), expected, "one pass a change of the lease");
    Ok(())
}

/// A user who may do this with these resources, in a namespace or everywhere.
async fn allow(client: &Client, namespace: Option<&str>, name: &str, rules: &Value) -> Result<()> {
    let kind = if namespace.is_some() { "Role" } else { "ClusterRole" };
    let role = json!({"metadata": {"name": name}, "rules": rules});
    let binding = json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "toy"}],
    });
    if let Some(namespace) = namespace {
        make_in::<Role>(client, namespace, role).await?;
        make_in::<RoleBinding>(client, namespace, binding).await
    } else {
        make_anywhere::<ClusterRole>(client, role).await?;
        make_anywhere::<ClusterRoleBinding>(client, binding).await
    }
}

/// The permissions of a declaration, as rules of a role.
fn rules(declaration: &Declaration, but: &[&str]) -> Value {
    let rights = declaration.all_permissions();
    let asked = rights.iter().filter(|right| !but.contains(&right.resource));
    asked
        .map(|one| json!({"apiGroups": [one.group], "resources": [one.resource], "verbs": one.verbs}))
        .collect()
}

#[tokio::test]
async fn a_kind_that_we_can_do_without_is_off_until_it_is_there() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    allow(&client, None, "reader", &rules(&READER, &["secrets"])).await?;
    let toy = Record::default().impersonate(client.clone(), "toy")?;
    let mut process = Process::start(&toy, Namespaces::AllBut(Vec::new()), &[&READER]);
    process.stands(GADGET, Progress::Off, true).await?;
    process.stands(SECRET, Progress::Off, true).await?;
    process.stands(CONFIG_MAP, Progress::Complete, false).await?;
    make(&client, "default", CONFIG_MAP, &named("works")).await?;
    process.passes(&format!("reader {LISTENER}/works"), 1).await?;

    make_anywhere::<CustomResourceDefinition>(
        &client,
        json!({
            "metadata": {"name": "gadgets.example.com"},
            "spec": {
                "group": GADGET.group, "scope": "Namespaced",
                "names": {"kind": GADGET.kind, "plural": GADGET.plural},
                "versions": [{
                    "name": GADGET.version, "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }],
            },
        }),
    )
    .await?;
    process.stands(GADGET, Progress::Complete, false).await?;
    make(&client, "default", GADGET, &named("gadget")).await?;
    process.passes(&format!("reader {LISTENER}/gadget"), 1).await?;

    make(&client, "default", SECRET, &named("hidden")).await?;
    let secrets = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list", "watch"]}]);
    allow(&client, None, "secrets", &secrets).await?;
    process.passes(&format!("reader {LISTENER}/hidden"), 1).await?;
    process.stands(SECRET, Progress::Complete, false).await?;
    process.end().await;
    Ok(())
}

#[tokio::test]
async fn with_a_list_of_namespaces_plain_roles_suffice() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    for namespace in ["one", "two", "three"] {
        make_anywhere::<Namespace>(&client, named(namespace)).await?;
        make(&client, namespace, LEASE, &named("lease")).await?;
    }
    let toy = Record::default().impersonate(client.clone(), "toy")?;
    let only = Namespaces::Only(vec!["one".into(), "two".into()]);
    let mut process = Process::start(&toy, only, &[&WRITER]);
    // It cannot work without these permissions, so it waits for them.
    process.stands(LEASE, Progress::Off, true).await?;
    for namespace in ["one", "two"] {
        allow(&client, Some(namespace), "writer", &rules(&WRITER, &[])).await?;
    }
    process.stands(LEASE, Progress::Complete, false).await?;
    process.stands(CONFIG_MAP, Progress::Complete, false).await?;
    for namespace in ["one", "two"] {
        let configs: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
        wait::object(&configs, "lease", "to be written", |_| true).await?;
    }
    let mut diary = process.end().await;
    diary.sort();
    assert_eq!(diary, ["writer one/lease", "writer two/lease"]);
    Ok(())
}

#[tokio::test]
async fn nothing_is_heard_from_a_namespace_that_is_left_out() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    make_anywhere::<Namespace>(&client, named("denied")).await?;
    make(&client, "denied", LEASE, &named("before")).await?;
    let but = Namespaces::AllBut(vec!["denied".into(), "kube-system".into()]);
    let mut process = Process::start(&client, but, &[&WRITER]);
    process.stands(LEASE, Progress::Complete, false).await?;
    make(&client, "denied", LEASE, &named("after")).await?;
    make(&client, "default", LEASE, &named("last")).await?;
    process.passes("writer default/last", 1).await?;
    assert_eq!(process.stores.get(LEASE, &Key::new("denied", "before")), None);
    assert_eq!(process.end().await, ["writer default/last"]);
    Ok(())
}

#[tokio::test]
async fn kinds_of_the_cluster_are_heard_whatever_namespaces_are_listed() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    for lists in [Namespaces::Only(vec!["default".into()]), Namespaces::AllBut(vec!["default".into()])] {
        let mut process = Process::start(&client, lists, &[&GUEST]);
        process.stands(Kind::of::<Namespace>(), Progress::Complete, false).await?;
        process.passes("guest listener/default", 1).await?;
        assert!(process.stores.get(Kind::of::<Namespace>(), &Key::new("", "default")).is_some());
        process.end().await;
    }
    Ok(())
}
