//! A workload with its pods: whether it is settled, and what its servers say that they do.

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

/// A workload under the care of the operator.
pub(crate) struct Workload<'n> {
    namespace: &'n Namespace,
    kind: &'static Kind,
    name: String,
}

/// Unique id and restarts of each pod.
pub(crate) type Lives = BTreeMap<String, (String, i32)>;

impl<'n> Workload<'n> {
    /// Creates it: small, confined, and quick to start.
    pub(crate) async fn create(
        namespace: &'n Namespace,
        kind: &'static Kind,
        name: &str,
        spec: Value,
    ) -> Result<Self> {
        let mut whole = json!({
            "resources": {"requests": {"cpu": "20m", "memory": "16Mi"}},
            "securityContext": {
                "runAsNonRoot": true, "runAsUser": 65534, "fsGroup": 65534,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [(kind.haste)()],
        });
        objects::merge(&mut whole, spec);
        objects::create(namespace, kind.name, name, whole).await?;
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

    /// Where it is.
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

    /// Shows whether pods were replaced or restarted.
    pub(crate) async fn lives(&self) -> Result<Lives> {
        let life = |pod: &Pod| {
            let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
            let restarts = statuses.into_iter().flatten().map(|status| status.restart_count).sum();
            (pod.name_any(), (pod.uid().unwrap_or_default(), restarts))
        };
        Ok(self.pods().await?.iter().map(life).collect())
    }

    /// Changes its spec.
    pub(crate) async fn change(&self, spec: Value) -> Result<()> {
        objects::change(self.namespace, self.kind.name, &self.name, spec).await
    }

    /// Waits until it has so many pods, all ready and of this version, and says so in its status.
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
                    let said = self.ask(pod, path).await?;
                    let said = said.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                    // Debian marks its own builds after a plus sign; tags of images begin with a letter.
                    if said.split('+').next() != Some(version.trim_start_matches('v')) {
                        return Ok(Look::NotYet(format!("{} is {said}", pod.name_any())));
                    }
                }
                let resource = objects::get(self.namespace, self.kind.name, &self.name).await?;
                Ok(holds(is_settled(&resource, replicas), resource["status"].to_string()))
            })
            .await
    }

    /// Asks one of its pods.
    pub(crate) async fn ask(&self, pod: &Pod, path: &str) -> Result<Value> {
        let answer = http::get(address(pod)?, self.kind.port, path).await?;
        ensure!(answer.code == 200, "{} answered {} to {path}", pod.name_any(), answer.code);
        serde_json::from_str(&answer.body).with_context(|| format!("no JSON at {path}: {}", answer.body))
    }

    /// What one of its pods says that it does.
    pub(crate) async fn work(&self, pod: &Pod) -> Result<BTreeSet<String>> {
        let mut all = BTreeSet::new();
        for (path, read) in self.kind.work {
            all.extend(read(&self.ask(pod, path).await?));
        }
        Ok(all)
    }

    /// Waits until all of its pods say that they do this and nothing else.
    pub(crate) async fn works_on(&self, wanted: &[String]) -> Result<()> {
        let wanted: BTreeSet<String> = wanted.iter().cloned().collect();
        self.namespace
            .until(&format!("every pod of {} to do {wanted:?}", self.name), async || {
                let pods = self.pods().await?;
                for pod in &pods {
                    let work = self.work(pod).await?;
                    if work != wanted {
                        return Ok(Look::NotYet(format!("{}: {work:?}", pod.name_any())));
                    }
                }
                Ok(holds(!pods.is_empty(), "no pods"))
            })
            .await
    }

    /// Deletes it, and waits until nothing of it is left.
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

/// Whether the status speaks of the present spec, and all is well.
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

/// Waits until nothing of a kind belongs to a workload that is gone.
async fn none_owned<K>(namespace: &Namespace, api: &Api<K>, owner: &str) -> Result<()>
where
    K: kube::Resource<DynamicType = ()> + Clone + serde::de::DeserializeOwned + std::fmt::Debug,
{
    namespace
        .until(&format!("nothing to belong to {owner}"), async || {
            let all = api.list(&ListParams::default()).await?.items;
            let owned = all.iter().filter(|one| one.owner_references().iter().any(|by| by.name == owner));
            let names: Vec<String> = owned.map(ResourceExt::name_any).collect();
            Ok(holds(names.is_empty(), names.join(", ")))
        })
        .await
}
