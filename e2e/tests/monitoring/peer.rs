//! The Prometheus Operator in the lab, built from its module, and Mainstay instead of it: the same Deployment, flags and role
//! with another image.

use anyhow::{Context, Result};
use e2e::http;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::wait::{self, Look};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Pod, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

/// The image of the Prometheus Operator.
pub(crate) const PEER: &str = "quay.io/prometheus-operator/prometheus-operator:v0.93.1";
/// The image of Mainstay, as users get it.
pub(crate) const OURS: &str = concat!("mainstay.dev/mainstay:", env!("CARGO_PKG_VERSION"));
/// The controller ID of the resources, so that no other operator of this cluster manages them.
pub(crate) const ID: &str = "takeover";

const NAME: &str = "prometheus-operator";

/// The Deployment whose image is swapped.
pub(crate) struct PeerDeployment<'n> {
    namespace: &'n Namespace,
    lab: Lab,
    role: String,
}

impl<'n> PeerDeployment<'n> {
    /// Installs the Prometheus Operator for one namespace, with the permissions that it needs and no others.
    pub(crate) async fn install(lab: &Lab, namespace: &'n Namespace) -> Result<Self> {
        let role = format!("{}-{NAME}", namespace.name());
        let operator = Self { namespace, lab: lab.clone(), role };
        operator.allow().await?;
        let deployment = deployment(namespace.name());
        namespace.add::<Deployment>(&serde_json::from_value(deployment)?).await?;
        Ok(operator)
    }

    async fn allow(&self) -> Result<()> {
        let (name, client) = (&self.role, self.lab.client());
        let account = json!({"metadata": {"name": NAME}});
        self.namespace.add::<ServiceAccount>(&serde_json::from_value(account)?).await?;
        let role = json!({"metadata": {"name": name}, "rules": rules()});
        let roles: Api<ClusterRole> = Api::all(client.clone());
        roles.create(&PostParams::default(), &serde_json::from_value(role)?).await?;
        let binding = json!({
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": self.namespace.name()}],
        });
        let bindings: Api<ClusterRoleBinding> = Api::all(client);
        bindings.create(&PostParams::default(), &serde_json::from_value(binding)?).await?;
        Ok(())
    }

    /// Changes the image and the strategy of the Deployment.
    pub(crate) async fn swap(&self, image: &str, strategy: &str) -> Result<()> {
        let patch = json!({"spec": {
            "strategy": {"type": strategy, "rollingUpdate": null},
            "template": {"spec": {"containers": [{"name": NAME, "image": image}]}},
        }});
        let deployments: Api<Deployment> = self.namespace.api();
        deployments.patch(NAME, &PatchParams::default(), &Patch::Strategic(patch)).await?;
        self.reconciled(image).await
    }

    /// Waits until only a pod with this image runs, and each of its controllers has reconciled something.
    pub(crate) async fn reconciled(&self, image: &str) -> Result<()> {
        let pods = self.namespace.pods();
        self.namespace
            .until(&format!("{image} to have reconciled all kinds"), async || {
                let all = pods.list(&ListParams::default().labels("app=prometheus-operator")).await?.items;
                let [pod] = all.as_slice() else { return Ok(Look::NotYet(format!("{} pods", all.len()))) };
                let container = pod.spec.as_ref().and_then(|spec| spec.containers.first());
                if container.and_then(|container| container.image.as_deref()) != Some(image) {
                    return Ok(Look::NotYet("another image".into()));
                }
                let Some(address) = pod.status.as_ref().and_then(|status| status.pod_ip.clone()) else {
                    return Ok(Look::NotYet("no address".into()));
                };
                let Ok(page) = http::get(&address, 8080, "/metrics").await else {
                    return Ok(Look::NotYet("no metrics".into()));
                };
                Ok(all_reconciled(&page.body))
            })
            .await
    }

    /// Its user name in the audit log.
    pub(crate) fn user(&self) -> String {
        format!("system:serviceaccount:{}:{NAME}", self.namespace.name())
    }

    /// Removes its permissions.
    pub(crate) async fn remove(self) -> Result<()> {
        let (client, none) = (self.lab.client(), DeleteParams::default());
        Api::<ClusterRoleBinding>::all(client.clone()).delete(&self.role, &none).await?;
        Api::<ClusterRole>::all(client).delete(&self.role, &none).await?;
        Ok(())
    }
}

