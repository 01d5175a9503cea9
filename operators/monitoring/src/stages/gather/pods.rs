//! What is there of a workload, and what its pods answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::{Key, Object};
use kernel::stores::Stores;
use kube::Api;
use kube::api::{DynamicObject, ListParams};

use super::Inputs;
use crate::kind::{Facts, Seen, Workload};
use crate::kinds;
use crate::load::{self, Said};
use crate::loaded::ask::Reloaded;
use crate::loaded::doubt::Taken;
use crate::memory::Memory;
use crate::refused::{Hearing, up_to_date};
use crate::stages::WorkloadOperator;
use crate::workload::labels;

impl<W: Workload> WorkloadOperator<W> {
    /// What is there of a workload.
    pub(super) async fn see(&self, uid: &str, key: &Key, stores: &Stores) -> Result<Seen, PassError> {
        let mut sets = BTreeMap::new();
        for object in stores.owned_by(kinds::STATEFUL_SET, &key.namespace, uid) {
            if let Ok(set) = object.read::<StatefulSet>() {
                sets.insert(object.key().name.to_string(), set);
            }
        }
        let daemons = stores.owned_by(kinds::DAEMON_SET, &key.namespace, uid);
        let daemon_set = daemons.iter().find_map(|object| object.read::<DaemonSet>().ok());
        let known = if stores.is_known(kinds::POD, &key.namespace) {
            labelled::<W>(kinds::POD, key, stores)
        } else {
            self.list_pods(key, stores).await?
        };
        let pods = known.iter().filter_map(|pod| pod.read::<Pod>().ok()).collect();
        let claims = labelled::<W>(kinds::CLAIM, key, stores);
        let claims = claims.iter().filter_map(|claim| claim.read::<PersistentVolumeClaim>().ok()).collect();
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

    /// Asks the pods what they run, and those that refuse it for their reason.
    pub(super) async fn ask_pods(
        &self,
        facts: &Facts<'_>,
        inputs: &mut Inputs,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Result<(), PassError> {
        let key = inputs.key.clone();
        if inputs.seen.pods.is_empty() {
            return Ok(());
        }
        inputs.may_patch_pods = memory.patching.ask(&self.client, &key, now).await;
        if memory.loading.is_new() {
            inputs.last_written = self.last_written(&key).await?;
        }
        memory.loading.ask(&inputs.seen.pods, facts.tls, &self.asker, now).await;
        let pods = up_to_date(&inputs.seen, memory.program.as_ref());
        let heard = match memory.loading.taken(&pods) {
            None => None,
            Some((content, Said::Accepted)) => Some((content, Taken::Accepted)),
            Some((content, Said::Refused(pod, words))) => {
                let is_worth_it = memory.doubt.is_searching() || memory.doubt.is_new(&content);
                let text = if is_worth_it { self.reason(facts, pod, words).await } else { None };
                text.map(|text| (content, Taken::Refused(text)))
            }
        };
        let is_running = inputs.seen.pods.iter().any(|pod| load::seen(pod).ready_since.is_some());
        inputs.heard = heard.map(|(content, taken)| Hearing { content, taken, is_running });
        Ok(())
    }

    /// What the operand says about what it refuses. It may quote secrets.
    async fn reason(&self, facts: &Facts<'_>, pod: &Pod, words: String) -> Option<String> {
        if let Some(last) = load::last_words(pod) {
            return Some(last);
        }
        let Some(address) = load::at(pod, facts.port, facts.tls) else { return Some(words) };
        match self.asker.reload(address, &facts.reload_path()).await {
            Ok(Reloaded::Refused(text)) => Some(text),
            // It accepts it by now: the next look tells.
            Ok(Reloaded::Taken) => None,
            Ok(Reloaded::Other(_)) | Err(_) => Some(words),
        }
    }
}

/// Objects of a namespace with the labels of a workload's pods.
fn labelled<W: Workload>(kind: Kind, key: &Key, stores: &Stores) -> Vec<Arc<Object>> {
    let mut all = stores.named(kind, &key.namespace, "");
    all.retain(|object| {
        object.label(labels::INSTANCE) == Some(&*key.name)
            && object.label(labels::APPLICATION) == Some(W::NAMING.application)
    });
    all
}
