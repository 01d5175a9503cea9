//! Every write is about one object in one state: a late write, or a write to another object of the same name, is rejected.

use std::sync::Arc;

use anyhow::{Context, Result};
use kernel::apply::{Deletion, Desired, Touch, Way, Work, WriteError, Writer};
use kernel::object::{Key, Object};
use kernel::store::Event;
use kernel::stores::{Namespaces, Stores};
use kube::api::DeleteParams;
use serde_json::json;

use super::fixture::{
    CONFIG_MAP, DECLARATION, Fixture, JOB, LEASE, MANAGER, POD, PREDECESSOR, SECRET, SERVICE_ACCOUNT,
    STATEFUL_SET, api, content, create, owned_by, tools,
};
use super::objects;
use crate::record::Request;

/// A writer with an empty cache.
fn with_empty_cache(fixture: &Fixture) -> Writer {
    let stores = Stores::new(&[&DECLARATION], MANAGER, &Namespaces::AllBut(Vec::new()).into());
    Writer::new(&DECLARATION, tools(&fixture.client, stores, Arc::new(|| true)))
}

/// The error with its cause, as text.
fn message<T>(outcome: Result<T, WriteError>) -> String {
    outcome.map_or_else(|error| format!("{:#}", anyhow::Error::from(error)), |_| "no error".into())
}

#[tokio::test]
async fn an_object_that_is_not_in_the_cache_is_not_written() -> Result<()> {
    let fixture = Fixture::start().await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::config_map();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        let wanted = fixture.wanted(CONFIG_MAP, &object, way);
        fixture.carry_out(std::slice::from_ref(&wanted)).await?;
        let name = &*wanted.key().name;
        let before = fixture.read(CONFIG_MAP, name).await?;

        object["data"]["one"] = "another".into();
        let work = Work { waves: vec![vec![fixture.wanted(CONFIG_MAP, &object, way)]], ..Work::default() };
        let rejected = with_empty_cache(&fixture).carry_out(&work, &fixture.owner).await;
        assert_eq!(
            message(rejected),
            format!("ConfigMap default/{name} was changed by another writer meanwhile"),
            "{way:?}"
        );
        assert_eq!(fixture.read(CONFIG_MAP, name).await?, before);
    }
    Ok(())
}

#[tokio::test]
async fn an_object_that_changed_meanwhile_is_not_written() -> Result<()> {
    let fixture = Fixture::start().await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::config_map();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        let wanted = fixture.wanted(CONFIG_MAP, &object, way);
        let writer = with_empty_cache(&fixture);
        let work = |wanted| Work { waves: vec![vec![wanted]], ..Work::default() };
        writer.carry_out(&work(wanted.clone()), &fixture.owner).await?;
        // This writer has no watch of it.
        fixture.edit(CONFIG_MAP, &wanted.key().name, &json!({"data": {"foreign": "x"}})).await?;
        object["data"]["one"] = "another".into();
        let rejected =
            writer.carry_out(&work(fixture.wanted(CONFIG_MAP, &object, way)), &fixture.owner).await;
        assert!(matches!(rejected, Err(WriteError::Outdated { .. })), "{way:?}: {rejected:?}");
    }
    Ok(())
}

