//! The report of a dry run. It writes nothing.

use anyhow::Result;
use e2e::wait;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Secret, Service};
use kernel::dry_run::DryRun;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, Client};
use mainstay::dry_run::{self, DryRunReport};
use serde_json::json;

use super::fixture::{Running, by_default, configuration, control_plane, create, idle, process, versions};

async fn dry_run(client: &Client) -> Result<DryRunReport> {
    let writes = DryRun::default();
    let once = process(writes.around(client.clone()), by_default()).once().await;
    dry_run::report(client, &once, writes.take()).await
}

#[tokio::test]
async fn a_dry_run_reports_what_would_restart_and_writes_nothing() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    let spec = json!({"serviceMonitorSelector": {}, "replicas": 2});
    create(&client, "Prometheus", "v1", "main", &spec).await?;
    create(&client, "Alertmanager", "v1", "main", &json!({"replicas": 3})).await?;
    let spec = json!({"selector": {}, "endpoints": [{"port": "web"}]});
    create(&client, "ServiceMonitor", "v1", "one", &spec).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    for name in ["prometheus-main", "alertmanager-main"] {
        wait::object(&sets, name, "to be created", |_| true).await?;
    }
    configuration(&client, "prometheus-main", |text| text.contains("serviceMonitor/default/one/0")).await?;
    idle(&running).await?;
    running.end().await;

    let nothing = "0 objects and 0 statuses would be written; 0 pods would restart.\n";
    assert_eq!(dry_run(&client).await?, DryRunReport { text: nothing.into(), failures: Vec::new() });

    // Objects that an older version might have written.
    let arguments =
        json!([{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": "--old"}]);
    let patch = Patch::Json::<()>(serde_json::from_value(arguments)?);
    sets.patch("prometheus-main", &PatchParams::default(), &patch).await?;
    let size = json!({"spec": {"replicas": 1}});
    sets.patch("alertmanager-main", &PatchParams::default(), &Patch::Merge(&size)).await?;
    Api::<Service>::default_namespaced(client.clone())
        .delete("prometheus-operated", &DeleteParams::default())
        .await?;
    let content = json!({"data": {"prometheus.yaml.gz": ""}});
    Api::<Secret>::default_namespaced(client.clone())
        .patch("prometheus-main", &PatchParams::default(), &Patch::Merge(&content))
        .await?;
    let before = versions(&client).await?;
    let DryRunReport { text, failures } = dry_run(&client).await?;
    assert_eq!(failures, Vec::<String>::new());
    let expected = [
        "create   services default/prometheus-operated",
        "change   secrets default/prometheus-main              data[prometheus.yaml.gz]",
        "change   statefulsets.apps default/alertmanager-main  spec.replicas",
        "change   statefulsets.apps default/prometheus-main    2 pods would restart: spec.template.spec.containers[0].args",
        "4 objects and 0 statuses would be written; 2 pods would restart.",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    assert_eq!(versions(&client).await?, before, "nothing was written");
    Ok(())
}
