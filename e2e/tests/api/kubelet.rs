//! Kubelets as targets with a real API server: the objects follow the nodes, nothing is written while nothing changes, and
//! the role of the Prometheus Operator is sufficient.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::{Endpoints, Node, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kernel::metrics::{Catalogue, Metrics};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use lab::ControlPlane;
use operator_monitoring::kubelet::KubeletSettings;
use operator_monitoring::kubelet::operator::Kubelets;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::record::Record;

/// A period that never ends during a test.
const NEVER: Duration = Duration::from_hours(1);
/// A period that ends several times during a test.
const OFTEN: Duration = Duration::from_millis(300);

/// A running operator.
struct Running {
    record: Record,
    catalogue: Catalogue,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Running {
    fn start(record: Record, client: Client, slices: bool, period: Duration) -> Self {
        let (stop, mut tasks, mut catalogue) =
            (CancellationToken::new(), JoinSet::new(), Catalogue::default());
        let kernel = Metrics::register(&mut Catalogue::default(), "", "");
        let settings = KubeletSettings {
            namespace: "default".into(),
            name: "kubelet".into(),
            endpoint_slices: slices,
            ..KubeletSettings::default()
        };
        let kubelets = Kubelets {
            client,
            settings,
            endpoints: true,
            nodes: "!left-out".into(),
            period,
            metrics: operator_monitoring::kubelet::operator::KubeletMetrics::register(
                &mut catalogue,
                &kernel,
                true,
                slices,
            ),
        };
        tasks.spawn(kubelets.run(Arc::new(|| true), stop.clone()));
        Self { record, catalogue, stop, tasks }
    }

    /// The requests since the last call, as text.
    fn requests(&self) -> Vec<String> {
        self.record.take().iter().map(crate::record::Request::line).collect()
    }

    fn has(&self, line: &str) -> Result<bool> {
        Ok(self.catalogue.expose()?.lines().any(|found| found == format!("prometheus_operator_{line}")))
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

async fn node(client: &Client, name: &str, labels: &Value, addresses: &[&str]) -> Result<()> {
    let address = |ip: &&str| json!({"type": "InternalIP", "address": ip});
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
        "status": {
            "addresses": addresses.iter().map(address).collect::<Vec<_>>(),
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    });
    let api: Api<Node> = Api::all(client.clone());
    api.create(&PostParams::default(), &serde_json::from_value(node)?).await?;
    Ok(())
}

/// The addresses of an Endpoints object.
fn addresses(endpoints: &Endpoints) -> BTreeSet<&str> {
    let subsets = endpoints.subsets.iter().flatten();
    subsets.flat_map(|subset| subset.addresses.iter().flatten()).map(|one| one.ip.as_str()).collect()
}

async fn endpoints_have(client: &Client, expected: &[&str]) -> Result<Endpoints> {
    let api: Api<Endpoints> = Api::default_namespaced(client.clone());
    let expected: BTreeSet<&str> = expected.iter().copied().collect();
    wait::object(&api, "kubelet", &format!("to have {expected:?}"), |found| addresses(found) == expected)
        .await
}

/// Waits until the EndpointSlices contain these addresses and no others, each once.
async fn slices_have(client: &Client, expected: &[&str]) -> Result<Vec<EndpointSlice>> {
    let api: Api<EndpointSlice> = Api::default_namespaced(client.clone());
    let list = async || {
        let labels = ListParams::default().labels("kubernetes.io/service-name=kubelet");
        anyhow::Ok(api.list(&labels).await?.items)
    };
    wait::until("the slices", async || {
        let slices = list().await?;
        let endpoints = slices.iter().flat_map(|slice| slice.endpoints.iter().flatten());
        let mut found: Vec<String> = endpoints.flat_map(|endpoint| endpoint.addresses.clone()).collect();
        found.sort();
        Ok(holds(found == expected, format!("{found:?}")))
    })
    .await?;
    list().await
}

/// Waits for a number of passes. Returns the requests in the meantime.
async fn passes(running: &Running, times: usize) -> Result<Vec<String>> {
    let mut all = Vec::new();
    wait::until("some more passes", async || {
        all.extend(running.requests());
        let seen = all.iter().filter(|request| *request == "GET services/kubelet").count();
        Ok(holds(seen >= times, all.join(", ")))
    })
    .await?;
    Ok(all)
}

#[tokio::test]
async fn objects_follow_the_nodes_at_once() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    node(&client, "a", &json!({}), &["10.1.0.1", "fd00::1"]).await?;
    node(&client, "b", &json!({}), &["10.1.0.2"]).await?;
    node(&client, "other", &json!({"left-out": "yes"}), &["10.1.0.9"]).await?;
    node(&client, "lost", &json!({}), &[]).await?;
    let record = Record::default();
    let running = Running::start(record.clone(), record.around(client.clone()), true, NEVER);

    let endpoints = endpoints_have(&client, &["10.1.0.1", "10.1.0.2"]).await?;
    let label = |name: &str| endpoints.metadata.labels.as_ref().and_then(|labels| labels.get(name).cloned());
    assert_eq!(label("k8s-app").as_deref(), Some("kubelet"));
    assert_eq!(label("endpointslice.kubernetes.io/skip-mirror").as_deref(), Some("true"));
    let services: Api<Service> = Api::default_namespaced(client.clone());
    let service = services.get("kubelet").await?.spec.context("the Service has no spec")?;
    let names: Vec<_> = service.ports.iter().flatten().filter_map(|port| port.name.as_deref()).collect();
    assert_eq!(names, ["https-metrics", "cadvisor", "http-metrics"]);
    assert_eq!(service.cluster_ip.as_deref(), Some("None"));
    let slices = slices_have(&client, &["10.1.0.1", "10.1.0.2", "fd00::1"]).await?;
    assert_eq!(slices.len(), 2, "one for each address type");
    wait::until("the node without an address to be counted", async || {
        Ok(holds(running.has("node_address_lookup_errors_total{} 1")?, running.catalogue.expose()?))
    })
    .await?;

    // A new node, a deleted one, and one with another address. The period does not end in the meantime.
    node(&client, "c", &json!({}), &["10.1.0.3"]).await?;
    endpoints_have(&client, &["10.1.0.1", "10.1.0.2", "10.1.0.3"]).await?;
    slices_have(&client, &["10.1.0.1", "10.1.0.2", "10.1.0.3", "fd00::1"]).await?;
    let nodes: Api<Node> = Api::all(client.clone());
    nodes.delete("a", &DeleteParams::default()).await?;
    endpoints_have(&client, &["10.1.0.2", "10.1.0.3"]).await?;
    let slices = slices_have(&client, &["10.1.0.2", "10.1.0.3"]).await?;
    assert_eq!(slices.len(), 1, "an empty one is deleted");
    let moved = json!({"status": {"addresses": [{"type": "InternalIP", "address": "10.1.0.4"}]}});
    nodes.patch_status("c", &PatchParams::default(), &Patch::Merge(&moved)).await?;
    endpoints_have(&client, &["10.1.0.2", "10.1.0.4"]).await?;
    slices_have(&client, &["10.1.0.2", "10.1.0.4"]).await?;
    for name in ["b", "c"] {
        nodes.delete(name, &DeleteParams::default()).await?;
    }
    endpoints_have(&client, &[]).await?;
    assert_eq!(slices_have(&client, &[]).await?, []);
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn nothing_is_written_while_nothing_changes_and_edits_are_corrected() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    for (name, ip) in [("b", "10.1.0.2"), ("a", "10.1.0.1"), ("c", "10.1.0.30")] {
        node(&client, name, &json!({}), &[ip]).await?;
    }
    let all = ["10.1.0.1", "10.1.0.2", "10.1.0.30"];
    let record = Record::default();
    let running = Running::start(record.clone(), record.around(client.clone()), true, OFTEN);
    endpoints_have(&client, &all).await?;
    slices_have(&client, &all).await?;
    passes(&running, 1).await?;

    let sent = passes(&running, 4).await?;
    let writes: Vec<&String> = sent.iter().filter(|request| !request.starts_with("GET")).collect();
    assert_eq!(writes, Vec::<&String>::new());
    // A heartbeat causes no write.
    let nodes: Api<Node> = Api::all(client.clone());
    let beat = json!({"status": {"conditions": [{"type": "DiskPressure", "status": "False"}]}});
    nodes.patch_status("a", &PatchParams::default(), &Patch::Strategic(&beat)).await?;
    let sent = passes(&running, 2).await?;
    assert!(sent.iter().all(|request| request.starts_with("GET")), "{sent:?}");

    // Somebody removes fields of the operator, and adds other ones.
    let (params, api) = (PatchParams::default(), Api::<Endpoints>::default_namespaced(client.clone()));
    let patch = json!({"metadata": {"labels": {"k8s-app": null, "foreign": "label"}}, "subsets": []});
    api.patch("kubelet", &params, &Patch::Merge(&patch)).await?;
    let services: Api<Service> = Api::default_namespaced(client.clone());
    let patch = json!({"spec": {"ports": [{"name": "https-metrics", "port": 1}]}});
    services.patch("kubelet", &params, &Patch::Merge(&patch)).await?;
    let slices: Api<EndpointSlice> = Api::default_namespaced(client.clone());
    let name = slices_have(&client, &all).await?.remove(0).metadata.name.context("the slice has no name")?;
    slices.patch(&name, &params, &Patch::Merge(&json!({"endpoints": [], "ports": []}))).await?;
    let endpoints = endpoints_have(&client, &all).await?;
    let labels = endpoints.metadata.labels.unwrap_or_default();
    assert_eq!((labels["k8s-app"].as_str(), labels["foreign"].as_str()), ("kubelet", "label"));
    wait::object(&services, "kubelet", "to have its ports", |service| {
        service.spec.as_ref().and_then(|spec| spec.ports.as_ref()).is_some_and(|ports| ports.len() == 3)
    })
    .await?;
    slices_have(&client, &all).await?;
    wait::until("the ports of all slices", async || {
        let slices = slices_have(&client, &all).await?;
        let is_whole = |slice: &EndpointSlice| slice.ports.as_ref().is_some_and(|ports| ports.len() == 3);
        Ok(holds(slices.iter().all(is_whole), format!("{slices:?}")))
    })
    .await?;
    passes(&running, 1).await?;
    let sent = passes(&running, 2).await?;
    assert!(sent.iter().all(|request| request.starts_with("GET")), "nothing more is written: {sent:?}");
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn the_role_of_the_prometheus_operator_is_sufficient() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    grant(&client).await?;
    node(&client, "a", &json!({}), &["10.1.0.1"]).await?;
    let record = Record::default();
    let restricted = record.impersonate(client.clone(), "operator")?;
    let running = Running::start(record, restricted, true, OFTEN);
    let endpoints = endpoints_have(&client, &["10.1.0.1"]).await?;
    // The operator writes no EndpointSlices here, so the cluster creates them from the Endpoints.
    let labels = endpoints.metadata.labels.unwrap_or_default();
    assert_eq!(labels.get("endpointslice.kubernetes.io/skip-mirror"), None);
    passes(&running, 1).await?;
    let sent = passes(&running, 3).await?;
    assert!(sent.iter().all(|request| request.starts_with("GET")), "{sent:?}");
    assert!(running.has("node_syncs_failed_total{resource=\"endpoints\"} 0")?);
    assert!(!running.has("node_syncs_failed_total{resource=\"endpointslice\"} 0")?);
    // A deleted object is created again with this role too.
    let services: Api<Service> = Api::default_namespaced(client.clone());
    services.delete("kubelet", &DeleteParams::default()).await?;
    wait::object(&services, "kubelet", "to be created again", |_| true).await?;
    running.end().await;
    Ok(())
}

/// The permissions of the Prometheus Operator for kubelets.
async fn grant(client: &Client) -> Result<()> {
    let verbs = ["get", "create", "update", "delete"];
    let rules = json!([
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["services", "endpoints"], "verbs": verbs},
    ]);
    let role = json!({"metadata": {"name": "operator"}, "rules": rules});
    let roles: Api<ClusterRole> = Api::all(client.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role)?).await?;
    let group = "rbac.authorization.k8s.io";
    let binding = json!({
        "metadata": {"name": "operator"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "operator"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": "operator"}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(client.clone());
    bindings.create(&PostParams::default(), &serde_json::from_value(binding)?).await?;
    Ok(())
}