#[tokio::test]
async fn another_object_of_the_same_name_is_neither_deleted_nor_patched() -> Result<()> {
    let fixture = Fixture::start().await?;
    let pod = json!({
        "metadata": {"name": "pod"},
        "spec": {"containers": [{"name": "main", "image": "toy:1"}]},
    });
    create(&fixture.other, SERVICE_ACCOUNT, &json!({"metadata": {"name": "default"}}), "somebody").await?;
    let old = create(&fixture.other, POD, &pod, "somebody").await?;
    fixture.wait_for(POD, &old).await?;
    let now = DeleteParams::default().grace_period(0);
    api(&fixture.other, POD).delete("pod", &now).await?;
    let new = create(&fixture.other, POD, &pod, "somebody").await?;

    let known = Arc::new(Object::new(old.clone(), &POD.resource()));
    let deletion = Work { deletions: vec![Deletion { kind: POD, object: known }], ..Work::default() };
    let writer = with_empty_cache(&fixture);
    let rejected = writer.carry_out(&deletion, &fixture.owner).await;
    assert!(matches!(rejected, Err(WriteError::Outdated { .. })), "{rejected:?}");

    // A writer whose cache contains the old one.
    let key = Key::new("default", "pod");
    let store = writer.stores().partition(POD, "default").context("pods are declared")?;
    let old_object = Object::new(old.clone(), &POD.resource());
    store.write().see(Event::Applied(old_object));
    let touch = Touch {
        kind: POD,
        key,
        uid: old.metadata.uid.clone().context("the object has no UID")?.into(),
        fields: json!({"metadata": {"annotations": {"touched": "1"}}}),
    };
    let work = Work { touches: vec![touch.clone()], ..Work::default() };
    let rejected = writer.carry_out(&work, &fixture.owner).await;
    assert!(matches!(rejected, Err(WriteError::Outdated { .. })), "{rejected:?}");
    assert_eq!(fixture.read(POD, "pod").await?, new);

    api(&fixture.other, POD).delete("pod", &now).await?;
    let rejected = writer.carry_out(&work, &fixture.owner).await;
    assert!(matches!(rejected, Err(WriteError::Outdated { .. })), "a pod was created: {rejected:?}");

    let uid = new.metadata.uid.clone().context("the object has no UID")?.into();
    let right = Work { touches: vec![Touch { uid, ..touch }], ..Work::default() };
    fixture.record.take();
    fixture.process.writer.carry_out(&right, &fixture.owner).await?;
    assert_eq!(fixture.requests(), Vec::<String>::new(), "a deleted object is not patched");
    Ok(())
}

#[tokio::test]
async fn every_write_of_a_long_sequence_is_conditional() -> Result<()> {
    let fixture = Fixture::start().await?;
    let both = |fixture: &Fixture| {
        let one = |way| fixture.wanted(CONFIG_MAP, &objects::config_map(), way);
        let mut other = objects::secret();
        other["metadata"]["name"] = "replaced".into();
        vec![one(Way::Apply), fixture.wanted(SECRET, &other, Way::Replace)]
    };
    fixture.carry_out(&both(&fixture)).await?;
    let mut inherited = objects::secret();
    inherited["metadata"]["name"] = "inherited".into();
    let inherited_object = fixture.wanted(SECRET, &inherited, Way::Apply).object;
    let made = create(&fixture.other, SECRET, &inherited_object, PREDECESSOR).await?;
    fixture.wait_for(SECRET, &made).await?;
    inherited["data"] = json!({"user": "Yw=="});
    fixture.carry_out(&[fixture.wanted(SECRET, &inherited, Way::Apply)]).await?;
    fixture.edit(CONFIG_MAP, "settings", &json!({"data": {"one": "x"}})).await?;
    fixture.edit(SECRET, "replaced", &json!({"data": {"user": "eA=="}})).await?;
    fixture.carry_out(&both(&fixture)).await?;
    fixture
        .process
        .writer
        .patch_metadata(&fixture.owner, &json!({"finalizers": ["example.com/hold"]}))
        .await?;
    let mut another_type = inherited.clone();
    another_type["type"] = "example.com/other".into();
    fixture.carry_out(&[fixture.wanted(SECRET, &another_type, Way::Apply)]).await?;
    fixture.wait_until_gone(SECRET, &made).await?;
    let work = Work { waves: vec![both(&fixture)], prune: true, ..Work::default() };
    fixture.process.writer.carry_out(&work, &fixture.owner).await?;
    let nothing = Work { prune: true, ..Work::default() };
    fixture.process.writer.carry_out(&nothing, &fixture.owner).await?;

    let requests = fixture.record.take();
    let writes: Vec<_> = requests.iter().filter(|request| request.is_write()).collect();
    let sent: Vec<String> = writes.iter().map(|request| request.line()).collect();
    let expected = [
        "PATCH configmaps/settings",
        "POST default/secrets",
        "PATCH secrets/inherited",
        "PATCH secrets/inherited",
        "PATCH configmaps/settings",
        "PUT secrets/replaced",
        "PATCH leases/owner",
        "POST default/secrets",
        "DELETE secrets/inherited",
        "DELETE configmaps/settings",
        "DELETE secrets/replaced",
    ];
    assert_eq!(sent, expected);
    for request in writes {
        assert!(request.is_conditional(), "{request:?}");
    }
    Ok(())
}

