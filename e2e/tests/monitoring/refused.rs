//! Objects that pass the validation of the operator and that the server rejects: they are identified, left out and reported,
//! while everything else takes effect.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use crate::kind::PROMETHEUS;
use crate::objects;
use crate::selected::scrapes;
use crate::workload::Workload;

/// The number of valid objects.
const GOOD: usize = 20;

fn job(namespace: &Namespace, name: &str) -> String {
    format!("scrapeConfig/{}/{name}", namespace.name())
}

fn good() -> Value {
    json!({"staticConfigs": [{"targets": ["localhost:9090"]}]})
}

/// The oldest version in the lab was built without this discovery. A check of versions cannot detect that.
fn bad() -> Value {
    json!({"kubernetesSDConfigs": [{"role": "Pod"}]})
}

#[tokio::test]
async fn an_object_that_only_the_server_rejects_is_left_out() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "refused").await?;
    objects::allow_discovery(&namespace).await?;
    let mut entries = Vec::new();
    for number in 0..GOOD {
        let name = format!("good-{number}");
        objects::create(&namespace, "ScrapeConfig", &name, good()).await?;
        entries.push(job(&namespace, &name));
    }
    let spec = scrapes(json!({"version": "v2.42.0", "scrapeInterval": "3s"}));
    let workload = Workload::create(&namespace, &PROMETHEUS, "main", spec).await?;
    workload.settled(1, "v2.42.0").await?;
    workload.shows(&entries).await?;

    // The pod is deleted right after the invalid object was created: the next one starts without that object.
    objects::create(&namespace, "ScrapeConfig", "bad", bad()).await?;
    namespace.pods().delete(&workload.pod_name(0), &DeleteParams::default()).await?;
    let message = objects::accepted(&namespace, ("ScrapeConfig", "bad"), "main", false).await?;
    assert!(message.starts_with("Prometheus 2.42.0 rejects it: "), "{message}");
    println!("{message}");
    workload.settled(1, "v2.42.0").await?;
    objects::create(&namespace, "ScrapeConfig", "another", good()).await?;
    entries.push(job(&namespace, "another"));
    workload.shows(&entries).await?;

    // A changed spec is tried again.
    let repaired = json!({"kubernetesSDConfigs": null, "staticConfigs": [{"targets": ["localhost:9090"]}]});
    objects::change(&namespace, "ScrapeConfig", "bad", repaired).await?;
    objects::accepted(&namespace, ("ScrapeConfig", "bad"), "main", true).await?;
    entries.push(job(&namespace, "bad"));
    workload.shows(&entries).await
}
