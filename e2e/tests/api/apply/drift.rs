//! Changes of other clients to our fields are reverted. Fields that they add are kept, or removed where we replace the
//! object.

use anyhow::{Context, Result};
use kernel::apply::{Desired, Way};
use kernel::compare::missing;
use kernel::declare::Kind;
use kube::api::{DeleteParams, DynamicObject, PostParams};
use serde_json::{Value, json};

use super::fixture::{CONFIG_MAP, DISRUPTION_BUDGET, Fixture, SERVICE, STATEFUL_SET, api, content};
use super::objects;

/// JSON pointers to the leaves of an object.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below =
        |step: &str, value: &Value| leaves(value, &format!("{at}/{}", step.replace('/', "~1")), found);
    match value {
        Value::Object(map) if !map.is_empty() => map.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(list) if !list.is_empty() => {
            list.iter().enumerate().for_each(|(index, value)| below(&index.to_string(), value));
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => found.push(at.to_owned()),
    }
}

/// Another value of the same type.
fn other(value: &Value) -> Value {
    match value {
        Value::Bool(truth) => (!truth).into(),
        Value::Number(number) => (number.as_i64().unwrap_or_default() + 1).into(),
        Value::String(text) if text.ends_with("==") => "eHh4eA==".into(),
        Value::String(text) if text.ends_with("Mi") || text.ends_with('m') => "77".into(),
        Value::String(text) => format!("{text}x").into(),
        Value::Null | Value::Array(_) | Value::Object(_) => Value::Null,
    }
}

/// An edit of a field by another client.
#[derive(Debug, Clone, Copy)]
enum Edit {
    Change,
    Remove,
}

fn edited(object: &DynamicObject, pointer: &str, edit: Edit) -> Result<DynamicObject> {
    let mut value = serde_json::to_value(object)?;
    match edit {
        Edit::Change => {
            // The API server does not store empty values.
            if let Some(field) = value.pointer_mut(pointer) {
                *field = other(field);
            }
        }
        Edit::Remove => {
            let (parent, field) = pointer.rsplit_once('/').context("the pointer has no parent")?;
            match value.pointer_mut(parent) {
                Some(Value::Array(list)) => drop(list.remove(field.parse()?)),
                Some(Value::Object(map)) => drop(map.remove(&field.replace("~1", "/"))),
                _ => {}
            }
        }
    }
    Ok(serde_json::from_value(value)?)
}

/// The results of edits.
#[derive(Debug, Default)]
struct Tally {
    /// How many edits the API server accepted.
    edits: usize,
    /// Edits after which the object was not as before.
    odd: Vec<String>,
}

/// The fields that are edited. Pod templates are alike, so only that of one kind is edited.
fn pointers(kind: Kind, object: &Value) -> Vec<String> {
    let mut all = Vec::new();
    leaves(object, "", &mut all);
    let is_tried = |pointer: &String| {
        let ours = ["/metadata/labels", "/metadata/annotations", "/spec", "/data", "/binaryData"];
        ours.iter().any(|prefix| pointer.starts_with(prefix))
            && (kind == STATEFUL_SET || !pointer.starts_with("/spec/template/"))
    };
    all.into_iter().filter(is_tried).collect()
}

/// Edits every field with another client, one after the other, and writes our object after each edit.
async fn edit_all(fixture: &Fixture, kind: Kind, wanted: &Desired, tally: &mut Tally) -> Result<()> {
    let (name, only) = (wanted.key().name, std::slice::from_ref(wanted));
    let params = PostParams { field_manager: Some("somebody".into()), ..PostParams::default() };
    fixture.carry_out(only).await?;
    let mut before = fixture.read(kind, &name).await?;
    let edits = pointers(kind, &wanted.object);
    for (pointer, edit) in edits.iter().flat_map(|one| [(one, Edit::Change), (one, Edit::Remove)]) {
        let edited = edited(&before, pointer, edit)?;
        // An edit that the API server rejects is no drift.
        let Ok(changed) = api(&fixture.other, kind).replace(&name, &params, &edited).await else { continue };
        if changed.metadata.resource_version == before.metadata.resource_version {
            continue;
        }
        tally.edits += 1;
        fixture.wait_for(kind, &changed).await?;
        fixture.carry_out(only).await.with_context(|| format!("{} {pointer} {edit:?}", kind.kind))?;
        let now = fixture.read(kind, &name).await?;
        assert_eq!(missing(&wanted.object, &serde_json::to_value(&now)?), None, "{pointer} {edit:?}");
        if content(&now)? == content(&before)? {
            before = now;
            continue;
        }
        tally.odd.push(format!("{} {pointer} {edit:?}", kind.kind));
        api(&fixture.other, kind).delete(&name, &DeleteParams::background()).await?;
        fixture.wait_until_gone(kind, &now).await?;
        fixture.carry_out(only).await?;
        before = fixture.read(kind, &name).await?;
    }
    Ok(())
}

