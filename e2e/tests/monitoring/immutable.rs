//! Changes of a StatefulSet that Kubernetes rejects: it is recreated, and its pods keep running or are replaced one at a
//! time.

use anyhow::{Context, Result};
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use e2e::wait::{self, holds};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams};
use serde_json::{Value, json};

use crate::client::Client;
use crate::kind::{PROMETHEUS, RULER};
use crate::objects;
use crate::workload::{Identities, Workload};

const VERSION: &str = "3.13.1";

/// A label in the selector of every Prometheus.
const SHARD: &str = "operator.prometheus.io/shard";

async fn namespace(title: &str) -> Result<Namespace> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    Namespace::create(&lab, title).await
}

/// Two servers without targets.
async fn servers(namespace: &Namespace, more: Value) -> Result<Workload<'_>> {
    let mut spec = json!({"version": VERSION, "replicas": 2, "serviceMonitorSelector": {}});
    objects::merge(&mut spec, more);
    let workload = Workload::create(namespace, &PROMETHEUS, "main", spec).await?;
    workload.settled(2, VERSION).await?;
    Ok(workload)
}

/// A claim template with a size and a label.
fn storage(size: &str, label: &str) -> Value {
    json!({"volumeClaimTemplate": {
        "metadata": {"name": "data", "labels": {"kept-by": label}},
        "spec": {"resources": {"requests": {"storage": size}}},
    }})
}

/// Changes a workload so that its StatefulSet is recreated, and waits until the new one meets a condition.
async fn recreated(
    workload: &Workload<'_>,
    spec: Value,
    wanted: impl Fn(&StatefulSet) -> bool,
) -> Result<StatefulSet> {
    let old = workload.set().await?;
    workload.change(spec).await?;
    let sets = workload.namespace().api::<StatefulSet>();
    let is_new = |set: &StatefulSet| set.uid() != old.uid() && wanted(set);
    wait::object(&sets, &workload.set_name(), "to be recreated", is_new).await
}

/// The first claim template.
fn template(set: &StatefulSet) -> Option<&PersistentVolumeClaim> {
    set.spec.as_ref()?.volume_claim_templates.as_ref()?.first()
}

fn requested(claim: &PersistentVolumeClaim) -> Option<&str> {
    let resources = claim.spec.as_ref()?.resources.as_ref()?;
    Some(resources.requests.as_ref()?.get("storage")?.0.as_str())
}

/// Waits until every pod is a new one.
async fn replaced(workload: &Workload<'_>, before: &Identities) -> Result<()> {
    workload
        .namespace()
        .until("every pod to be replaced", async || {
            let now = workload.identities().await?;
            let kept = now.values().any(|(uid, _)| before.values().any(|(old, _)| old == uid));
            Ok(holds(!kept, format!("{now:?}")))
        })
        .await?;
    workload.settled(2, VERSION).await
}

#[tokio::test]
async fn pods_keep_running_when_claims_or_the_pod_management_policy_change() -> Result<()> {
    let namespace = namespace("immutable-kept").await?;
    let workload = servers(&namespace, json!({"storage": storage("64Mi", "one")})).await?;
    let (before, client) = (workload.identities().await?, Client::start(&workload).await?);

    let label = |set: &StatefulSet| template(set).and_then(|claim| claim.labels().get("kept-by").cloned());
    let two = |set: &StatefulSet| label(set).as_deref() == Some("two");
    recreated(&workload, json!({"storage": storage("64Mi", "two")}), two).await?;
    workload.settled(2, VERSION).await?;

    let grown = |set: &StatefulSet| template(set).and_then(requested) == Some("128Mi");
    recreated(&workload, json!({"storage": storage("128Mi", "two")}), grown).await?;
    let claims = namespace.api::<PersistentVolumeClaim>();
    for ordinal in 0..2 {
        let name = format!("data-{}", workload.pod_name(ordinal));
        let has = |claim: &PersistentVolumeClaim| {
            let capacity = claim.status.as_ref().and_then(|status| status.capacity.as_ref()?.get("storage"));
            capacity.is_some_and(|size| size.0 == "128Mi") && requested(claim) == Some("128Mi")
        };
        wait::object(&claims, &name, "to have grown", has).await?;
    }
    workload.settled(2, VERSION).await?;

    let ordered = |set: &StatefulSet| {
        set.spec.as_ref().and_then(|spec| spec.pod_management_policy.as_deref()) == Some("OrderedReady")
    };
    recreated(&workload, json!({"podManagementPolicy": "OrderedReady"}), ordered).await?;
    workload.settled(2, VERSION).await?;
    assert_eq!(
        workload.identities().await?,
        before,
        "the StatefulSet was recreated three times, and no pod was replaced"
    );
    println!("claims and pod management policy: {}", client.finish().await?);
    Ok(())
}

