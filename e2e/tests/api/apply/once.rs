//! Every write is about one object in one state: a late one, or one about another object of the same name, is refused.

use std::sync::Arc;

use anyhow::{Context, Result};
use kernel::apply::{Deletion, Desired, Touch, Way, Work, WriteError, Writer};
use kernel::object::{Key, Object};
use kernel::store::Event;
use kernel::stores::{Namespaces, Stores};
use kube::api::DeleteParams;
use serde_json::json;

use super::objects;
use super::stage::{
    CONFIG_MAP, DECLARATION, JOB, LEASE, MANAGER, POD, PREDECESSOR, SECRET, SERVICE_ACCOUNT, STATEFUL_SET,
    Stage, api, content, create, owned_by, tools,
};
use crate::record::Request;

/// A writer that knows nothing of what is there.
fn ignorant(stage: &Stage) -> Writer {
    let stores = Stores::new(&[&DECLARATION], MANAGER, &Namespaces::AllBut(Vec::new()).into());
    Writer::new(&DECLARATION, tools(&stage.client, stores, Arc::new(|| true)))
}

/// The error in words, with its cause.
fn words<T>(outcome: Result<T, WriteError>) -> String {
    outcome.map_or_else(|error| format!("{:#}", anyhow::Error::from(error)), |_| "no error".into())
}

#[tokio::test]
async fn what_is_there_though_we_do_not_know_it_is_not_written() -> Result<()> {
    let stage = Stage::set().await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::config_map();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        let wanted = stage.wanted(CONFIG_MAP, &object, way);
        stage.carry_out(std::slice::from_ref(&wanted)).await?;
        let name = &*wanted.key().name;
        let before = stage.look(CONFIG_MAP, name).await?;

        object["data"]["one"] = "another".into();
        let work = Work { waves: vec![vec![stage.wanted(CONFIG_MAP, &object, way)]], ..Work::default() };
        let refused = ignorant(&stage).carry_out(&work, &stage.owner).await;
        assert_eq!(
            words(refused),
            format!("ConfigMap default/{name} was changed by another writer meanwhile"),
            "{way:?}"
        );
        assert_eq!(stage.look(CONFIG_MAP, name).await?, before);
    }
    Ok(())
}

#[tokio::test]
async fn what_somebody_changed_meanwhile_is_not_written() -> Result<()> {
    let stage = Stage::set().await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::config_map();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        let wanted = stage.wanted(CONFIG_MAP, &object, way);
        let writer = ignorant(&stage);
        let work = |wanted| Work { waves: vec![vec![wanted]], ..Work::default() };
        writer.carry_out(&work(wanted.clone()), &stage.owner).await?;
        // This writer has no watch of it.
        stage.meddle(CONFIG_MAP, &wanted.key().name, &json!({"data": {"foreign": "x"}})).await?;
        object["data"]["one"] = "another".into();
        let refused = writer.carry_out(&work(stage.wanted(CONFIG_MAP, &object, way)), &stage.owner).await;
        assert!(matches!(refused, Err(WriteError::Outdated { .. })), "{way:?}: {refused:?}");
    }
    Ok(())
}

#[tokio::test]
async fn another_object_of_the_same_name_is_neither_deleted_nor_touched() -> Result<()> {
    let stage = Stage::set().await?;
    let pod = json!({
        "metadata": {"name": "pod"},
        "spec": {"containers": [{"name": "main", "image": "toy:1"}]},
    });
    create(&stage.other, SERVICE_ACCOUNT, &json!({"metadata": {"name": "default"}}), "somebody").await?;
    let old = create(&stage.other, POD, &pod, "somebody").await?;
    stage.heard(POD, &old).await?;
    let now = DeleteParams::default().grace_period(0);
    api(&stage.other, POD).delete("pod", &now).await?;
    let new = create(&stage.other, POD, &pod, "somebody").await?;

    let known = Arc::new(Object::new(old.clone(), &POD.resource()));
    let deletion = Work { deletions: vec![Deletion { kind: POD, object: known }], ..Work::default() };
    let writer = ignorant(&stage);
    let refused = writer.carry_out(&deletion, &stage.owner).await;
    assert!(matches!(refused, Err(WriteError::Outdated { .. })), "{refused:?}");

    // A writer that still knows the old one.
    let key = Key::new("default", "pod");
    let store = writer.stores().partition(POD, "default").context("pods are declared")?;
    let old_object = Object::new(old.clone(), &POD.resource());
    store.write().see(Event::Applied(old_object));
    let touch = Touch {
        kind: POD,
        key,
        uid: old.metadata.uid.clone().context("a uid")?.into(),
        fields: json!({"metadata": {"annotations": {"touched": "1"}}}),
    };
    let work = Work { touches: vec![touch.clone()], ..Work::default() };
    let refused = writer.carry_out(&work, &stage.owner).await;
    assert!(matches!(refused, Err(WriteError::Outdated { .. })), "{refused:?}");
    assert_eq!(stage.look(POD, "pod").await?, new);

    api(&stage.other, POD).delete("pod", &now).await?;
    let refused = writer.carry_out(&work, &stage.owner).await;
    assert!(matches!(refused, Err(WriteError::Outdated { .. })), "none is made either: {refused:?}");

    let uid = new.metadata.uid.clone().context("a uid")?.into();
    let right = Work { touches: vec![Touch { uid, ..touch }], ..Work::default() };
    stage.record.take();
    stage.process.writer.carry_out(&right, &stage.owner).await?;
    assert_eq!(stage.asked(), Vec::<String>::new(), "what is gone is not touched");
    Ok(())
}

