//! The life of each kind of workload from its creation to its end, with servers in real pods and a client that asks them
//! all the time: configured, scaled up and down, upgraded, configured again, deleted.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use lab::clock::{Span, Stopwatch};
use serde_json::{Value, json};

use crate::client::Client;
use crate::kind::{AGENT, ALERTMANAGER, Kind, PROMETHEUS, RULER};
use crate::objects;
use crate::pieces::{Piece, group, itself, receiver, scrapes};
use crate::workload::Workload;

/// What is different from kind to kind.
struct Walk {
    kind: &'static Kind,
    versions: [&'static str; 2],
    spec: Value,
    /// What servers do without any configuration.
    base: Vec<String>,
    /// What is there from the start.
    first: Piece,
    /// What comes while it runs.
    second: Piece,
    /// What comes after the upgrade.
    third: Piece,
}

/// Walks through all of it, and gives back what was done and how long it took.
async fn walk(namespace: &Namespace, walk: Walk) -> Result<String> {
    let Walk { kind, versions: [old, new], mut spec, base, first, second, third } = walk;
    let mut work = base;
    let watch = Stopwatch::start();
    let mut done = vec![kind.name.to_owned()];
    let mut said = |what: &str| done.push(format!("{what} after {}", Span(watch.elapsed())));

    first.create(namespace).await?;
    spec["version"] = json!(old);
    spec["replicas"] = json!(2);
    let workload = Workload::create(namespace, kind, "main", spec).await?;
    workload.settled(2, old).await?;
    work.push(first.work);
    workload.works_on(&work).await?;
    said("created");
    let client = Client::start(&workload).await?;

    let before = workload.lives().await?;
    second.create(namespace).await?;
    work.push(second.work);
    workload.works_on(&work).await?;
    objects::judged(namespace, (second.kind, second.name), "main", true).await?;
    assert_eq!(workload.lives().await?, before, "a configuration is loaded, and nothing restarts for it");
    said("configured");

    for replicas in [3, 2] {
        workload.change(json!({"replicas": replicas})).await?;
        workload.settled(replicas, old).await?;
        workload.works_on(&work).await?;
    }
    said("scaled up and down");

    workload.change(json!({"version": new})).await?;
    workload.settled(2, new).await?;
    workload.works_on(&work).await?;
    said("upgraded");

    let before = workload.lives().await?;
    third.create(namespace).await?;
    work.push(third.work);
    workload.works_on(&work).await?;
    assert_eq!(workload.lives().await?, before, "a configuration is loaded, and nothing restarts for it");
    said("configured again");
    let answers = client.finish().await?;

    workload.delete().await?;
    objects::unbound(namespace, second.kind, second.name).await?;
    said("deleted");
    done.push(answers);
    Ok(done.join("; "))
}

async fn namespace(title: &str) -> Result<Namespace> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    Namespace::create(&lab, title).await
}

#[tokio::test]
async fn prometheus() -> Result<()> {
    let namespace = namespace("cells-prometheus").await?;
    objects::allow_discovery(&namespace).await?;
    let spec = scrapes(json!({"ruleSelector": {}, "evaluationInterval": "1s"}));
    let walked = walk(
        &namespace,
        Walk {
            kind: &PROMETHEUS,
            versions: ["2.42.0", "3.13.1"],
            spec,
            base: Vec::new(),
            first: itself(&namespace, "first"),
            second: group("second"),
            third: Piece::all_of(&namespace, "operated-prometheus"),
        },
    )
    .await?;
    println!("{walked}");
    Ok(())
}

#[tokio::test]
async fn agent() -> Result<()> {
    let namespace = namespace("cells-agent").await?;
    objects::allow_discovery(&namespace).await?;
    let walked = walk(
        &namespace,
        Walk {
            kind: &AGENT,
            versions: ["2.42.0", "3.13.1"],
            spec: scrapes(json!({})),
            base: Vec::new(),
            first: itself(&namespace, "first"),
            second: itself(&namespace, "second"),
            third: Piece::all_of(&namespace, "operated-prometheus"),
        },
    )
    .await?;
    println!("{walked}");
    Ok(())
}

#[tokio::test]
async fn alertmanager() -> Result<()> {
    let namespace = namespace("cells-alertmanager").await?;
    let walked = walk(
        &namespace,
        Walk {
            kind: &ALERTMANAGER,
            versions: ["v0.25.0", "v0.33.1"],
            spec: json!({"alertmanagerConfigSelector": {}}),
            base: vec!["null".into()],
            first: receiver(&namespace, "first"),
            second: receiver(&namespace, "second"),
            third: receiver(&namespace, "third"),
        },
    )
    .await?;
    println!("{walked}");
    Ok(())
}

#[tokio::test]
async fn ruler() -> Result<()> {
    let namespace = namespace("cells-ruler").await?;
    let walked = walk(
        &namespace,
        Walk {
            kind: &RULER,
            versions: ["v0.42.2", "v0.42.4"],
            spec: json!({"ruleSelector": {}, "queryEndpoints": ["query.invalid:9090"]}),
            base: Vec::new(),
            first: group("first"),
            second: group("second"),
            third: group("third"),
        },
    )
    .await?;
    println!("{walked}");
    Ok(())
}
