//! Objects that pass the operator's validation and that the server rejects: found, left out and reported, while everything
//! else takes effect.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use crate::kind::PROMETHEUS;
use crate::objects;
use crate::pieces::scrapes;
use crate::workload::Workload;

/// How many good ones there are.
const GOOD: usize = 20;

fn job(namespace: &Namespace, name: &str) -> String {
    format!("scrapeConfig/{}/{name}", namespace.name())
}

fn good() -> Value {
    json!({"staticConfigs": [{"targets": ["localhost:9090"]}]})
}

/// The oldest version of the lab was built without this discovery: no checks of versions can know that.
fn bad() -> Value {
    json!({"kubernetesSDConfigs": [{"role": "Pod"}]})
}

#[tokio::test]
async fn what_only_the_server_refuses_is_left_out() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "refused").await?;
    objects::allow_discovery(&namespace).await?;
    let mut work = Vec::new();
    for number in 0..GOOD {
        let name = format!("good-{number}");
        objects::create(&namespace, "ScrapeConfig", &name, good()).await?;
        work.push(job(&namespace, &name));
    }
    let spec = scrapes(json!({"version": "v2.42.0", "scrapeInterval": "3s"}));
    let workload = Workload::create(&namespace, &PROMETHEUS, "main", spec).await?;
    workload.settled(1, "v2.42.0").await?;
    workload.works_on(&work).await?;

    // The pod is deleted right after the invalid object was created: the next one starts without it.
    objects::create(&namespace, "ScrapeConfig", "bad", bad()).await?;
    namespace.pods().delete(&workload.pod_name(0), &DeleteParams::default()).await?;
    let said = objects::judged(&namespace, ("ScrapeConfig", "bad"), "main", false).await?;
    assert!(said.starts_with("Prometheus 2.42.0 refuses it: "), "{said}");
    println!("{said}");
    workload.settled(1, "v2.42.0").await?;
    objects::create(&namespace, "ScrapeConfig", "another", good()).await?;
    work.push(job(&namespace, "another"));
    workload.works_on(&work).await?;

    // Another spec is another try.
    let repaired = json!({"kubernetesSDConfigs": null, "staticConfigs": [{"targets": ["localhost:9090"]}]});
    objects::change(&namespace, "ScrapeConfig", "bad", repaired).await?;
    objects::judged(&namespace, ("ScrapeConfig", "bad"), "main", true).await?;
    work.push(job(&namespace, "bad"));
    workload.works_on(&work).await
}