#[tokio::test]
async fn every_write_of_a_long_story_names_the_state_that_it_is_about() -> Result<()> {
    let stage = Stage::set().await?;
    let both = |stage: &Stage| {
        let one = |way| stage.wanted(CONFIG_MAP, &objects::config_map(), way);
        let mut other = objects::secret();
        other["metadata"]["name"] = "replaced".into();
        vec![one(Way::Apply), stage.wanted(SECRET, &other, Way::Replace)]
    };
    stage.carry_out(&both(&stage)).await?;
    let mut inherited = objects::secret();
    inherited["metadata"]["name"] = "inherited".into();
    let inherited_object = stage.wanted(SECRET, &inherited, Way::Apply).object;
    let made = create(&stage.other, SECRET, &inherited_object, PREDECESSOR).await?;
    stage.heard(SECRET, &made).await?;
    inherited["data"] = json!({"user": "Yw=="});
    stage.carry_out(&[stage.wanted(SECRET, &inherited, Way::Apply)]).await?;
    stage.meddle(CONFIG_MAP, "settings", &json!({"data": {"one": "x"}})).await?;
    stage.meddle(SECRET, "replaced", &json!({"data": {"user": "eA=="}})).await?;
    stage.carry_out(&both(&stage)).await?;
    stage.process.writer.patch_metadata(&stage.owner, &json!({"finalizers": ["example.com/hold"]})).await?;
    let mut another_type = inherited.clone();
    another_type["type"] = "example.com/other".into();
    stage.carry_out(&[stage.wanted(SECRET, &another_type, Way::Apply)]).await?;
    stage.missed(SECRET, &made).await?;
    let work = Work { waves: vec![both(&stage)], prune: true, ..Work::default() };
    stage.process.writer.carry_out(&work, &stage.owner).await?;
    let nothing = Work { prune: true, ..Work::default() };
    stage.process.writer.carry_out(&nothing, &stage.owner).await?;

    let requests = stage.record.take();
    let writes: Vec<_> = requests.iter().filter(|request| request.is_write()).collect();
    let asked: Vec<String> = writes.iter().map(|request| request.words()).collect();
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
    assert_eq!(asked, expected);
    for request in writes {
        assert!(request.is_guarded(), "{request:?}");
    }
    Ok(())
}

#[tokio::test]
async fn only_what_is_ours_is_pruned() -> Result<()> {
    let stage = Stage::set().await?;
    let other_owner =
        create(&stage.other, LEASE, &json!({"metadata": {"name": "other"}}), "somebody").await?;
    let other_owner = Object::new(other_owner, &LEASE.resource());
    let named = |kind, name: &str, owner: Option<&Object>| {
        let object = json!({"metadata": {"name": name}});
        let owned = owner.map(|owner| owned_by(owner, kind, &object, Way::Apply).object);
        (kind, owned.unwrap_or(object))
    };
    let account = SERVICE_ACCOUNT;
    for (kind, object) in [
        named(CONFIG_MAP, "ours", Some(&stage.owner)),
        named(CONFIG_MAP, "wanted", Some(&stage.owner)),
        named(SECRET, "ours", Some(&stage.owner)),
        named(CONFIG_MAP, "theirs", Some(&other_owner)),
        named(CONFIG_MAP, "nobodys", None),
        named(account, "of-a-kind-that-is-not-declared", Some(&stage.owner)),
    ] {
        let made = create(&stage.other, kind, &object, "somebody").await?;
        if kind != account && made.metadata.owner_references.is_some() {
            stage.heard(kind, &made).await?;
        }
    }
    let wanted = stage.wanted(CONFIG_MAP, &json!({"metadata": {"name": "wanted"}}), Way::Apply);
    let work = Work { waves: vec![vec![wanted]], prune: true, ..Work::default() };
    let applied = stage.process.writer.carry_out(&work, &stage.owner).await?;
    assert_eq!(applied.written, ["deleted ConfigMap default/ours", "deleted Secret default/ours"]);
    let requests = stage.record.take();
    let uids: Vec<bool> = requests.iter().map(Request::is_guarded).collect();
    assert_eq!(uids, [true, true]);
    for (kind, expected) in
        [(CONFIG_MAP, vec!["nobodys", "theirs", "wanted"]), (account, vec!["of-a-kind-that-is-not-declared"])]
    {
        let mut names = stage.names(kind).await?;
        names.retain(|name| name != "kube-root-ca.crt" && name != "default");
        assert_eq!(names, expected);
    }
    Ok(())
}

