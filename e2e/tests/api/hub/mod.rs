//! Controllers of one process with a real API server: which of them a change concerns, and what happens to kinds that do not
//! exist or cannot be listed.

mod observer;
mod process;
mod selector;

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
use crate::apply::fixture::{CONFIG_MAP, LEASE, SECRET};
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

/// Watches every `ConfigMap`, and optional kinds.
static READER: Declaration = Declaration {
    name: "reader",
    primary: Kind::of::<PodTemplate>(),
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[],
    watched: &[watches(CONFIG_MAP, false), watches(GADGET, true), watches(SECRET, true)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// Watches namespaces.
static NAMESPACE_READER: Declaration = Declaration {
    name: "namespaces",
    primary: Kind::of::<PodTemplate>(),
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[],
    watched: &[watches(Kind::of::<Namespace>(), false)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

const fn watches(kind: Kind, optional: bool) -> Watched {
    let concerns = |object: &Object| Some(Key::new(LISTENER, &object.key().name));
    Watched { kind, concerns, selector: None, detail: Detail::Full, trim: |_| (), optional, why: "a test" }
}

async fn create(client: &Client, namespace: &str, kind: Kind, object: &Value) -> Result<DynamicObject> {
    let mut object = object.clone();
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.kind.into();
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind.resource());
    Ok(api.create(&PostParams::default(), &serde_json::from_value(object)?).await?)
}

async fn create_in<K>(client: &Client, namespace: &str, object: Value) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + std::fmt::Debug,
    K: Serialize + DeserializeOwned,
{
    Api::<K>::namespaced(client.clone(), namespace)
        .create(&PostParams::default(), &serde_json::from_value(object)?)
        .await?;
    Ok(())
}

async fn create_cluster_scoped<K>(client: &Client, object: Value) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    Api::<K>::all(client.clone()).create(&PostParams::default(), &serde_json::from_value(object)?).await?;
    Ok(())
}

fn named(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

/// Creates a `ConfigMap` that is owned by a lease with this name.
async fn create_owned_by(client: &Client, lease: &str) -> Result<()> {
    let object = json!({"metadata": {"name": format!("of-{lease}"), "ownerReferences": [{
        "apiVersion": LEASE.api_version(), "kind": LEASE.kind, "name": lease, "uid": "1", "controller": true,
    }]}});
    create(client, "default", CONFIG_MAP, &object).await.map(drop)
}

#[tokio::test]
async fn a_write_triggers_only_other_controllers() -> Result<()> {
    const LEASES: usize = 40;
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    let mut process = Process::start(&client, Namespaces::AllBut(Vec::new()), &[&WRITER, &READER]);
    let names: Vec<String> = (0..LEASES).map(|number| format!("lease-{number}")).collect();
    for name in &names {
        create(&client, "default", LEASE, &named(name)).await?;
    }
    for name in &names {
        process.passes(&format!("writer default/{name}"), 1).await?;
        process.passes(&format!("reader {LISTENER}/{name}"), 1).await?;
    }
    // Watch events arrive in order: with this one, all earlier ones have arrived.
    create_owned_by(&client, "first").await?;
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
    create_owned_by(&client, "second").await?;
    process.passes("writer default/second", 1).await?;

    let passes = process.end().await;
    let of = |prefix: &str| {
        let mut found: Vec<&String> = passes.iter().filter(|entry| entry.starts_with(prefix)).collect();
        found.sort();
        found.into_iter().cloned().collect::<Vec<_>>()
    };
    let mut expected: Vec<String> =
        names.iter().flat_map(|name| vec![format!("writer default/{name}"); 2]).collect();
    expected.sort();
    assert_eq!(of("writer default/lease"), expected, "one pass for each change of the lease");
    Ok(())
}

/// Grants permissions to the user, in a namespace or everywhere.
async fn allow(client: &Client, namespace: Option<&str>, name: &str, rules: &Value) -> Result<()> {
    let kind = if namespace.is_some() { "Role" } else { "ClusterRole" };
    let role = json!({"metadata": {"name": name}, "rules": rules});
    let binding = json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "user"}],
    });
    if let Some(namespace) = namespace {
        create_in::<Role>(client, namespace, role).await?;
        create_in::<RoleBinding>(client, namespace, binding).await
    } else {
        create_cluster_scoped::<ClusterRole>(client, role).await?;
        create_cluster_scoped::<ClusterRoleBinding>(client, binding).await
    }
}