#[tokio::test]
async fn pods_are_replaced_one_at_a_time_for_another_claim_or_service() -> Result<()> {
    let namespace = namespace("immutable-replaced").await?;
    let workload = servers(&namespace, json!({})).await?;
    let client = Client::start(&workload).await?;
    let claims = |pod: &Pod| {
        let volumes = pod.spec.as_ref().and_then(|spec| spec.volumes.as_deref()).unwrap_or_default();
        volumes.iter().filter(|volume| volume.persistent_volume_claim.is_some()).count()
    };

    for (storage, count) in [(storage("64Mi", "one"), 1), (Value::Null, 0)] {
        let before = workload.identities().await?;
        let has = |set: &StatefulSet| usize::from(template(set).is_some()) == count;
        recreated(&workload, json!({"storage": storage}), has).await?;
        replaced(&workload, &before).await?;
        let found: Vec<usize> = workload.pods().await?.iter().map(claims).collect();
        assert_eq!(found, [count, count], "claims of each pod");
    }

    let service = json!({
        "metadata": {"name": "other"},
        "spec": {"clusterIP": "None", "selector": workload.labels(), "ports": [{"port": 9090}]},
    });
    namespace.add::<Service>(&serde_json::from_value(service)?).await?;
    let before = workload.identities().await?;
    let other =
        |set: &StatefulSet| set.spec.as_ref().and_then(|spec| spec.service_name.as_deref()) == Some("other");
    recreated(&workload, json!({"serviceName": "other"}), other).await?;
    replaced(&workload, &before).await?;
    for pod in workload.pods().await? {
        assert_eq!(pod.spec.and_then(|spec| spec.subdomain).as_deref(), Some("other"));
    }
    println!("claims added and removed, another Service: {}", client.finish().await?);
    Ok(())
}

/// Replaces the StatefulSet by one with a smaller selector. Its pods do not have the label that is missing in the selector.
async fn replace_selector(workload: &Workload<'_>) -> Result<StatefulSet> {
    let sets = workload.namespace().api::<StatefulSet>();
    let mut set = workload.set().await?;
    sets.delete(&set.name_any(), &DeleteParams::orphan()).await?;
    wait::gone(&sets, &set).await?;
    let unlabel = Patch::Merge(json!({"metadata": {"labels": {SHARD: null}}}));
    for pod in workload.pods().await? {
        workload.namespace().pods().patch(&pod.name_any(), &PatchParams::default(), &unlabel).await?;
    }
    set.metadata = ObjectMeta {
        name: set.metadata.name,
        labels: set.metadata.labels,
        annotations: set.metadata.annotations,
        owner_references: set.metadata.owner_references,
        ..ObjectMeta::default()
    };
    set.status = None;
    let selector = set.spec.as_mut().and_then(|spec| spec.selector.match_labels.as_mut());
    selector
        .context("the selector has no labels")?
        .remove(SHARD)
        .context("the selector has no such label")?;
    let set = workload.namespace().add(&set).await?;
    // The controller adopts the pods.
    workload
        .namespace()
        .until("the pods to be owned by the new StatefulSet", async || {
            let pods = workload.pods().await?;
            let adopted =
                |pod: &Pod| pod.owner_references().iter().any(|owner| Some(&owner.uid) == set.uid().as_ref());
            Ok(holds(pods.iter().all(adopted), format!("{} pods", pods.len())))
        })
        .await?;
    Ok(set)
}

#[tokio::test]
async fn pods_are_relabelled_for_another_selector_and_keep_running() -> Result<()> {
    let namespace = namespace("immutable-selector").await?;
    let workload = servers(&namespace, json!({})).await?;
    let (before, client) = (workload.identities().await?, Client::start(&workload).await?);
    // While it is paused, the operator does not change it.
    workload.change(json!({"paused": true})).await?;
    namespace
        .until("the operator to pause", async || {
            let status = objects::get(&namespace, "Prometheus", "main").await?["status"].clone();
            Ok(holds(status["paused"] == true, status.to_string()))
        })
        .await?;
    let replaced = replace_selector(&workload).await?;
    assert_eq!(workload.identities().await?, before);

    workload.change(json!({"paused": false})).await?;
    wait::gone(&namespace.api::<StatefulSet>(), &replaced).await?;
    namespace
        .until("every pod to have the label and the owner again", async || {
            let set = workload.set().await?;
            let pods = workload.pods().await?;
            let is_right = |pod: &Pod| {
                let owned = pod.owner_references().iter().any(|owner| Some(&owner.uid) == set.uid().as_ref());
                owned && pod.labels().get(SHARD).map(String::as_str) == Some("0")
            };
            let labels: Vec<_> = pods.iter().map(|pod| pod.labels().get(SHARD)).collect();
            Ok(holds(pods.iter().all(is_right), format!("{labels:?}")))
        })
        .await?;
    workload.settled(2, VERSION).await?;
    assert_eq!(workload.identities().await?, before, "no pod was replaced");
    println!("another selector: {}", client.finish().await?);
    Ok(())
}

#[tokio::test]
async fn rulers_are_replaced_one_at_a_time_for_other_labels() -> Result<()> {
    let namespace = namespace("immutable-ruler").await?;
    let version = "v0.42.2";
    let spec = json!({
        "version": version, "replicas": 2, "ruleSelector": {}, "queryEndpoints": ["query.invalid:9090"],
        "podMetadata": {"labels": {"team": "one"}},
    });
    let workload = Workload::create(&namespace, &RULER, "main", spec).await?;
    workload.settled(2, version).await?;
    let client = Client::start(&workload).await?;
    // The labels of its pods are part of its selector.
    let selects = |set: &StatefulSet| {
        let labels = set.spec.as_ref().and_then(|spec| spec.selector.match_labels.as_ref());
        labels.and_then(|labels| labels.get("team")).map(String::as_str) == Some("two")
    };
    recreated(&workload, json!({"podMetadata": {"labels": {"team": "two"}}}), selects).await?;
    namespace
        .until("both rulers to have the label", async || {
            let listed = namespace.pods().list(&ListParams::default().labels("team=two")).await?;
            Ok(holds(listed.items.len() == 2, format!("{} pods", listed.items.len())))
        })
        .await?;
    workload.settled(2, version).await?;
    println!("other labels of rulers: {}", client.finish().await?);
    Ok(())
}