async fn edit_everything(way: Way) -> Result<Tally> {
    let (fixture, mut tally) = (Fixture::start().await?, Tally::default());
    for (kind, object) in objects::all() {
        edit_all(&fixture, kind, &fixture.wanted(kind, &object, way), &mut tally).await?;
    }
    Ok(tally)
}

#[tokio::test]
async fn every_field_is_reverted_where_we_apply() -> Result<()> {
    let Tally { edits, odd } = edit_everything(Way::Apply).await?;
    assert!(edits > 150, "{edits} edits");
    // A list element with another key belongs to the other client: it is kept, and ours is added again.
    let renamed = ["containers/0/ports/1/containerPort Change", "containers/0/ports/1/protocol Remove"];
    let renamed = renamed.map(|edit| format!("StatefulSet /spec/template/spec/{edit}"));
    let expected: Vec<String> = renamed.into_iter().chain([LABELLED.into()]).collect();
    assert_eq!(odd, expected);
    Ok(())
}

#[tokio::test]
async fn every_field_is_reverted_where_we_replace() -> Result<()> {
    let Tally { edits, odd } = edit_everything(Way::Replace).await?;
    assert!(edits > 150, "{edits} edits");
    assert_eq!(odd, [LABELLED]);
    Ok(())
}

/// A Job without labels gets those of its template from the API server, and they are kept.
const LABELLED: &str = "Job /metadata/labels/app Remove";

/// Adds metadata, a field, a container and a list element with another client.
async fn add(fixture: &Fixture, name: &str) -> Result<DynamicObject> {
    let mut live = fixture.read(STATEFUL_SET, name).await?;
    live.metadata.labels.get_or_insert_default().insert("foreign".into(), "label".into());
    live.metadata.annotations.get_or_insert_default().insert("foreign".into(), "note".into());
    live.metadata.finalizers = Some(vec!["example.com/foreign".into()]);
    let spec = &mut live.data["spec"];
    spec["minReadySeconds"] = 7.into();
    let pod = &mut spec["template"]["spec"];
    pod["priorityClassName"] = "important".into();
    let sidecar = json!({"name": "sidecar", "image": "sidecar:1"});
    pod["containers"].as_array_mut().context("containers")?.push(sidecar);
    let variable = json!({"name": "FOREIGN", "value": "1"});
    pod["containers"][0]["env"].as_array_mut().context("variables")?.push(variable);
    pod["containers"][0]["resources"]["limits"]["example.com/gpu"] = "1".into();
    let params = PostParams { field_manager: Some("somebody".into()), ..PostParams::default() };
    let changed = api(&fixture.other, STATEFUL_SET).replace(name, &params, &live).await?;
    fixture.wait_for(STATEFUL_SET, &changed).await?;
    Ok(changed)
}

