//! What somebody else changes of ours comes back; what they add stays, or goes where the whole object is ours.

use anyhow::{Context, Result};
use kernel::apply::{Desired, Way};
use kernel::compare::missing;
use kernel::declare::Kind;
use kube::api::{DeleteParams, DynamicObject, PostParams};
use serde_json::{Value, json};

use super::objects;
use super::stage::{CONFIG_MAP, DISRUPTION_BUDGET, SERVICE, STATEFUL_SET, Stage, api, content};

/// Pointers to all that is said in an object, but not who it is.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below =
        |step: &str, value: &Value| leaves(value, &format!("{at}/{}", step.replace('/', "~1")), found);
    match value {
        Value::Object(map) if !map.is_empty() => map.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(list) if !list.is_empty() => {
            list.iter().enumerate().for_each(|(place, value)| below(&place.to_string(), value));
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => found.push(at.to_owned()),
    }
}

/// Another value in the same place.
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

/// What somebody may do to a field.
#[derive(Debug, Clone, Copy)]
enum Edit {
    Change,
    Remove,
}

fn edited(object: &DynamicObject, pointer: &str, edit: Edit) -> Result<DynamicObject> {
    let mut value = serde_json::to_value(object)?;
    match edit {
        Edit::Change => {
            // The server does not keep what says nothing.
            if let Some(place) = value.pointer_mut(pointer) {
                *place = other(place);
            }
        }
        Edit::Remove => {
            let (parent, field) = pointer.rsplit_once('/').context("a pointer has a parent")?;
            match value.pointer_mut(parent) {
                Some(Value::Array(list)) => drop(list.remove(field.parse()?)),
                Some(Value::Object(map)) => drop(map.remove(&field.replace("~1", "/"))),
                _ => {}
            }
        }
    }
    Ok(serde_json::from_value(value)?)
}

/// What became of edits.
#[derive(Debug, Default)]
struct Tally {
    /// How many the server took.
    edits: usize,
    /// After which the object was not what it had been.
    odd: Vec<String>,
}

/// The fields that we say. Templates of pods are alike: one kind's will do.
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

/// Somebody edits every field that we say, one after the other, and each time we carry out our work.
async fn edit_all(stage: &Stage, kind: Kind, wanted: &Desired, tally: &mut Tally) -> Result<()> {
    let (name, only) = (wanted.key().name, std::slice::from_ref(wanted));
    let params = PostParams { field_manager: Some("somebody".into()), ..PostParams::default() };
    stage.carry_out(only).await?;
    let mut before = stage.look(kind, &name).await?;
    let edits = pointers(kind, &wanted.object);
    for (pointer, edit) in edits.iter().flat_map(|one| [(one, Edit::Change), (one, Edit::Remove)]) {
        let edited = edited(&before, pointer, edit)?;
        // What the server refuses to everybody is no drift.
        let Ok(changed) = api(&stage.other, kind).replace(&name, &params, &edited).await else { continue };
        if changed.metadata.resource_version == before.metadata.resource_version {
            continue;
        }
        tally.edits += 1;
        stage.heard(kind, &changed).await?;
        stage.carry_out(only).await.with_context(|| format!("{} {pointer} {edit:?}", kind.kind))?;
        let now = stage.look(kind, &name).await?;
        assert_eq!(missing(&wanted.object, &serde_json::to_value(&now)?), None, "{pointer} {edit:?}");
        if content(&now)? == content(&before)? {
            before = now;
            continue;
        }
        tally.odd.push(format!("{} {pointer} {edit:?}", kind.kind));
        api(&stage.other, kind).delete(&name, &DeleteParams::background()).await?;
        stage.missed(kind, &now).await?;
        stage.carry_out(only).await?;
        before = stage.look(kind, &name).await?;
    }
    Ok(())
}

async fn edit_everything(way: Way) -> Result<Tally> {
    let (stage, mut tally) = (Stage::set().await?, Tally::default());
    for (kind, object) in objects::all() {
        edit_all(&stage, kind, &stage.wanted(kind, &object, way), &mut tally).await?;
    }
    Ok(tally)
}

#[tokio::test]
async fn every_field_comes_back_where_we_apply() -> Result<()> {
    let Tally { edits, odd } = edit_everything(Way::Apply).await?;
    assert!(edits > 150, "{edits} edits");
    // What is nothing but its name is somebody else's under another: it stays, and ours is there again.
    let renamed = ["containers/0/ports/1/containerPort Change", "containers/0/ports/1/protocol Remove"];
    let renamed = renamed.map(|edit| format!("StatefulSet /spec/template/spec/{edit}"));
    let expected: Vec<String> = renamed.into_iter().chain([LABELLED.into()]).collect();
    assert_eq!(odd, expected);
    Ok(())
}

#[tokio::test]
async fn every_field_comes_back_where_we_replace() -> Result<()> {
    let Tally { edits, odd } = edit_everything(Way::Replace).await?;
    assert!(edits > 150, "{edits} edits");
    assert_eq!(odd, [LABELLED]);
    Ok(())
}

/// A Job without labels gets those of its template from the server, and they stay.
const LABELLED: &str = "Job /metadata/labels/app Remove";

/// What somebody adds: metadata, a field, a container, an element.
async fn add(stage: &Stage, name: &str) -> Result<DynamicObject> {
    let mut live = stage.look(STATEFUL_SET, name).await?;
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
    let changed = api(&stage.other, STATEFUL_SET).replace(name, &params, &live).await?;
    stage.heard(STATEFUL_SET, &changed).await?;
    Ok(changed)
}