#[tokio::test]
async fn only_own_objects_are_pruned() -> Result<()> {
    let fixture = Fixture::start().await?;
    let other_owner =
        create(&fixture.other, LEASE, &json!({"metadata": {"name": "other"}}), "somebody").await?;
    let other_owner = Object::new(other_owner, &LEASE.resource());
    let named = |kind, name: &str, owner: Option<&Object>| {
        let object = json!({"metadata": {"name": name}});
        let owned = owner.map(|owner| owned_by(owner, kind, &object, Way::Apply).object);
        (kind, owned.unwrap_or(object))
    };
    let account = SERVICE_ACCOUNT;
    for (kind, object) in [
        named(CONFIG_MAP, "ours", Some(&fixture.owner)),
        named(CONFIG_MAP, "wanted", Some(&fixture.owner)),
        named(SECRET, "ours", Some(&fixture.owner)),
        named(CONFIG_MAP, "theirs", Some(&other_owner)),
        named(CONFIG_MAP, "nobodys", None),
        named(account, "of-a-kind-that-is-not-declared", Some(&fixture.owner)),
    ] {
        let made = create(&fixture.other, kind, &object, "somebody").await?;
        if kind != account && made.metadata.owner_references.is_some() {
            fixture.wait_for(kind, &made).await?;
        }
    }
    let wanted = fixture.wanted(CONFIG_MAP, &json!({"metadata": {"name": "wanted"}}), Way::Apply);
    let work = Work { waves: vec![vec![wanted]], prune: true, ..Work::default() };
    let applied = fixture.process.writer.carry_out(&work, &fixture.owner).await?;
    assert_eq!(applied.written, ["deleted ConfigMap default/ours", "deleted Secret default/ours"]);
    let requests = fixture.record.take();
    let uids: Vec<bool> = requests.iter().map(Request::is_conditional).collect();
    assert_eq!(uids, [true, true]);
    for (kind, expected) in
        [(CONFIG_MAP, vec!["nobodys", "theirs", "wanted"]), (account, vec!["of-a-kind-that-is-not-declared"])]
    {
        let mut names = fixture.names(kind).await?;
        names.retain(|name| name != "kube-root-ca.crt" && name != "default");
        assert_eq!(names, expected);
    }
    Ok(())
}

#[tokio::test]
async fn an_object_of_another_owner_is_an_error() -> Result<()> {
    let fixture = Fixture::start().await?;
    let other_owner =
        create(&fixture.other, LEASE, &json!({"metadata": {"name": "other"}}), "somebody").await?;
    let other_owner = Object::new(other_owner, &LEASE.resource());
    let theirs = owned_by(&other_owner, CONFIG_MAP, &objects::config_map(), Way::Apply).object;
    let before = create(&fixture.other, CONFIG_MAP, &theirs, "somebody").await?;
    fixture.wait_for(CONFIG_MAP, &before).await?;
    for way in [Way::Apply, Way::Replace] {
        let rejected = fixture.carry_out(&[fixture.wanted(CONFIG_MAP, &objects::config_map(), way)]).await;
        let expected = "ConfigMap default/settings belongs to Lease other; rename or delete one of them";
        assert_eq!(message(rejected), expected);
    }
    let undeclared = fixture.wanted(LEASE, &json!({"metadata": {"name": "x"}}), Way::Apply);
    let undeclared = Desired { kind: SERVICE_ACCOUNT, ..undeclared };
    let expected = "ServiceAccount default/x: operator toy does not declare such objects";
    assert_eq!(message(fixture.carry_out(&[undeclared]).await), expected);
    assert_eq!(fixture.requests(), Vec::<String>::new());
    assert_eq!(fixture.read(CONFIG_MAP, "settings").await?, before);
    Ok(())
}

