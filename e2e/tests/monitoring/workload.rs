//! A workload and its pods: whether it is settled, and the configuration that its servers show.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use e2e::http;
use e2e::namespace::Namespace;
use e2e::pods::{address, is_ready};
use e2e::wait::{self, Look, holds};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::api::{DeleteParams, ListParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::kind::Kind;
use crate::objects;

/// A workload that the operator manages.
pub(crate) struct Workload<'n> {
    namespace: &'n Namespace,
    kind: &'static Kind,
    name: String,
}

/// UID and restarts of each pod, by name.
pub(crate) type Identities = BTreeMap<String, (String, i32)>;

impl<'n> Workload<'n> {
    /// Creates it with small requests, restricted security, and fast probes.
    pub(crate) async fn create(
        namespace: &'n Namespace,
        kind: &'static Kind,
        name: &str,
        spec: Value,
    ) -> Result<Self> {
        let mut object = json!({
            "resources": {"requests": {"cpu": "20m", "memory": "16Mi"}},
            "securityContext": {
                "runAsNonRoot": true, "runAsUser": 65534, "fsGroup": 65534,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [(kind.fast_probes)()],
        });
        objects::merge(&mut object, spec);
        objects::create(namespace, kind.name, name, object).await?;
        Ok(Self { namespace, kind, name: name.to_owned() })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its kind.
    pub(crate) fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// Its namespace.
    pub(crate) fn namespace(&self) -> &'n Namespace {
        self.namespace
    }

    /// The name of its StatefulSet.
    pub(crate) fn set_name(&self) -> String {
        format!("{}-{}", self.kind.prefix, self.name)
    }

    /// The name of one of its pods.
    pub(crate) fn pod_name(&self, ordinal: usize) -> String {
        format!("{}-{ordinal}", self.set_name())
    }

    /// Its StatefulSet as it is.
    pub(crate) async fn set(&self) -> Result<StatefulSet> {
        Ok(self.namespace.api::<StatefulSet>().get(&self.set_name()).await?)
    }

    /// The labels of its pods.
    pub(crate) fn labels(&self) -> Value {
        json!({"app.kubernetes.io/name": self.kind.label, "app.kubernetes.io/instance": self.name})
    }

    /// Its pods, by name.
    pub(crate) async fn pods(&self) -> Result<Vec<Pod>> {
        let labels =
            format!("app.kubernetes.io/name={},app.kubernetes.io/instance={}", self.kind.label, self.name);
        let mut pods = self.namespace.pods().list(&ListParams::default().labels(&labels)).await?.items;
        pods.sort_by_key(ResourceExt::name_any);
        Ok(pods)
    }

    /// UID and restarts of each pod. They show whether pods were replaced or restarted.
    pub(crate) async fn identities(&self) -> Result<Identities> {
        let identity = |pod: &Pod| {
            let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
            let restarts = statuses.into_iter().flatten().map(|status| status.restart_count).sum();
            (pod.name_any(), (pod.uid().unwrap_or_default(), restarts))
        };
        Ok(self.pods().await?.iter().map(identity).collect())
    }

    /// Changes its spec.
    pub(crate) async fn change(&self, spec: Value) -> Result<()> {
        objects::change(self.namespace, self.kind.name, &self.name, spec).await
    }

    /// Waits until it has this number of pods, all ready and of this version, and its status reports it.
    pub(crate) async fn settled(&self, replicas: usize, version: &str) -> Result<()> {
        let wanted: Vec<String> = (0..replicas).map(|ordinal| self.pod_name(ordinal)).collect();
        let what = format!("{} {} to have {replicas} pods of {version}", self.kind.name, self.name);
        self.namespace
            .until(&what, async || {
                let pods = self.pods().await?;
                let names: Vec<String> = pods.iter().map(ResourceExt::name_any).collect();
                if names != wanted || !pods.iter().all(is_ready) {
                    return Ok(Look::NotYet(format!("pods {names:?}, not all ready")));
                }
                for pod in &pods {
                    let (path, pointer) = self.kind.version;
                    let page = self.get(pod, path).await?;
                    let reported = page.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                    // Debian appends its own version after a plus sign. Tags of images start with a letter.
                    if reported.split('+').next() != Some(version.trim_start_matches('v')) {
                        return Ok(Look::NotYet(format!("{} has version {reported}", pod.name_any())));
                    }
                }
                let resource = objects::get(self.namespace, self.kind.name, &self.name).await?;
                Ok(holds(is_settled(&resource, replicas), resource["status"].to_string()))
            })
            .await
    }

    /// Requests a page of one of its pods.
    pub(crate) async fn get(&self, pod: &Pod, path: &str) -> Result<Value> {
        let response = http::get(address(pod)?, self.kind.port, path).await?;
        ensure!(response.code == 200, "{} responded with {} to {path}", pod.name_any(), response.code);
        serde_json::from_str(&response.body).with_context(|| format!("no JSON at {path}: {}", response.body))
    }

    /// The scrape pools, rule groups and receivers that one of its pods shows.
    pub(crate) async fn entries(&self, pod: &Pod) -> Result<BTreeSet<String>> {
        let mut all = BTreeSet::new();
        for (path, read) in self.kind.pages {
            all.extend(read(&self.get(pod, path).await?));
        }
        Ok(all)
    }

    /// Waits until all of its pods show these scrape pools, rule groups and receivers and no others.
    pub(crate) async fn shows(&self, wanted: &[String]) -> Result<()> {
        let wanted: BTreeSet<String> = wanted.iter().cloned().collect();
        self.namespace
            .until(&format!("every pod of {} to show {wanted:?}", self.name), async || {
                let pods = self.pods().await?;
                for pod in &pods {
                    let entries = self.entries(pod).await?;
                    if entries != wanted {
                        return Ok(Look::NotYet(format!("{}: {entries:?}", pod.name_any())));
                    }
                }
                Ok(holds(!pods.is_empty(), "no pods"))
            })
            .await
    }

    /// Deletes it, and waits until all its objects are deleted.
    pub(crate) async fn delete(self) -> Result<()> {
        let (set, pods) = (self.set().await?, self.pods().await?);
        objects::api(self.namespace, self.kind.name).delete(&self.name, &DeleteParams::default()).await?;
        wait::gone(&self.namespace.api::<StatefulSet>(), &set).await?;
        for pod in &pods {
            wait::gone(&self.namespace.pods(), pod).await?;
        }
        none_owned(self.namespace, &self.namespace.api::<Secret>(), &self.name).await?;
        none_owned(self.namespace, &self.namespace.api::<ConfigMap>(), &self.name).await
    }
}

/// Whether the status is about the current generation, and all replicas are available.
fn is_settled(resource: &Value, replicas: usize) -> bool {
    let status = &resource["status"];
    let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let holds = |kind: &str| {
        conditions.iter().any(|one| {
            one["type"] == kind
                && one["status"] == "True"
                && one["observedGeneration"] == resource["metadata"]["generation"]
        })
    };
    let all =
        ["replicas", "updatedReplicas", "availableReplicas"].iter().all(|field| status[field] == replicas);
    all && status["unavailableReplicas"] == 0 && holds("Available") && holds("Reconciled")
}

/// Waits until no object of a kind is owned by a deleted workload.
async fn none_owned<K>(namespace: &Namespace, api: &Api<K>, owner: &str) -> Result<()>
where
    K: kube::Resource<DynamicType = ()> + Clone + serde::de::DeserializeOwned + std::fmt::Debug,
{
    namespace
        .until(&format!("no objects of {owner}"), async || {
            let all = api.list(&ListParams::default()).await?.items;
            let owned = all.iter().filter(|one| one.owner_references().iter().any(|by| by.name == owner));
            let names: Vec<String> = owned.map(ResourceExt::name_any).collect();
            Ok(holds(names.is_empty(), names.join(", ")))
        })
        .await
}