#[tokio::test]
async fn what_others_add_stays_where_we_apply() -> Result<()> {
    let stage = Stage::set().await?;
    let mut object = objects::stateful_set();
    stage.carry_out(&[stage.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
    let added = add(&stage, "store").await?;
    stage.asked();
    stage.carry_out(&[stage.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
    assert_eq!(stage.asked(), Vec::<String>::new(), "it is of no concern to us");

    object["spec"]["replicas"] = 3.into();
    stage.carry_out(&[stage.wanted(STATEFUL_SET, &object, Way::Apply)]).await?;
    let mut expected = content(&added)?;
    expected["spec"]["replicas"] = 3.into();
    assert_eq!(content(&stage.look(STATEFUL_SET, "store").await?)?, expected);
    Ok(())
}

#[tokio::test]
async fn what_others_add_goes_where_we_replace_but_not_from_metadata() -> Result<()> {
    let stage = Stage::set().await?;
    let wanted = [stage.wanted(STATEFUL_SET, &objects::stateful_set(), Way::Replace)];
    stage.carry_out(&wanted).await?;
    let mut expected = content(&stage.look(STATEFUL_SET, "store").await?)?;
    add(&stage, "store").await?;
    stage.carry_out(&wanted).await?;
    expected["metadata"]["labels"]["foreign"] = "label".into();
    expected["metadata"]["annotations"]["foreign"] = "note".into();
    expected["metadata"]["finalizers"] = json!(["example.com/foreign"]);
    assert_eq!(content(&stage.look(STATEFUL_SET, "store").await?)?, expected);
    stage.asked();
    stage.carry_out(&wanted).await?;
    assert_eq!(stage.asked(), Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn one_value_has_nothing_of_others_in_it() -> Result<()> {
    let stage = Stage::set().await?;
    for way in [Way::Apply, Way::Replace] {
        let mut object = objects::service();
        object["metadata"]["name"] = format!("{way:?}").to_lowercase().into();
        let wanted = stage.wanted(SERVICE, &object, way);
        stage.carry_out(std::slice::from_ref(&wanted)).await?;
        let name = wanted.key().name;
        stage.meddle(SERVICE, &name, &json!({"spec": {"selector": {"foreign": "x"}}})).await?;
        stage.carry_out(&[wanted]).await?;
        let now = stage.look(SERVICE, &name).await?;
        assert_eq!(now.data["spec"]["selector"], object["spec"]["selector"], "{way:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_beside_ours_goes() -> Result<()> {
    let stage = Stage::set().await?;
    let with_label = json!({"labels": {"foreign": "label"}});
    for (kind, object, change) in [
        (SERVICE, objects::service(), json!({"spec": {"ports": [{"name": "http", "port": 81}]}})),
        (
            DISRUPTION_BUDGET,
            objects::disruption_budget(),
            json!({"spec": {"maxUnavailable": null, "minAvailable": 1}}),
        ),
    ] {
        let wanted = [stage.wanted(kind, &object, Way::Apply)];
        stage.carry_out(&wanted).await?;
        let name = wanted[0].key().name;
        let mut expected = content(&stage.look(kind, &name).await?)?;
        let mut change = change;
        change["metadata"] = with_label.clone();
        stage.meddle(kind, &name, &change).await?;
        stage.asked();
        stage.carry_out(&wanted).await?;
        expected["metadata"]["labels"]["foreign"] = "label".into();
        assert_eq!(content(&stage.look(kind, &name).await?)?, expected, "{}", kind.kind);
        let path = format!("{}/{name}", kind.plural);
        assert_eq!(stage.asked(), [format!("PATCH {path}"), format!("PUT {path}")]);
        stage.carry_out(&wanted).await?;
        assert_eq!(stage.asked(), Vec::<String>::new());
    }
    // What is invalid by itself is rejected.
    let mut wrong = objects::service();
    wrong["spec"]["ports"][0]["port"] = 70_000.into();
    stage.meddle(SERVICE, "front", &json!({"spec": {"externalIPs": ["192.0.2.1"]}})).await?;
    let before = content(&stage.look(SERVICE, "front").await?)?;
    let refused = stage.carry_out(&[stage.wanted(SERVICE, &wrong, Way::Apply)]).await;
    let refused = refused.map(|applied| applied.written).map_err(|error| error.to_string());
    assert_eq!(refused, Err("cannot patch Service default/front".into()));
    assert_eq!(content(&stage.look(SERVICE, "front").await?)?, before);
    Ok(())
}

#[tokio::test]
async fn what_somebody_deletes_is_made_again() -> Result<()> {
    let stage = Stage::set().await?;
    let wanted = [stage.wanted(CONFIG_MAP, &objects::config_map(), Way::Apply)];
    stage.carry_out(&wanted).await?;
    let first = stage.look(CONFIG_MAP, "settings").await?;
    api(&stage.other, CONFIG_MAP).delete("settings", &DeleteParams::default()).await?;
    stage.missed(CONFIG_MAP, &first).await?;
    stage.carry_out(&wanted).await?;
    let second = stage.look(CONFIG_MAP, "settings").await?;
    assert_ne!(first.metadata.uid, second.metadata.uid);
    assert_eq!(first.data, second.data);
    Ok(())
}
