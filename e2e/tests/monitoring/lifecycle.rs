//! The lifecycle of each kind of workload, with real servers and a client that sends requests without a pause: created,
//! configured, scaled up and down, upgraded, configured again, deleted.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use lab::clock::{Span, Stopwatch};
use serde_json::{Value, json};

use crate::client::Client;
use crate::kind::{AGENT, ALERTMANAGER, Kind, PROMETHEUS, RULER};
use crate::objects;
use crate::selected::{SelectedObject, group, itself, receiver, scrapes};
use crate::workload::Workload;

/// The differences between kinds.
struct Lifecycle {
    kind: &'static Kind,
    versions: [&'static str; 2],
    spec: Value,
    /// The entries that servers show without any configuration.
    base: Vec<String>,
    /// The object that exists from the start.
    first: SelectedObject,
    /// The object that is created while it runs.
    second: SelectedObject,
    /// The object that is created after the upgrade.
    third: SelectedObject,
}

/// Runs all steps. Returns the steps and how long they took.
async fn run(namespace: &Namespace, lifecycle: Lifecycle) -> Result<String> {
    let Lifecycle { kind, versions: [old, new], mut spec, base, first, second, third } = lifecycle;
    let mut entries = base;
    let watch = Stopwatch::start();
    let mut steps = vec![kind.name.to_owned()];
    let mut step = |what: &str| steps.push(format!("{what} after {}", Span(watch.elapsed())));

    first.create(namespace).await?;
    spec["version"] = json!(old);
    spec["replicas"] = json!(2);
    let workload = Workload::create(namespace, kind, "main", spec).await?;
    workload.settled(2, old).await?;
    entries.push(first.entry);
    workload.shows(&entries).await?;
    step("created");
    let client = Client::start(&workload).await?;

    let before = workload.identities().await?;
    second.create(namespace).await?;
    entries.push(second.entry);
    workload.shows(&entries).await?;
    objects::accepted(namespace, (second.kind, second.name), "main", true).await?;
    assert_eq!(workload.identities().await?, before, "the configuration was loaded without a restart");
    step("configured");

    for replicas in [3, 2] {
        workload.change(json!({"replicas": replicas})).await?;
        workload.settled(replicas, old).await?;
        workload.shows(&entries).await?;
    }
    step("scaled up and down");

    workload.change(json!({"version": new})).await?;
    workload.settled(2, new).await?;
    workload.shows(&entries).await?;
    step("upgraded");

    let before = workload.identities().await?;
    third.create(namespace).await?;
    entries.push(third.entry);
    workload.shows(&entries).await?;
    assert_eq!(workload.identities().await?, before, "the configuration was loaded without a restart");
    step("configured again");
    let summary = client.finish().await?;

    workload.delete().await?;
    objects::unbound(namespace, second.kind, second.name).await?;
    step("deleted");
    steps.push(summary);
    Ok(steps.join("; "))
}

async fn namespace(title: &str) -> Result<Namespace> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    Namespace::create(&lab, title).await
}

#[tokio::test]
async fn prometheus() -> Result<()> {
    let namespace = namespace("lifecycle-prometheus").await?;
    objects::allow_discovery(&namespace).await?;
    let spec = scrapes(json!({"ruleSelector": {}, "evaluationInterval": "1s"}));
    let steps = run(
        &namespace,
        Lifecycle {
            kind: &PROMETHEUS,
            versions: ["2.42.0", "3.13.1"],
            spec,
            base: Vec::new(),
            first: itself(&namespace, "first"),
            second: group("second"),
            third: SelectedObject::all_of(&namespace, "operated-prometheus"),
        },
    )
    .await?;
    println!("{steps}");
    Ok(())
}

#[tokio::test]
async fn agent() -> Result<()> {
    let namespace = namespace("lifecycle-agent").await?;
    objects::allow_discovery(&namespace).await?;
    let steps = run(
        &namespace,
        Lifecycle {
            kind: &AGENT,
            versions: ["2.42.0", "3.13.1"],
            spec: scrapes(json!({})),
            base: Vec::new(),
            first: itself(&namespace, "first"),
            second: itself(&namespace, "second"),
            third: SelectedObject::all_of(&namespace, "operated-prometheus"),
        },
    )
    .await?;
    println!("{steps}");
    Ok(())
}

#[tokio::test]
async fn alertmanager() -> Result<()> {
    let namespace = namespace("lifecycle-alertmanager").await?;
    let steps = run(
        &namespace,
        Lifecycle {
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
    println!("{steps}");
    Ok(())
}

#[tokio::test]
async fn ruler() -> Result<()> {
    let namespace = namespace("lifecycle-ruler").await?;
    let steps = run(
        &namespace,
        Lifecycle {
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
    println!("{steps}");
    Ok(())
}