#[tokio::test]
async fn fields_of_others_are_kept_where_we_apply() -> Result<()> {
    let fixture = Fixture::start().await?;
    let mut object = objects::stateful_set();
    fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
    let added = add(&fixture, "store").await?;
    fixture.requests();
    fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
    assert_eq!(fixture.requests(), Vec::<String>::new(), "fields of others cause no write");

    object["spec"]["replicas"] = 3.into();
    fixture.carry_out(&[fixture.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
    let mut expected = content(&added)?;
    expected["spec"]["replicas"] = 3.into();
    assert_eq!(content(&fixture.read(STATEFUL_SET, "store").await?)?, expected);
    Ok(())
}

#[tokio::test]
async fn fields_of_others_are_removed_where_we_replace_except_metadata() -> Result<()> {
    let fixture = Fixture::start().await?;
    let wanted = [fixture.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Replace)];
    fixture.carry_out(&wanted).await?;
    let mut expected = content(&fixture.read(STATEFUL_SET, "store").await?)?;
    add(&fixture, "store").await?;
    fixture.carry_out(&wanted).await?;
    expected["metadata"]["labels"]["foreign"] = "label".into();
    expected["metadata"]["annotations"]["foreign"] = "note".into();
    expected["metadata"]["finalizers"] = json!(["example.com/foreign"]);
    assert_eq!(content(&fixture.read(STATEFUL_SET, "store").await?)?, expected);
    fixture.requests();
    fixture.carry_out(&wanted).await?;
    assert_eq!(fixture.requests(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn an_atomic_value_contains_nothing_of_others() -> Result<()> {
    let fixture = Fixture::start().await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::service();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        let wanted = fixture.wanted(SERVICE, &object, way);
        fixture.carry_out(std::slice::from_ref(&wanted)).await?;
        let name = wanted.key().name;
        fixture.edit(SERVICE, &name, &json!({"spec": {"selector": {"foreign": "x"}}})).await?;
        fixture.carry_out(&[wanted]).await?;
        let now = fixture.read(SERVICE, &name).await?;
        assert_eq!(now.data["spec"]["selector"], object["spec"]["selector"], "{way:?}");
    }
    Ok(())
}

#[tokio::test]
async fn conflicting_fields_of_others_are_removed() -> Result<()> {
    let fixture = Fixture::start().await?;
    let with_label = json!({"labels": {"foreign": "label"}});
    for (kind, object, change) in [
        (SERVICE, objects::service(), json!({"spec": {"ports": [{"name": "http", "port": 81}]}})),
        (
            DISRUPTION_BUDGET,
            objects::disruption_budget(),
            json!({"spec": {"maxUnavailable": null, "minAvailable": 1}}),
        ),
    ] {
        let wanted = [fixture.wanted(kind, &object, Way::Apply)];
        fixture.carry_out(&wanted).await?;
        let name = wanted[0].key().name;
        let mut expected = content(&fixture.read(kind, &name).await?)?;
        let mut change = change;
        change["metadata"] = with_label.clone();
        fixture.edit(kind, &name, &change).await?;
        fixture.requests();
        fixture.carry_out(&wanted).await?;
        expected["metadata"]["labels"]["foreign"] = "label".into();
        assert_eq!(content(&fixture.read(kind, &name).await?)?, expected, "{}", kind.kind);
        let path = format!("{}/{name}", kind.plural);
        // The GET is for the event, which names the field manager that made the change.
        assert_eq!(fixture.requests(), ["GET", "PATCH", "PUT"].map(|verb| format!("{verb} {path}")));
        fixture.carry_out(&wanted).await?;
        assert_eq!(fixture.requests(), Vec::<String>::new());
    }
    // An object that is invalid by itself is rejected.
    let mut wrong = objects::service();
    wrong["spec"]["ports"][0]["port"] = 70_000.into();
    fixture.edit(SERVICE, "front", &json!({"spec": {"externalIPs": ["192.0.2.1"]}})).await?;
    let before = content(&fixture.read(SERVICE, "front").await?)?;
    let rejected = fixture.carry_out(&[fixture.wanted(SERVICE, &wrong, Way::Apply)]).await;
    let rejected = rejected.map(|applied| applied.written).map_err(|error| error.to_string());
    assert_eq!(rejected, Err("cannot patch Service default/front".into()));
    assert_eq!(content(&fixture.read(SERVICE, "front").await?)?, before);
    Ok(())
}

#[tokio::test]
async fn a_deleted_object_is_created_again() -> Result<()> {
    let fixture = Fixture::start().await?;
    let wanted = [fixture.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply)];
    fixture.carry_out(&wanted).await?;
    let first = fixture.read(CONFIG_MAP, "settings").await?;
    api(&fixture.other, CONFIG_MAP).delete("settings", &DeleteParams::default()).await?;
    fixture.wait_until_gone(CONFIG_MAP, &first).await?;
    fixture.carry_out(&wanted).await?;
    let second = fixture.read(CONFIG_MAP, "settings").await?;
    assert_ne!(first.metadata.uid, second.metadata.uid);
    assert_eq!(first.data, second.data);
    Ok(())
}
