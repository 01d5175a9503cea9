//! Somebody puts a file that decompresses to 700 MiB into a Secret of the operator: the Secret is written back, and neither a
//! server nor an operator restarts.

use std::collections::BTreeMap;

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::wait::holds;
use e2e::{bomb, operator};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Event, Pod, Secret};
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::kind::PROMETHEUS;
use crate::objects;
use crate::selected::scrapes;
use crate::workload::Workload;

/// The number of restarts of each pod of the operator.
async fn restarts(lab: &Lab) -> Result<BTreeMap<String, i32>> {
    let pods: Api<Pod> = Api::namespaced(lab.client(), operator::NAMESPACE);
    let all = pods.list(&ListParams::default()).await?;
    let count = |pod: &Pod| {
        let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
        (pod.name_any(), statuses.into_iter().flatten().map(|status| status.restart_count).sum())
    };
    Ok(all.iter().map(count).collect())
}

#[tokio::test]
async fn a_secret_with_a_decompression_bomb_restarts_nothing() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "bomb").await?;
    objects::allow_discovery(&namespace).await?;
    let target = json!({"staticConfigs": [{"targets": ["localhost:9090"]}]});
    objects::create(&namespace, "ScrapeConfig", "one", target.clone()).await?;
    let spec = scrapes(json!({"version": "v2.42.0", "scrapeInterval": "3s"}));
    let workload = Workload::create(&namespace, &PROMETHEUS, "main", spec).await?;
    workload.settled(1, "v2.42.0").await?;
    let mut entries = vec![format!("scrapeConfig/{}/one", namespace.name())];
    workload.shows(&entries).await?;

    let (identities, processes) = (workload.identities().await?, restarts(&lab).await?);
    let secrets = namespace.api::<Secret>();
    let before = secrets.get("prometheus-main").await?.data;
    let data = json!({"data": {"prometheus.yaml.gz": ByteString(bomb::gzip()?)}});
    secrets.patch("prometheus-main", &PatchParams::default(), &Patch::Merge(&data)).await?;
    namespace
        .until("the Secret to be written back", async || {
            Ok(holds(secrets.get("prometheus-main").await?.data == before, "it differs"))
        })
        .await?;
    let events = namespace.api::<Event>();
    namespace
        .until("an event about it", async || {
            let all = events.list(&ListParams::default().fields("involvedObject.name=main")).await?;
            let reasons: Vec<_> = all.iter().filter_map(|event| event.reason.as_deref()).collect();
            Ok(holds(reasons.contains(&"DriftCorrected"), format!("{reasons:?}")))
        })
        .await?;

    // A later change takes effect, in the same pods.
    objects::create(&namespace, "ScrapeConfig", "two", target).await?;
    entries.push(format!("scrapeConfig/{}/two", namespace.name()));
    workload.shows(&entries).await?;
    assert_eq!(workload.identities().await?, identities);
    assert_eq!(restarts(&lab).await?, processes);
    Ok(())
}