/// The permissions of a declaration, as rules of a role.
fn rules(declaration: &Declaration, but: &[&str]) -> Value {
    let permissions = declaration.all_permissions();
    let granted = permissions.iter().filter(|permission| !but.contains(&permission.resource));
    granted
        .map(|one| json!({"apiGroups": [one.group], "resources": [one.resource], "verbs": one.verbs}))
        .collect()
}

#[tokio::test]
async fn an_optional_kind_is_off_until_it_can_be_watched() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    allow(&client, None, "reader", &rules(&READER, &["secrets"])).await?;
    let user = Record::default().impersonate(client.clone(), "user")?;
    let mut process = Process::start(&user, Namespaces::AllBut(Vec::new()), &[&READER]);
    process.watch_is(GADGET, Progress::Off, true).await?;
    process.watch_is(SECRET, Progress::Off, true).await?;
    process.watch_is(CONFIG_MAP, Progress::Complete, false).await?;
    create(&client, "default", CONFIG_MAP, &named("works")).await?;
    process.passes(&format!("reader {LISTENER}/works"), 1).await?;

    create_cluster_scoped::<CustomResourceDefinition>(
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
    process.watch_is(GADGET, Progress::Complete, false).await?;
    create(&client, "default", GADGET, &named("gadget")).await?;
    process.passes(&format!("reader {LISTENER}/gadget"), 1).await?;

    create(&client, "default", SECRET, &named("hidden")).await?;
    let secrets = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list", "watch"]}]);
    allow(&client, None, "secrets", &secrets).await?;
    process.passes(&format!("reader {LISTENER}/hidden"), 1).await?;
    process.watch_is(SECRET, Progress::Complete, false).await?;
    process.end().await;
    Ok(())
}

#[tokio::test]
async fn with_a_list_of_namespaces_roles_are_sufficient() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    for namespace in ["one", "two", "three"] {
        create_cluster_scoped::<Namespace>(&client, named(namespace)).await?;
        create(&client, namespace, LEASE, &named("lease")).await?;
    }
    let user = Record::default().impersonate(client.clone(), "user")?;
    let only = Namespaces::Only(vec!["one".into(), "two".into()]);
    let mut process = Process::start(&user, only, &[&WRITER]);
    // It cannot work without these permissions, so it waits for them.
    process.watch_is(LEASE, Progress::Off, true).await?;
    for namespace in ["one", "two"] {
        allow(&client, Some(namespace), "writer", &rules(&WRITER, &[])).await?;
    }
    process.watch_is(LEASE, Progress::Complete, false).await?;
    process.watch_is(CONFIG_MAP, Progress::Complete, false).await?;
    for namespace in ["one", "two"] {
        let configs: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
        wait::object(&configs, "lease", "to be written", |_| true).await?;
    }
    let mut passes = process.end().await;
    passes.sort();
    assert_eq!(passes, ["writer one/lease", "writer two/lease"]);
    Ok(())
}

#[tokio::test]
async fn a_denied_namespace_is_not_watched() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    create_cluster_scoped::<Namespace>(&client, named("denied")).await?;
    create(&client, "denied", LEASE, &named("before")).await?;
    let but = Namespaces::AllBut(vec!["denied".into(), "kube-system".into()]);
    let mut process = Process::start(&client, but, &[&WRITER]);
    process.watch_is(LEASE, Progress::Complete, false).await?;
    create(&client, "denied", LEASE, &named("after")).await?;
    create(&client, "default", LEASE, &named("last")).await?;
    process.passes("writer default/last", 1).await?;
    assert_eq!(process.stores.get(LEASE, &Key::new("denied", "before")), None);
    assert_eq!(process.end().await, ["writer default/last"]);
    Ok(())
}

#[tokio::test]
async fn cluster_scoped_kinds_are_watched_with_any_list_of_namespaces() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    for lists in [Namespaces::Only(vec!["default".into()]), Namespaces::AllBut(vec!["default".into()])] {
        let mut process = Process::start(&client, lists, &[&NAMESPACE_READER]);
        process.watch_is(Kind::of::<Namespace>(), Progress::Complete, false).await?;
        process.passes("namespaces listener/default", 1).await?;
        assert!(process.stores.get(Kind::of::<Namespace>(), &Key::new("", "default")).is_some());
        process.end().await;
    }
    Ok(())
}