#[tokio::test]
async fn what_belongs_to_another_is_refused_with_words() -> Result<()> {
    let stage = Stage::set().await?;
    let other_owner =
        create(&stage.other, LEASE, &json!({"metadata": {"name": "other"}}), "somebody").await?;
    let other_owner = Object::new(other_owner, &LEASE.resource());
    let theirs = owned_by(&other_owner, CONFIG_MAP, &objects::config_map(), Way::Apply).object;
    let before = create(&stage.other, CONFIG_MAP, &theirs, "somebody").await?;
    stage.heard(CONFIG_MAP, &before).await?;
    for way in [Way::Apply, Way::Replace] {
        let refused = stage.carry_out(&[stage.wanted(CONFIG_MAP, &objects::config_map(), way)]).await;
        let expected = "ConfigMap default/settings belongs to Lease other; rename or delete one of them";
        assert_eq!(words(refused), expected);
    }
    let undeclared = stage.wanted(LEASE, &json!({"metadata": {"name": "x"}}), Way::Apply);
    let undeclared = Desired { kind: SERVICE_ACCOUNT, ..undeclared };
    let expected = "ServiceAccount default/x: operator toy does not declare such objects";
    assert_eq!(words(stage.carry_out(&[undeclared]).await), expected);
    assert_eq!(stage.asked(), Vec::<String>::new());
    assert_eq!(stage.look(CONFIG_MAP, "settings").await?, before);
    Ok(())
}

#[tokio::test]
async fn what_an_earlier_owner_of_the_same_name_left_is_waited_for() -> Result<()> {
    let mut stage = Stage::set().await?;
    let wanted = stage.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply);
    stage.carry_out(&[wanted]).await?;
    let left = stage.look(CONFIG_MAP, "settings").await?;
    api(&stage.other, LEASE).delete("owner", &DeleteParams::default()).await?;
    let again = create(&stage.other, LEASE, &json!({"metadata": {"name": "owner"}}), "somebody").await?;
    stage.owner = Arc::new(Object::new(again, &LEASE.resource()));
    stage.asked();
    let wanted = [stage.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply)];
    let waiting = stage.carry_out(&wanted).await?.waiting;
    assert_eq!(waiting, ["ConfigMap default/settings is being deleted"]);
    assert_eq!(stage.asked(), Vec::<String>::new());
    // No collector of garbage runs here.
    api(&stage.other, CONFIG_MAP).delete("settings", &DeleteParams::default()).await?;
    stage.missed(CONFIG_MAP, &left).await?;
    assert_eq!(stage.carry_out(&wanted).await?.written, ["created ConfigMap default/settings"]);
    Ok(())
}

#[tokio::test]
async fn who_does_not_lead_asks_nothing() -> Result<()> {
    let stage = Stage::set().await?;
    let known = [
        stage.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply),
        stage.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Replace),
        stage.wanted(JOB, &objects::job(), Way::Apply),
    ];
    stage.carry_out(&known).await?;
    let inherited = stage.wanted(SECRET, &objects::secret(), Way::Apply);
    let made = create(&stage.other, SECRET, &inherited.object, PREDECESSOR).await?;
    stage.heard(SECRET, &made).await?;
    stage.asked();

    let closed = tools(&stage.client, stage.process.writer.stores().clone(), Arc::new(|| false));
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
    let live = writer.stores().get(CONFIG_MAP, &known[0].key()).context("it was made")?;
    for work in [
        one(stage.wanted(CONFIG_MAP, &changed, Way::Apply)),
        one(stage.wanted(SECRET, &less, Way::Apply)),
        one(stage.wanted(STATEFUL_SET, &replaced, Way::Replace)),
        one(stage.wanted(STATEFUL_SET, &orphaned, Way::Replace)),
        one(stage.wanted(CONFIG_MAP, &new, Way::Apply)),
        one(stage.wanted(CONFIG_MAP, &new, Way::Replace)),
        Work { prune: true, ..Work::default() },
        Work { deletions: vec![Deletion { kind: CONFIG_MAP, object: live }], ..Work::default() },
    ] {
        let outcome = writer.carry_out(&work, &stage.owner).await;
        assert!(matches!(outcome, Err(WriteError::Fenced)), "{work:?}: {outcome:?}");
    }
    let finalizers = json!({"finalizers": ["example.com/hold"]});
    assert!(matches!(writer.patch_metadata(&stage.owner, &finalizers).await, Err(WriteError::Fenced)));
    assert!(matches!(
        writer.write_status(&stage.owner, &json!({}), &json!({"phase": "x"})).await,
        Err(WriteError::Fenced)
    ));
    assert_eq!(stage.asked(), Vec::<String>::new());
    let settings = stage.look(CONFIG_MAP, "settings").await?;
    assert_eq!(content(&settings)?["data"], objects::config_map()["data"]);
    Ok(())
}
