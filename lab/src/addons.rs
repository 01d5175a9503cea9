//! The DNS and the storage classes of a cluster. Every `up` applies them again.

#![expect(clippy::disallowed_methods, reason = "the lab sets up the cluster itself")]

use std::fmt::Debug;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Service, ServiceAccount};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::clock::wait_for;
use crate::dns;
use crate::layout::Layout;
use crate::provisioner::storage_classes;

const NAMESPACE: &str = "kube-system";

/// Applies everything.
pub async fn apply(client: &Client, layout: &Layout, coredns_version: &str) -> Result<()> {
    for class in storage_classes() {
        apply_one::<StorageClass>(&Api::all(client.clone()), serde_json::to_value(class)?).await?;
    }
    apply_one::<ServiceAccount>(&Api::namespaced(client.clone(), NAMESPACE), service_account()).await?;
    apply_one::<ClusterRole>(&Api::all(client.clone()), cluster_role()).await?;
    apply_one::<ClusterRoleBinding>(&Api::all(client.clone()), cluster_role_binding()).await?;
    apply_one::<ConfigMap>(&Api::namespaced(client.clone(), NAMESPACE), configuration()).await?;
    let replicas = layout.nodes().len().min(2);
    apply_one::<Deployment>(
        &Api::namespaced(client.clone(), NAMESPACE),
        deployment(coredns_version, replicas),
    )
    .await?;
    apply_one::<Service>(&Api::namespaced(client.clone(), NAMESPACE), service(layout)).await
}

async fn apply_one<K>(api: &Api<K>, object: Value) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize,
{
    // Parsed as its type first, so that a misspelt field is an error here instead of being ignored by the API server.
    let typed: K =
        serde_json::from_value(object).with_context(|| format!("the lab's own {}", K::kind(&())))?;
    let mut object = serde_json::to_value(&typed)?;
    object["apiVersion"] = K::api_version(&()).into();
    object["kind"] = K::kind(&()).into();
    let name = typed.name_any();
    api.patch(&name, &PatchParams::apply("lab").force(), &Patch::Apply(object))
        .await
        .with_context(|| format!("applying {} {name}", K::kind(&())))
        .map(drop)
}

/// Waits until every replica of the DNS is ready and the Service responds. The status alone is not enough: after a
/// crash it still describes pods that no longer run.
pub async fn wait_for_dns(client: &Client, layout: &Layout) -> Result<()> {
    let api: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let ready = wait_for(Duration::from_mins(4), || async {
        let deployment = api.get("coredns").await.ok()?;
        let (spec, status) = (deployment.spec?, deployment.status?);
        let current = status.observed_generation == deployment.metadata.generation;
        let there =
            current && status.ready_replicas == spec.replicas && status.updated_replicas == spec.replicas;
        (there && dns::resolves(layout.dns(), "kubernetes.default.svc.cluster.local").await).then_some(())
    });
    ready.await.context("CoreDNS is not ready: see `lab kubectl -n kube-system describe pods`")
}

fn labels() -> Value {
    json!({"k8s-app": "kube-dns"})
}

fn service_account() -> Value {
    json!({"metadata": {"name": "coredns", "namespace": NAMESPACE}})
}

fn cluster_role() -> Value {
    json!({
        "metadata": {"name": "system:coredns"},
        "rules": [
            {"apiGroups": [""], "resources": ["services", "pods", "namespaces"], "verbs": ["list", "watch"]},
            {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]},
        ],
    })
}

fn cluster_role_binding() -> Value {
    json!({
        "metadata": {"name": "system:coredns"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:coredns"},
        "subjects": [{"kind": "ServiceAccount", "name": "coredns", "namespace": NAMESPACE}],
    })
}

/// Names outside the cluster are answered at once with "no such name": there is no DNS server to forward to.
const COREFILE: &str = "\
.:5300 {
    errors
    health :8080
    ready :8181
    prometheus :9153
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 5
    }
    template ANY ANY . {
        rcode NXDOMAIN
    }
    cache 5
}
";

fn configuration() -> Value {
    json!({"metadata": {"name": "coredns", "namespace": NAMESPACE}, "data": {"Corefile": COREFILE}})
}

fn deployment(version: &str, replicas: usize) -> Value {
    // When a node is lost, its DNS pod is replaced after seconds instead of five minutes.
    let evict_soon = |taint: &str| json!({"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5});
    let container = json!({
        "name": "coredns",
        "image": format!("registry.k8s.io/coredns/coredns:v{version}"),
        "args": ["-conf", "/etc/coredns/Corefile"],
        "resources": {"requests": {"cpu": "20m", "memory": "30Mi"}},
        "ports": [
            {"name": "dns", "containerPort": 5300, "protocol": "UDP"},
            {"name": "dns-tcp", "containerPort": 5300, "protocol": "TCP"},
            {"name": "metrics", "containerPort": 9153, "protocol": "TCP"},
        ],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 1},
        "livenessProbe": {"httpGet": {"path": "/health", "port": 8080}, "failureThreshold": 10},
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "runAsNonRoot": true,
            "runAsUser": 65532,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [{"name": "configuration", "mountPath": "/etc/coredns"}],
    });
    json!({
        "metadata": {"name": "coredns", "namespace": NAMESPACE, "labels": labels()},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels()},
            "template": {
                "metadata": {"labels": labels()},
                "spec": {
                    "priorityClassName": "system-cluster-critical",
                    "serviceAccountName": "coredns",
                    "dnsPolicy": "Default",
                    "tolerations": [
                        evict_soon("node.kubernetes.io/not-ready"),
                        evict_soon("node.kubernetes.io/unreachable"),
                    ],
                    "topologySpreadConstraints": [{
                        "maxSkew": 1,
                        "topologyKey": "kubernetes.io/hostname",
                        "whenUnsatisfiable": "ScheduleAnyway",
                        "labelSelector": {"matchLabels": labels()},
                    }],
                    "containers": [container],
                    "volumes": [{"name": "configuration", "configMap": {"name": "coredns"}}],
                },
            },
        },
    })
}

fn service(layout: &Layout) -> Value {
    json!({
        "metadata": {"name": "kube-dns", "namespace": NAMESPACE, "labels": labels()},
        "spec": {
            "clusterIP": layout.dns(),
            "selector": labels(),
            "ports": [
                {"name": "dns", "port": 53, "protocol": "UDP", "targetPort": "dns"},
                {"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": "dns-tcp"},
                {"name": "metrics", "port": 9153, "protocol": "TCP", "targetPort": "metrics"},
            ],
        },
    })
}
