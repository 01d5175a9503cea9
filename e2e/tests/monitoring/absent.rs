//! The operator is absent while all kinds of workloads serve: clients do not notice, a deleted pod comes back, and what was
//! configured meanwhile takes effect when it is there again, without a restart.

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
use crate::pieces::{Piece, group, itself, receiver, scrapes};
use crate::workload::{Lives, Workload};

/// A workload, its client and what it does.
struct Served<'n> {
    workload: Workload<'n>,
    version: &'static str,
    client: Client,
    work: Vec<String>,
}

impl Served<'_> {
    /// One of its pods goes.
    async fn lose_a_pod(&self) -> Result<Pod> {
        let (pods, name) = (self.workload.namespace().pods(), self.workload.pod_name(1));
        let pod = pods.get(&name).await?;
        pods.delete(&name, &DeleteParams::default()).await?;
        Ok(pod)
    }

    /// It comes back without the operator, and serves.
    async fn has_instead_of(&self, lost: &Pod) -> Result<()> {
        wait::gone(&self.workload.namespace().pods(), lost).await?;
        self.workload.namespace().ready(&lost.name_any()).await?;
        self.workload.works_on(&self.work).await?;
        self.client.goes_on(20).await
    }
}

/// Two pods of each kind.
async fn serve(namespace: &Namespace) -> Result<Vec<Served<'_>>> {
    let pieces = [itself(namespace, "first"), group("first"), receiver(namespace, "first")];
    for piece in &pieces {
        piece.create(namespace).await?;
    }
    let [target, group, receiver] = pieces.map(|piece| piece.work);
    let server = scrapes(json!({"ruleSelector": {}, "evaluationInterval": "1s"}));
    let ruler = json!({"ruleSelector": {}, "queryEndpoints": ["query.invalid:9090"]});
    let wanted = [
        (&PROMETHEUS, "3.13.1", server, vec![target.clone(), group.clone()]),
        (&AGENT, "3.13.1", scrapes(json!({})), vec![target]),
        (&ALERTMANAGER, "v0.33.1", json!({"alertmanagerConfigSelector": {}}), vec!["null".into(), receiver]),
        (&RULER, "v0.42.2", ruler, vec![group]),
    ];
    let mut created = Vec::new();
    for (kind, version, mut spec, work) in wanted {
        spec["version"] = json!(version);
        spec["replicas"] = json!(2);
        created.push((Workload::create(namespace, kind, "main", spec).await?, version, work));
    }
    let mut served = Vec::new();
    for (workload, version, work) in created {
        workload.settled(2, version).await?;
        workload.works_on(&work).await?;
        let client = Client::start(&workload).await?;
        served.push(Served { workload, version, client, work });
    }
    Ok(served)
}

async fn lives(served: &[Served<'_>]) -> Result<Vec<Lives>> {
    let mut all = Vec::new();
    for one in served {
        all.push(one.workload.lives().await?);
    }
    Ok(all)
}

/// Adds what a piece makes servers do to those that do the like.
fn expect(served: &mut [Served<'_>], piece: &Piece, kinds: &[&str]) {
    for one in served.iter_mut().filter(|one| kinds.contains(&one.workload.kind().name)) {
        one.work.push(piece.work.clone());
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
        lost.push(one.lose_a_pod().await?);
    }
    for (one, lost) in served.iter().zip(&lost) {
        one.has_instead_of(lost).await?;
    }
    println!("a pod of each came back without the operator after {}", Span(watch.elapsed()));

    let before = lives(&served).await?;
    let monitor = Piece::all_of(&namespace, "operated-prometheus");
    let (group, receiver) = (group("second"), receiver(&namespace, "second"));
    for piece in [&monitor, &group, &receiver] {
        piece.create(&namespace).await?;
    }
    operator::scale(&lab, 2).await?;
    expect(&mut served, &monitor, &["Prometheus", "PrometheusAgent"]);
    expect(&mut served, &group, &["Prometheus", "ThanosRuler"]);
    expect(&mut served, &receiver, &["Alertmanager"]);
    for one in &served {
        one.workload.works_on(&one.work).await?;
        one.workload.settled(2, one.version).await?;
    }
    println!("what was configured meanwhile is done after {}", Span(watch.elapsed()));
    assert_eq!(lives(&served).await?, before, "nothing restarts when the operator is back");
    for Served { workload, client, .. } in served {
        println!("{}: {}", workload.kind().name, client.finish().await?);
    }
    Ok(())
}
