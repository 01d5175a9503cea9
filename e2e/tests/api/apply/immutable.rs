//! Each row of the table of immutable fields: the API server rejects a plain write, and the writer does something else.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use kernel::apply::{Desired, Way, rows};
use kernel::compare::missing;
use kernel::declare::Kind;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use serde_json::{Value, json};

use super::fixture::{
    CLAIM, CONFIG_MAP, DAEMON_SET, DEPLOYMENT, Fixture, JOB, SECRET, SERVICE, STATEFUL_SET, api,
};
use super::objects;
use crate::record::Request;

/// What the writer does instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instead {
    Orphan,
    /// As `Orphan`, where the operator takes care of the pods.
    Adopt,
    Recreate,
    Refuse(&'static str),
}

/// A change that the API server rejects.
struct Row {
    kind: Kind,
    object: Value,
    /// The field, as in the table.
    field: &'static str,
    /// The JSON pointer of the change.
    pointer: &'static str,
    value: Value,
    instead: Instead,
}

const SELECTOR: Instead = Instead::Refuse(
    "its pods would have no owner; delete it with `kubectl delete --cascade=orphan` and delete the old pods manually",
);
const WORK: Instead = Instead::Refuse("Kubernetes does not permit it; create another Job");
const VOLUME: Instead =
    Instead::Refuse("a volume cannot be changed in this way; restore the data into a new one");
const SMALLER: Instead = Instead::Refuse("a volume cannot shrink; restore the data into a smaller one");

fn row(kind: Kind, object: Value, pointer: &'static str, value: Value, instead: Instead) -> Row {
    Row { kind, object, field: pointer, pointer, value, instead }
}

fn frozen(mut object: Value) -> Value {
    object["immutable"] = true.into();
    object
}

fn workloads() -> Vec<Row> {
    let more = json!({"matchLabels": {"app": "toy", "more": "1"}});
    let store = objects::stateful_set;
    let claims = |field: &str, value: Value| {
        let mut claims = store()["spec"]["volumeClaimTemplates"].clone();
        claims[0]["spec"][field] = value;
        claims
    };
    let size = json!({"requests": {"storage": "4Gi"}});
    let mut two = store()["spec"]["volumeClaimTemplates"].clone();
    if let Some(list) = two.as_array_mut() {
        let mut other = list[0].clone();
        other["metadata"]["name"] = "more".into();
        list.push(other);
    }
    // The API server requires that the labels of the pods match the selector.
    let labeled = with(store(), "/spec/template/metadata/labels", &more["matchLabels"]);
    let (templates, selector) = ("/spec/volumeClaimTemplates", "/spec/selector");
    vec![
        row(STATEFUL_SET, store(), "/spec/podManagementPolicy", json!("OrderedReady"), Instead::Orphan),
        row(STATEFUL_SET, store(), "/spec/serviceName", json!("others"), Instead::Orphan),
        row(STATEFUL_SET, store(), templates, claims("resources", size), Instead::Orphan),
        row(STATEFUL_SET, store(), templates, claims("storageClassName", json!("slow")), Instead::Orphan),
        row(STATEFUL_SET, store(), templates, two, Instead::Orphan),
        row(STATEFUL_SET, store(), selector, more.clone(), SELECTOR),
        row(STATEFUL_SET, labeled, selector, more.clone(), Instead::Adopt),
        row(DEPLOYMENT, objects::deployment(), selector, more.clone(), SELECTOR),
        row(DAEMON_SET, objects::daemon_set(), selector, more, SELECTOR),
    ]
}

