//! The objects of a workload in the cluster, and the answers of its pods.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::{Key, Object};
use kernel::stores::Stores;
use kube::Api;
use kube::api::{DynamicObject, ListParams};

use super::Inputs;
use crate::interest::has_labels;
use crate::kind::{Facts, Seen, Workload};
use crate::kinds;
use crate::loaded::pod::{ObservedPod, address};
use crate::memory::Memory;
use crate::rejections::tracker::LoadResult;
use crate::rejections::{Response, up_to_date};
use crate::stages::WorkloadOperator;
use crate::workload::labels;

impl<W: Workload> WorkloadOperator<W> {
    /// The objects of a workload in the cluster.
    pub(super) async fn see(&self, uid: &str, key: &Key, stores: &Stores) -> Result<Seen, PassError> {
        let sets = stores.owned_by(kinds::STATEFUL_SET, &key.namespace, uid);
        let sets = sets.iter().filter_map(|object| object.read::<StatefulSet>().ok());
        let sets: BTreeMap<String, StatefulSet> =
            sets.map(|set| (set.metadata.name.clone().unwrap_or_default(), set)).collect();
        let daemons = stores.owned_by(kinds::DAEMON_SET, &key.namespace, uid);
        let daemon_set = daemons.iter().find_map(|object| object.read::<DaemonSet>().ok());
        let known = if stores.is_known(kinds::POD, &key.namespace) {
            labelled::<W>(kinds::POD, key, stores)
        } else {
            self.list_pods(key, stores).await?
        };
        let pods = known.iter().filter_map(|pod| pod.read().ok()).collect();
        let claims = labelled::<W>(kinds::CLAIM, key, stores);
        let claims = claims.iter().filter_map(|claim| claim.read().ok()).collect();
        Ok(Seen { sets, daemon_set, pods, known, claims })
    }

    async fn list_pods(&self, key: &Key, stores: &Stores) -> Result<Vec<Arc<Object>>, PassError> {
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), &key.namespace, &kinds::POD.resource());
        let selector =
            format!("{}={},{}={}", labels::APPLICATION, W::NAMING.application, labels::INSTANCE, key.name);
        let listed = api.list(&ListParams::default().labels(&selector)).await;
        let listed = listed.map_err(|error| PassError::outside("pods cannot be listed", error))?;
        Ok(listed.items.into_iter().map(|pod| Arc::new(stores.keep(kinds::POD, pod))).collect())
    }

    /// Asks the pods which content they run, and one that rejects it for its error.
    pub(super) async fn ask_pods(
        &self,
        facts: &Facts<'_>,
        inputs: &mut Inputs,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Result<(), PassError> {
        if inputs.seen.pods.is_empty() {
            return Ok(());
        }
        inputs.may_patch_pods = memory.patching.ask(&self.client, &inputs.key, now).await;
        if memory.loading.is_new() {
            inputs.last_written = self.last_written(&inputs.key).await?;
        }
        memory.loading.ask(&inputs.seen.pods, facts.tls, &self.asker, now).await;
        inputs.response = self.response(facts, &inputs.seen, memory).await;
        Ok(())
    }

    /// How the pods that run the planned program respond to the written content; none, if it is not known yet.
    async fn response(&self, facts: &Facts<'_>, seen: &Seen, memory: &Memory) -> Option<Response> {
        let content = memory.loading.content()?;
        let pods = up_to_date(seen, memory.program.as_ref());
        let result = if let Some((pod, message)) = memory.loading.rejection(&pods) {
            let needs_error = memory.rejections.is_searching() || memory.rejections.should_search(content);
            let error = if needs_error { self.error(facts, pod, message).await } else { None };
            LoadResult::Rejected(error?)
        } else if memory.loading.is_accepted(&pods) {
            LoadResult::Accepted
        } else {
            return None;
        };
        let is_running = seen.pods.iter().any(|pod| ObservedPod::of(pod).ready_since.is_some());
        Some(Response { content: content.clone(), result, is_running })
    }

    /// The error of the operand in a pod that rejects the written content. It may quote secrets.
    async fn error(&self, facts: &Facts<'_>, pod: &Pod, message: &str) -> Option<String> {
        if let Some(terminated) = ObservedPod::of(pod).terminated {
            return Some(terminated.log);
        }
        let Some(address) = address(pod, facts.port, facts.tls) else { return Some(message.to_owned()) };
        match self.asker.reload(address, &facts.reload_path()).await {
            Some(LoadResult::Rejected(error)) => Some(error),
            // It has accepted the content meanwhile: the next pass notices it.
            Some(LoadResult::Accepted) => None,
            None => Some(message.to_owned()),
        }
    }
}

/// Objects of a namespace with the labels of a workload's pods.
fn labelled<W: Workload>(kind: Kind, key: &Key, stores: &Stores) -> Vec<Arc<Object>> {
    let mut all = stores.named(kind, &key.namespace, "");
    all.retain(|object| has_labels::<W>(object, key));
    all
}
