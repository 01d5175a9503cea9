//! Evictions respect disruption budgets.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::{wait, workloads};
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::api::{EvictParams, ObjectMeta, Patch, PatchParams};
use serde_json::json;

/// Waits until the budget has counted its pod and allows this number of disruptions.
async fn allows(namespace: &Namespace, disruptions: i32) -> Result<()> {
    let what = format!("one healthy pod and {disruptions} allowed disruptions");
    wait::object(&namespace.api::<PodDisruptionBudget>(), "web", &what, |budget| {
        budget.status.as_ref().is_some_and(|status| {
            status.observed_generation == budget.metadata.generation
                && status.current_healthy == Some(1)
                && status.disruptions_allowed.unwrap_or_default() == disruptions
        })
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_budget_prevents_an_eviction() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "eviction").await?;
    let pod = namespace.add_ready(&pods::pod("web", pods::spec(pods::shell(IDLE)))).await?;
    namespace
        .add(&PodDisruptionBudget {
            metadata: ObjectMeta { name: Some("web".into()), ..ObjectMeta::default() },
            spec: Some(PodDisruptionBudgetSpec {
                min_available: Some(IntOrString::Int(1)),
                selector: Some(workloads::selector("web")),
                ..PodDisruptionBudgetSpec::default()
            }),
            ..PodDisruptionBudget::default()
        })
        .await?;
    allows(&namespace, 0).await?;
    match namespace.pods().evict("web", &EvictParams::default()).await {
        Err(kube::Error::Api(status)) => assert_eq!(status.code, 429, "{status:?}"),
        other => panic!("expected a rejection, got {other:?}"),
    }
    assert!(pods::is_ready(&namespace.pods().get("web").await?), "the pod still runs");

    let none = Patch::Merge(json!({ "spec": { "minAvailable": 0 } }));
    namespace.api::<PodDisruptionBudget>().patch("web", &PatchParams::default(), &none).await?;
    allows(&namespace, 1).await?;
    namespace.pods().evict("web", &EvictParams::default()).await?;
    wait::gone(&namespace.pods(), &pod).await
}