fn jobs() -> Vec<Row> {
    let indexed = || {
        let mut job = objects::job();
        job["spec"]["completionMode"] = "Indexed".into();
        job["spec"]["completions"] = 2.into();
        job["spec"]["backoffLimitPerIndex"] = 1.into();
        job
    };
    let mut template = objects::job()["spec"]["template"].clone();
    template["spec"]["containers"][0]["image"] = "other:1".into();
    let failure = json!({"rules": [{
        "action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [1]},
    }]});
    let success = json!({"rules": [{"succeededCount": 1}]});
    vec![
        row(JOB, objects::job(), "/spec/template", template, WORK),
        row(JOB, indexed(), "/spec/backoffLimitPerIndex", json!(2), WORK),
        row(JOB, indexed(), "/spec/successPolicy", success, WORK),
        row(JOB, objects::job(), "/spec/completionMode", json!("Indexed"), WORK),
        row(JOB, objects::job(), "/spec/completions", json!(3), WORK),
        row(JOB, objects::job(), "/spec/managedBy", json!("example.com/other"), WORK),
        row(JOB, objects::job(), "/spec/podFailurePolicy", failure, WORK),
    ]
}

fn the_rest() -> Vec<Row> {
    let source = json!({"kind": "PersistentVolumeClaim", "name": "other"});
    let content = |kind, object| Row {
        field: "its content",
        ..row(kind, frozen(object), "/data/one", json!("MQ=="), Instead::Recreate)
    };
    let classy = || with(objects::claim(), "/spec/storageClassName", &json!("fast"));
    let storage = "/spec/resources/requests/storage";
    let labels = json!({"matchLabels": {"a": "b"}});
    vec![
        content(CONFIG_MAP, objects::config_map()),
        content(SECRET, objects::secret()),
        row(SECRET, objects::secret(), "/type", json!("example.com/other"), Instead::Recreate),
        row(SERVICE, objects::service(), "/spec/clusterIP", json!("None"), Instead::Recreate),
        row(SERVICE, objects::headless_service(), "/spec/clusterIP", Value::Null, Instead::Recreate),
        row(CLAIM, objects::claim(), "/spec/accessModes", json!(["ReadWriteMany"]), VOLUME),
        row(CLAIM, objects::claim(), "/spec/dataSource", source.clone(), VOLUME),
        row(CLAIM, objects::claim(), "/spec/dataSourceRef", source, VOLUME),
        row(CLAIM, objects::claim(), "/spec/selector", labels, VOLUME),
        row(CLAIM, classy(), "/spec/storageClassName", json!("slow"), VOLUME),
        row(CLAIM, objects::claim(), "/spec/volumeMode", json!("Block"), VOLUME),
        row(CLAIM, objects::claim(), storage, json!("512Mi"), SMALLER),
    ]
}

/// The object with another value at a JSON pointer. Null removes the field.
fn with(mut object: Value, pointer: &str, value: &Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(parent) = object.pointer_mut(parent).and_then(Value::as_object_mut) {
        parent.remove(field);
        if !value.is_null() {
            parent.insert(field.into(), value.clone());
        }
    }
    object
}