/// Annotates all pods so that the kubelets sync them now. Neither operator has the permission to do so here.
pub(crate) async fn touch(namespace: &Namespace) -> Result<()> {
    let pods = namespace.pods();
    for pod in workload_pods(namespace).await? {
        let patch =
            json!({"metadata": {"annotations": {"e2e.mainstay.dev/touched": pod.resource_version()}}});
        pods.patch_metadata(&pod.name_any(), &PatchParams::default(), &Patch::Merge(&patch)).await?;
    }
    Ok(())
}

/// Whether every controller has reconciled something.
fn all_reconciled(page: &str) -> Look<()> {
    for controller in ["prometheus", "prometheus-agent", "alertmanager", "thanos"] {
        let label = format!("controller=\"{controller}\"");
        let sum = |name: &str| -> f64 {
            let lines = page.lines().filter(|line| line.starts_with(name) && line.contains(&label));
            lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
        };
        let passes = sum("prometheus_operator_reconcile_operations_total{");
        if passes < 1.0 {
            return Look::NotYet(format!("{controller}: {passes} passes"));
        }
    }
    Look::Found(())
}

fn rules() -> Value {
    let rule = |groups: &[&str], resources: &[&str], verbs: &[&str]| json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
    let kinds = ["alertmanagers", "prometheuses", "prometheusagents", "thanosrulers"];
    let workloads: Vec<String> = kinds
        .iter()
        .flat_map(|kind| [(*kind).to_owned(), format!("{kind}/finalizers"), format!("{kind}/status")])
        .collect();
    let workloads: Vec<&str> = workloads.iter().map(String::as_str).collect();
    let selected = [
        "alertmanagerconfigs",
        "scrapeconfigs",
        "scrapeconfigs/status",
        "servicemonitors",
        "servicemonitors/status",
        "podmonitors",
        "podmonitors/status",
        "probes",
        "probes/status",
        "prometheusrules",
        "prometheusrules/status",
    ];
    json!([
        rule(&["monitoring.coreos.com"], &workloads, &["*"]),
        rule(&["monitoring.coreos.com"], &selected, &["*"]),
        rule(&["apps"], &["statefulsets"], &["*"]),
        rule(&[""], &["configmaps", "secrets"], &["*"]),
        rule(&[""], &["pods"], &["list", "delete"]),
        rule(&[""], &["services", "services/finalizers"], &["get", "create", "update", "delete"]),
        rule(&[""], &["nodes"], &["list", "watch"]),
        rule(&[""], &["namespaces"], &["get", "list", "watch"]),
        rule(&["events.k8s.io"], &["events"], &["patch", "create"]),
        rule(&["networking.k8s.io"], &["ingresses"], &["get", "list", "watch"]),
        rule(&["storage.k8s.io"], &["storageclasses"], &["get"]),
        rule(&[""], &["endpoints"], &["get", "create", "update", "delete"]),
    ])
}

fn deployment(namespace: &str) -> Value {
    let labels = json!({"app": NAME});
    let reloader =
        "--prometheus-config-reloader=quay.io/prometheus-operator/prometheus-config-reloader:v0.93.1";
    let container = json!({
        "name": NAME, "image": PEER, "imagePullPolicy": "Always",
        "args": [reloader, format!("--namespaces={namespace}"), format!("--controller-id={ID}")],
        "ports": [{"name": "http", "containerPort": 8080}],
        "resources": {"requests": {"cpu": "10m"}, "limits": {"memory": "200Mi"}},
        "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}},
    });
    json!({
        "metadata": {"name": NAME},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "serviceAccountName": NAME,
                "securityContext": {"runAsNonRoot": true, "runAsUser": 65534, "seccompProfile": {"type": "RuntimeDefault"}},
                "terminationGracePeriodSeconds": 5,
                "containers": [container],
            }},
        },
    })
}

/// Waits until a pod is ready.
pub(crate) async fn ready(namespace: &Namespace, pod: &str) -> Result<Pod> {
    wait::object(&namespace.pods(), pod, "to be ready", e2e::pods::is_ready)
        .await
        .with_context(|| format!("pod {} of {}", pod, namespace.name()))
}

/// The pods of all workloads, by name.
pub(crate) async fn workload_pods(namespace: &Namespace) -> Result<Vec<Pod>> {
    let labels = ListParams::default().labels("app.kubernetes.io/managed-by=prometheus-operator");
    let mut pods = namespace.pods().list(&labels).await?.items;
    pods.sort_by_key(ResourceExt::name_any);
    Ok(pods)
}