#[tokio::test]
async fn objects_of_a_deleted_owner_of_the_same_name_are_waited_for() -> Result<()> {
    let mut fixture = Fixture::start().await?;
    let wanted = fixture.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply);
    fixture.carry_out(&[wanted]).await?;
    let left = fixture.read(CONFIG_MAP, "settings").await?;
    api(&fixture.other, LEASE).delete("owner", &DeleteParams::default()).await?;
    let again = create(&fixture.other, LEASE, &json!({"metadata": {"name": "owner"}}), "somebody").await?;
    fixture.owner = Arc::new(Object::new(again, &LEASE.resource()));
    fixture.requests();
    let wanted = [fixture.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply)];
    let waiting = fixture.carry_out(&wanted).await?.waiting;
    assert_eq!(waiting, ["ConfigMap default/settings is being deleted"]);
    assert_eq!(fixture.requests(), Vec::<String>::new());
    // The garbage collector does not run here.
    api(&fixture.other, CONFIG_MAP).delete("settings", &DeleteParams::default()).await?;
    fixture.wait_until_gone(CONFIG_MAP, &left).await?;
    assert_eq!(fixture.carry_out(&wanted).await?.written, ["created ConfigMap default/settings"]);
    Ok(())
}

#[tokio::test]
async fn a_process_that_is_not_the_leader_sends_nothing() -> Result<()> {
    let fixture = Fixture::start().await?;
    let known = [
        fixture.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply),
        fixture.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Replace),
        fixture.wanted(JOB, &objects::job(), Way::Apply),
    ];
    fixture.carry_out(&known).await?;
    let inherited = fixture.wanted(SECRET, &objects::secret(), Way::Apply);
    let made = create(&fixture.other, SECRET, &inherited.object, PREDECESSOR).await?;
    fixture.wait_for(SECRET, &made).await?;
    fixture.requests();

    let closed = tools(&fixture.client, fixture.process.writer.stores().clone(), Arc::new(|| false));
    let writer = Writer::new(&DECLARATION, closed);
    let mut changed = objects::config_map();
    changed["data"]["one"] = "another".into();
    let mut less = objects::secret();
    less["data"] = json!({"user": "YQ=="});
    let mut replaced = objects::stateful_set();
    replaced["spec"]["replicas"] = 3.into();
    let mut orphaned = objects::stateful_set();
    orphaned["spec"]["serviceName"] = "others".into();
    let mut new = objects::config_map();
    new["metadata"]["name"] = "new".into();
    let one = |wanted| Work { waves: vec![vec![wanted]], ..Work::default() };
    let live = writer.stores().get(CONFIG_MAP, &known[0].key()).context("it was not created")?;
    for work in [
        one(fixture.wanted(CONFIG_MAP, &changed, Way::Apply)),
        one(fixture.wanted(SECRET, &less, Way::Apply)),
        one(fixture.wanted(STATEFUL_SET, &replaced, Way::Replace)),
        one(fixture.wanted(STATEFUL_SET, &orphaned, Way::Replace)),
        one(fixture.wanted(CONFIG_MAP, &new, Way::Apply)),
        one(fixture.wanted(CONFIG_MAP, &new, Way::Replace)),
        Work { prune: true, ..Work::default() },
        Work { deletions: vec![Deletion { kind: CONFIG_MAP, object: live }], ..Work::default() },
    ] {
        let outcome = writer.carry_out(&work, &fixture.owner).await;
        assert!(matches!(outcome, Err(WriteError::Fenced)), "{work:?}: {outcome:?}");
    }
    let finalizers = json!({"finalizers": ["example.com/hold"]});
    assert!(matches!(writer.patch_metadata(&fixture.owner, &finalizers).await, Err(WriteError::Fenced)));
    assert!(matches!(
        writer.write_status(&fixture.owner, &json!({}), &json!({"phase": "x"})).await,
        Err(WriteError::Fenced)
    ));
    assert_eq!(fixture.requests(), Vec::<String>::new());
    let settings = fixture.read(CONFIG_MAP, "settings").await?;
    assert_eq!(content(&settings)?["data"], objects::config_map()["data"]);
    Ok(())
}