/// Whether a plain write changes the object. The API server may reject it, or ignore it.
async fn is_mutable(client: &Client, kind: Kind, live: &DynamicObject, row: &Row) -> Result<bool> {
    let changed = with(serde_json::to_value(live)?, row.pointer, &row.value);
    // The plural contains the same value and must be removed too.
    let changed = with(changed, "/spec/clusterIPs", &Value::Null);
    let params = PostParams { dry_run: true, ..PostParams::default() };
    match api(client, kind).replace(&live.name_any(), &params, &serde_json::from_value(changed)?).await {
        Ok(after) => Ok(after.data != live.data),
        Err(kube::Error::Api(status)) if status.code == 422 => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Replaces the garbage collector, which does not run here.
async fn collect(fixture: &Fixture, kind: Kind, live: &DynamicObject) -> Result<()> {
    let now = fixture.read(kind, &live.name_any()).await?;
    assert_eq!(now.metadata.finalizers, Some(vec!["orphan".into()]));
    let freed = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api(&fixture.other, kind).patch(&live.name_any(), &PatchParams::default(), &freed).await?;
    Ok(())
}

async fn check(fixture: &Fixture, row: &Row, way: Way) -> Result<()> {
    let Row { kind, field, .. } = *row;
    fixture.carry_out(&[fixture.wanted(kind, &row.object, way)]).await?;
    let name = row.object["metadata"]["name"].as_str().context("the object has no name")?.to_owned();
    let live = fixture.read(kind, &name).await?;
    assert!(!is_mutable(&fixture.other, kind, &live, row).await?, "{} {field} is mutable", kind.kind);
    fixture.record.take();

    let wanted = [Desired {
        looks_after_pods: row.instead == Instead::Adopt,
        ..fixture.wanted(kind, &with(row.object.clone(), row.pointer, &row.value), way)
    }];
    let orphans = matches!(row.instead, Instead::Orphan | Instead::Adopt);
    let outcome = fixture.carry_out(&wanted).await;
    let requests = fixture.record.take();
    let sent: Vec<String> = requests.iter().map(Request::line).collect();
    if let Instead::Refuse(why) = row.instead {
        let expected = format!("{} default/{name}: {field} cannot be changed: {why}", kind.kind);
        assert_eq!(outcome.map(|applied| applied.written).map_err(|error| error.to_string()), Err(expected));
        assert_eq!(sent, Vec::<String>::new());
        assert_eq!(fixture.read(kind, &name).await?, live);
    } else {
        let waiting = outcome?.waiting;
        assert_eq!(
            waiting,
            [format!("{} default/{name} is recreated: {field} cannot be changed", kind.kind)]
        );
        // The first request is a dry run.
        assert_eq!(sent, [format!("POST default/{}", kind.plural), format!("DELETE {}/{name}", kind.plural)]);
        let policy = if orphans { "Orphan" } else { "Background" };
        assert_eq!(requests[1].body["propagationPolicy"], policy, "{field}");
        if orphans {
            let deleting = fixture.read(kind, &name).await?;
            fixture.wait_for(kind, &deleting).await?;
            assert_eq!(
                fixture.carry_out(&wanted).await?.waiting,
                [format!("{} default/{name} is being deleted", kind.kind)]
            );
            collect(fixture, kind, &live).await?;
        }
        fixture.wait_until_gone(kind, &live).await?;
        assert_eq!(fixture.carry_out(&wanted).await?.waiting, Vec::<String>::new());
        fixture.carry_out(&wanted).await?;
        let now = fixture.read(kind, &name).await?;
        assert_ne!(now.metadata.uid, live.metadata.uid);
        assert_eq!(missing(&wanted[0].object, &serde_json::to_value(&now)?), None);
    }
    let now = fixture.read(kind, &name).await?;
    api(&fixture.other, kind).delete(&name, &DeleteParams::background()).await?;
    remove_finalizers(fixture, kind, &now).await?;
    fixture.wait_until_gone(kind, &now).await
}

/// Removes the finalizers of claims and Jobs.
async fn remove_finalizers(fixture: &Fixture, kind: Kind, object: &DynamicObject) -> Result<()> {
    if api(&fixture.other, kind).get_opt(&object.name_any()).await?.is_some() {
        let freed = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        api(&fixture.other, kind).patch(&object.name_any(), &PatchParams::default(), &freed).await?;
    }
    Ok(())
}

#[tokio::test]
async fn every_row_of_the_table_is_needed_and_effective() -> Result<()> {
    let fixture = Fixture::start().await?;
    let all: Vec<Row> = workloads().into_iter().chain(jobs()).chain(the_rest()).collect();
    let tried: BTreeSet<(&str, &str)> = all.iter().map(|row| (row.kind.kind, row.field)).collect();
    assert_eq!(tried, rows().collect(), "every row is tested");
    for row in &all {
        for way in [Way::Apply, Way::Replace] {
            check(&fixture, row, way)
                .await
                .with_context(|| format!("{} {} {way:?}", row.kind.kind, row.field))?;
        }
    }
    Ok(())
}
