//! The operator does not run while all kinds of workloads serve: clients do not notice, a deleted pod is replaced, and
//! changes that are made in the meantime take effect when the operator runs again, without a restart.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use e2e::wait;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::DeleteParams;
use lab::clock::{Span, Stopwatch};
use serde_json::json;

use crate::client::Client;
use crate::kind::{AGENT, ALERTMANAGER, PROMETHEUS, RULER};
use crate::objects;
use crate::selected::{SelectedObject, group, itself, receiver, scrapes};
use crate::workload::{Identities, Workload};

/// A workload, its client and its entries.
struct Served<'n> {
    workload: Workload<'n>,
    version: &'static str,
    client: Client,
    entries: Vec<String>,
}

impl Served<'_> {
    /// Deletes one of its pods.
    async fn delete_a_pod(&self) -> Result<Pod> {
        let (pods, name) = (self.workload.namespace().pods(), self.workload.pod_name(1));
        let pod = pods.get(&name).await?;
        pods.delete(&name, &DeleteParams::default()).await?;
        Ok(pod)
    }

    /// Waits until the pod is replaced without the operator, and the new one serves.
    async fn replaces(&self, lost: &Pod) -> Result<()> {
        wait::gone(&self.workload.namespace().pods(), lost).await?;
        self.workload.namespace().ready(&lost.name_any()).await?;
        self.workload.shows(&self.entries).await?;
        self.client.gets_responses(20).await
    }
}

/// Creates a workload with two pods of each kind.
async fn serve(namespace: &Namespace) -> Result<Vec<Served<'_>>> {
    let objects = [itself(namespace, "first"), group("first"), receiver(namespace, "first")];
    for object in &objects {
        object.create(namespace).await?;
    }
    let [target, group, receiver] = objects.map(|object| object.entry);
    let server = scrapes(json!({"ruleSelector": {}, "evaluationInterval": "1s"}));
    let ruler = json!({"ruleSelector": {}, "queryEndpoints": ["query.invalid:9090"]});
    let wanted = [
        (&PROMETHEUS, "3.13.1", server, vec![target.clone(), group.clone()]),
        (&AGENT, "3.13.1", scrapes(json!({})), vec![target]),
        (&ALERTMANAGER, "v0.33.1", json!({"alertmanagerConfigSelector": {}}), vec!["null".into(), receiver]),
        (&RULER, "v0.42.2", ruler, vec![group]),
    ];
    let mut created = Vec::new();
    for (kind, version, mut spec, entries) in wanted {
        spec["version"] = json!(version);
        spec["replicas"] = json!(2);
        created.push((Workload::create(namespace, kind, "main", spec).await?, version, entries));
    }
    let mut served = Vec::new();
    for (workload, version, entries) in created {
        workload.settled(2, version).await?;
        workload.shows(&entries).await?;
        let client = Client::start(&workload).await?;
        served.push(Served { workload, version, client, entries });
    }
    Ok(served)
}

async fn identities(served: &[Served<'_>]) -> Result<Vec<Identities>> {
    let mut all = Vec::new();
    for one in served {
        all.push(one.workload.identities().await?);
    }
    Ok(all)
}

/// Expects the entry of an object from the workloads of these kinds.
fn expect(served: &mut [Served<'_>], object: &SelectedObject, kinds: &[&str]) {
    for one in served.iter_mut().filter(|one| kinds.contains(&one.workload.kind().name)) {
        one.entries.push(object.entry.clone());
    }
}

#[tokio::test]
async fn workloads_serve_without_their_operator() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "absent").await?;
    objects::allow_discovery(&namespace).await?;
    let watch = Stopwatch::start();
    let mut served = serve(&namespace).await?;
    println!("all kinds served after {}", Span(watch.elapsed()));

    operator::scale(&lab, 0).await?;
    let mut lost = Vec::new();
    for one in &served {
        lost.push(one.delete_a_pod().await?);
    }
    for (one, lost) in served.iter().zip(&lost) {
        one.replaces(lost).await?;
    }
    println!("a pod of each was replaced without the operator after {}", Span(watch.elapsed()));

    let before = identities(&served).await?;
    let monitor = SelectedObject::all_of(&namespace, "operated-prometheus");
    let (group, receiver) = (group("second"), receiver(&namespace, "second"));
    for object in [&monitor, &group, &receiver] {
        object.create(&namespace).await?;
    }
    operator::scale(&lab, 2).await?;
    expect(&mut served, &monitor, &["Prometheus", "PrometheusAgent"]);
    expect(&mut served, &group, &["Prometheus", "ThanosRuler"]);
    expect(&mut served, &receiver, &["Alertmanager"]);
    for one in &served {
        one.workload.shows(&one.entries).await?;
        one.workload.settled(2, one.version).await?;
    }
    println!("changes during the absence were loaded after {}", Span(watch.elapsed()));
    assert_eq!(identities(&served).await?, before, "nothing restarts when the operator runs again");
    for Served { workload, client, .. } in served {
        println!("{}: {}", workload.kind().name, client.finish().await?);
    }
    Ok(())
}
