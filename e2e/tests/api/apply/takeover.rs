//! Objects of a predecessor are taken over, and the fields that we do not want are removed.

use std::sync::Arc;

use anyhow::Result;
use kernel::apply::{Way, Work, WriteError, Writer};
use kernel::compare::{missing, surplus};
use kernel::object::Object;
use kernel::store::Event;
use kernel::stores::{Namespaces, Stores};
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::fixture::{
    CONFIG_MAP, DECLARATION, Fixture, MANAGER, PREDECESSOR, STATEFUL_SET, api, create, managers, tools,
};
use super::objects;

/// The fields of a field manager, as the API server recorded them.
fn fields(object: &DynamicObject, manager: &str) -> Value {
    let entries = object.metadata.managed_fields.iter().flatten();
    let mut ours = entries.filter(|entry| entry.manager.as_deref() == Some(manager));
    ours.next().and_then(|entry| entry.fields_v1.as_ref()).map_or(Value::Null, |fields| fields.0.clone())
}

#[tokio::test]
async fn a_field_that_we_no_longer_write_is_removed() -> Result<()> {
    let fixture = Fixture::start().await?;
    fixture.carry_out(&[fixture.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply)]).await?;
    fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Apply)]).await?;
    fixture.requests();

    let mut config = objects::config_map();
    config["data"] = json!({"one": "1"});
    config["metadata"]["annotations"] = json!({});
    fixture.carry_out(&[fixture.wanted(CONFIG_MAP, &config, Way::Apply)]).await?;
    let now = fixture.read(CONFIG_MAP, "settings").await?;
    assert_eq!((&now.data["data"], &now.metadata.annotations), (&json!({"one": "1"}), &None));

    // Named list elements, list elements without names, keys of atomic maps, and single fields.
    let mut store = objects::stateful_set();
    let pod = &mut store["spec"]["template"]["spec"];
    pod["containers"].as_array_mut().map(Vec::pop);
    pod["initContainers"].as_array_mut().map(|containers| containers.remove(0));
    pod["volumes"].as_array_mut().map(|volumes| volumes.remove(1));
    pod["containers"][0]["env"].as_array_mut().map(|env| env.remove(0));
    pod["containers"][0]["resources"]["limits"].as_object_mut().map(|limits| limits.remove("cpu"));
    pod["tolerations"][0].as_object_mut().map(|toleration| toleration.remove("tolerationSeconds"));
    pod["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"][0]["podAffinityTerm"]
        .as_object_mut()
        .map(|term| term.remove("labelSelector"));
    pod["containers"][0]["env"][3]["valueFrom"]["configMapKeyRef"]
        .as_object_mut()
        .map(|key| key.remove("optional"));
    pod.as_object_mut().map(|pod| pod.remove("nodeSelector"));
    fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &store, Way::Apply)]).await?;
    let wanted = fixture.wanted(STATEFUL_SET, &store, Way::Apply).object;
    let now = serde_json::to_value(fixture.read(STATEFUL_SET, "store").await?)?;
    assert_eq!(missing(&wanted, &now), None);
    assert_eq!(surplus(&wanted, &now), None);
    assert_eq!(fixture.requests(), ["PATCH configmaps/settings", "PATCH statefulsets/store"]);
    Ok(())
}

#[tokio::test]
async fn each_field_inside_an_atomic_value_is_removed() -> Result<()> {
    let fixture = Fixture::start().await?;
    let pointers = [
        "/spec/template/spec/tolerations/0/tolerationSeconds",
        "/spec/template/spec/nodeSelector/kubernetes.io~1os",
        "/spec/template/spec/containers/0/env/4/valueFrom/configMapKeyRef/optional",
        "/spec/template/spec/volumes/3/secret/items",
        "/spec/template/spec/volumes/4/projected/sources/1/configMap/optional",
        "/spec/template/spec/affinity/podAntiAffinity",
        "/spec/template/spec/containers/0/lifecycle",
        "/spec/template/metadata/annotations/checksum",
    ];
    let mut object = objects::stateful_set();
    object["spec"]["template"]["spec"]["nodeSelector"]["zone"] = "a".into();
    for pointer in pointers {
        fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
        let (parent, field) = pointer.rsplit_once('/').unwrap_or_default();
        let parent = object.pointer_mut(parent).and_then(Value::as_object_mut);
        parent.map(|parent| parent.remove(&field.replace("~1", "/")));
        fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
        let now = serde_json::to_value(fixture.read(STATEFUL_SET, "store").await?)?;
        assert_eq!(now.pointer(pointer), None, "{pointer}");
    }
    Ok(())
}

#[tokio::test]
async fn unwanted_fields_of_a_predecessor_are_removed() -> Result<()> {
    let fixture = Fixture::start().await?;
    // It wrote for the same owner: only the removed fields differ.
    let before = fixture.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Apply).object;
    create(&fixture.other, STATEFUL_SET, &before, PREDECESSOR).await?;
    let kubectl = PatchParams { field_manager: Some("kubectl-label".into()), ..PatchParams::default() };
    let label = Patch::Merge(json!({"metadata": {"labels": {"foreign": "label"}}}));
    api(&fixture.other, STATEFUL_SET).patch("store", &kubectl, &label).await?;
    let scaler = PatchParams { field_manager: Some("controllers".into()), ..PatchParams::default() };
    let status = Patch::Merge(json!({"status": {"replicas": 2}}));
    let left = api(&fixture.other, STATEFUL_SET).patch_status("store", &scaler, &status).await?;
    fixture.wait_for(STATEFUL_SET, &left).await?;

    let unchanged = fixture.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Apply);
    fixture.carry_out(&[unchanged]).await?;
    assert_eq!(fixture.requests(), Vec::<String>::new(), "nothing is written while the object is as wanted");

    let mut less = objects::stateful_set();
    less["spec"]["template"]["spec"]["containers"].as_array_mut().map(Vec::pop);
    less["metadata"]["annotations"] = json!({});
    let less = fixture.wanted(STATEFUL_SET, &less, Way::Apply);
    fixture.carry_out(std::slice::from_ref(&less)).await?;
    let now = fixture.read(STATEFUL_SET, "store").await?;
    let value = serde_json::to_value(&now)?;
    assert_eq!(surplus(&less.object, &value), None);
    assert_eq!(missing(&less.object, &value), None);
    assert_eq!(now.metadata.annotations, None);
    assert_eq!(now.metadata.labels, Some(e2e::pods::labels(&[("app", "toy"), ("foreign", "label")])));
    assert_eq!(managers(&now), ["controllers Update status", "kubectl-label Update", "mainstay Apply"]);
    assert_eq!(fields(&now, "kubectl-label"), fields(&left, "kubectl-label"));
    assert_eq!(fields(&now, "controllers"), fields(&left, "controllers"));
    let expected = ["GET statefulsets/store", "PATCH statefulsets/store", "PATCH statefulsets/store"];
    assert_eq!(fixture.requests(), expected);

    fixture.carry_out(&[less]).await?;
    assert_eq!(fixture.requests(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn an_object_without_an_owner_is_adopted() -> Result<()> {
    let fixture = Fixture::start().await?;
    let before = objects::stateful_set();
    let made = create(&fixture.other, STATEFUL_SET, &before, PREDECESSOR).await?;
    fixture.wait_for(STATEFUL_SET, &made).await?;
    let mut less = before;
    less["spec"]["template"]["spec"]["containers"].as_array_mut().map(Vec::pop);
    fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &less, Way::Apply)]).await?;
    let now = fixture.read(STATEFUL_SET, "store").await?;
    assert_eq!(now.metadata.uid, made.metadata.uid);
    assert_eq!(managers(&now), ["mainstay Apply"]);
    assert_eq!(now.data["spec"]["template"]["spec"]["containers"].as_array().map(Vec::len), Some(1));
    Ok(())
}

#[tokio::test]
async fn an_object_that_we_replaced_can_be_applied() -> Result<()> {
    let fixture = Fixture::start().await?;
    let wanted = fixture.wanted(CONFIG_MAP, &objects::config_map(), Way::Replace);
    fixture.carry_out(&[wanted]).await?;
    let mut less = objects::config_map();
    less["data"] = json!({"one": "1"});
    fixture.carry_out(&[fixture.wanted(CONFIG_MAP, &less, Way::Apply)]).await?;
    let now = fixture.read(CONFIG_MAP, "settings").await?;
    assert_eq!(now.data["data"], json!({"one": "1"}));
    assert_eq!(managers(&now), [format!("{MANAGER} Apply")]);
    Ok(())
}

#[tokio::test]
async fn a_takeover_of_an_object_that_changed_meanwhile_is_rejected() -> Result<()> {
    let fixture = Fixture::start().await?;
    let before = fixture.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply).object;
    let old = create(&fixture.other, CONFIG_MAP, &before, PREDECESSOR).await?;
    fixture.wait_for(CONFIG_MAP, &old).await?;
    let stores = Stores::new(&[&DECLARATION], MANAGER, &Namespaces::AllBut(Vec::new()).into());
    let known = Object::new(old.clone(), &CONFIG_MAP.resource());
    if let Some(partition) = stores.partition(CONFIG_MAP, "default") {
        partition.write().see(Event::Applied(known));
    }
    let mut changed = old;
    changed.data["data"]["foreign"] = "x".into();
    let params = PostParams { field_manager: Some("somebody".into()), ..PostParams::default() };
    let changed = api(&fixture.other, CONFIG_MAP).replace("settings", &params, &changed).await?;

    let tools = tools(&fixture.client, stores, Arc::new(|| true));
    let late = Writer::new(&DECLARATION, tools);
    let mut less = objects::config_map();
    less["data"] = json!({"one": "1"});
    let work = Work { waves: vec![vec![fixture.wanted(CONFIG_MAP, &less, Way::Apply)]], ..Work::default() };
    let rejected = late.carry_out(&work, &fixture.owner).await;
    assert!(matches!(rejected, Err(WriteError::Outdated { .. })), "{rejected:?}");
    assert_eq!(fixture.read(CONFIG_MAP, "settings").await?, changed);
    Ok(())
}
