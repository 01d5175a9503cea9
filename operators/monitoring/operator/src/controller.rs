//! The stages of a pass, the same for all four workloads. What was read and made in one pass is remembered for the next;
//! losing it costs time and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Applied, Desired, Way, Work, desired};
use kernel::declare::{Declaration, Kind};
use kernel::flow::{Guard, Invalid as Refusal, Operator, Plan, Trouble, Verdict};
use kernel::object::{Kept as _, Key, Object};
use kernel::report::Report;
use kernel::stores::Stores;
use kube::Api;
use kube::api::ListParams;
use monitoring_assets::Reference;
use monitoring_plan::{Child, Invalid, Planned, Remark, Standing, Surroundings};
use monitoring_rules::pack::Files;
use monitoring_status::Reconciliation;
use monitoring_status::reconciliation::Remark as Told;
use monitoring_workload::labels;
use serde_json::Value;

use crate::kinds;
use crate::shared::{Each, Readers, Shared, held, namespaces, resources};
use crate::vault::Vault;
use crate::workload::{Seen, Workload};

/// How often a plan may ask for more before it must be content.
const ROUNDS: usize = 8;

/// The annotation with which a resource names the operator that it is for.
const CONTROLLER_ID: &str = "operator.prometheus.io/controller-id";

/// The operator of one kind of workload.
pub struct WorkloadOperator<W: Workload> {
    shared: Shared,
    readers: Arc<Readers>,
    places: Each<Place<W::Memory>>,
}

/// What is remembered of one workload.
#[derive(Debug, Default)]
struct Place<M> {
    memory: M,
    vault: Vault,
    wanted: BTreeSet<Reference>,
    /// The ConfigMaps with rules, at the versions at which they were read.
    rules: BTreeMap<String, (String, Files)>,
}

/// All that is known of a workload, and what follows from it.
pub struct Inputs {
    /// What follows; nothing, if it is left alone.
    planned: Option<Result<Planned, Invalid>>,
    /// What is there of it.
    seen: Seen,
    /// Objects that are not wanted and stay nevertheless.
    spared: Vec<(Kind, Key)>,
}

/// There is nothing to do outside of Kubernetes.
#[derive(Debug)]
pub enum NoStep {}

impl<W: Workload> WorkloadOperator<W> {
    /// Shares what all operators share, and tells whom changes concern.
    pub fn new(shared: Shared, readers: Arc<Readers>) -> Self {
        Self { shared, readers, places: Each::default() }
    }

    /// What follows from a workload. What it points to is asked for until nothing more is wanted.
    async fn follow(
        &self,
        resource: &W::Resource,
        key: &Key,
        stores: &Stores,
    ) -> Result<(Result<Planned, Invalid>, Vec<(Kind, Key)>), Trouble> {
        let home = self.places.of(key);
        // Taken out, because nobody may hold a lock while he waits: a pass that is dropped loses what it remembered.
        let mut place = std::mem::take(&mut *held(&home));
        let mut standing =
            Standing { rules: self.packing(key, stores, &mut place).await?, ..Standing::default() };
        place.vault.fetch(&place.wanted.clone(), stores, &self.shared.client).await?;
        let (namespaces, resources) = (namespaces(stores), resources(stores));
        let mut outcome = None;
        let mut spared = Vec::new();
        for _ in 0..ROUNDS {
            let objects = place.vault.objects();
            let settings = &self.shared.settings;
            let around = Surroundings {
                operator: &settings.operator,
                offers: settings.offers,
                unmanaged: settings.unmanaged,
                daemon_sets: settings.daemon_sets,
                namespaces: &namespaces,
                objects: &objects,
                resources: &resources,
            };
            let planned = W::plan(resource, &around, &standing, &mut place.memory);
            place.wanted = W::references(&place.memory);
            place.wanted.extend(match &planned {
                Ok(planned) => planned.references.clone(),
                Err(invalid) => invalid.references.clone(),
            });
            let asks_for_more = place.vault.fetch(&place.wanted, stores, &self.shared.client).await?;
            let needs_last = planned.as_ref().is_ok_and(needs_last) && standing.configuration.is_none();
            outcome = Some(planned);
            if needs_last && let Some(last) = self.last(key, stores).await? {
                let name = W::configuration(&key.name).0;
                spared.push((kinds::SECRET, Key::new(&key.namespace, &name)));
                standing.configuration = Some(last.0);
                standing.tls_files = last.1;
                continue;
            }
            if !asks_for_more {
                break;
            }
        }
        place.vault.retain(&place.wanted);
        self.readers.update(key, place.wanted.clone());
        *held(&home) = place;
        let outcome = outcome.ok_or_else(|| Trouble::Outside("nothing was planned".into()))?;
        Ok((outcome, spared))
    }

    /// Which rule file is in which ConfigMap.
    async fn packing(
        &self,
        key: &Key,
        stores: &Stores,
        place: &mut Place<W::Memory>,
    ) -> Result<Vec<Files>, Trouble> {
        let Some(workload) = W::rules(&key.name) else { return Ok(Vec::new()) };
        let mut known = BTreeMap::new();
        let first = workload.name(0);
        for outline in stores.named(kinds::CONFIG_MAP, &key.namespace, first.trim_end_matches('0')) {
            let name = outline.key().name.to_string();
            if workload.index(&name).is_none() || outline.is_deleting() {
                continue;
            }
            let version = outline.identity().version.to_string();
            let remembered = place.rules.remove(&name).filter(|(at, _)| *at == version);
            let files = match remembered {
                Some((_, files)) => Some(files),
                None => self.config_map(&key.namespace, &name).await?.and_then(|map| map.data),
            };
            let files = files.unwrap_or_default();
            known.insert(name, (version, files));
        }
        let map = |(name, (_, files)): (&String, &(String, Files))| {
            let mut map = ConfigMap { data: Some(files.clone()), ..ConfigMap::default() };
            map.metadata.name = Some(name.clone());
            map
        };
        let maps: Vec<ConfigMap> = known.iter().map(map).collect();
        place.rules = known;
        Ok(workload.standing(&maps))
    }

    /// What is in the ConfigMaps that were just written: nobody needs to read them.
    fn remember(&self, key: &Key, inputs: &Inputs, applied: &Applied) {
        let Some(Ok(planned)) = &inputs.planned else { return };
        let home = self.places.of(key);
        let mut place = held(&home);
        for child in &planned.children {
            let Child::ConfigMap(map) = child else { continue };
            let name = map.metadata.name.as_deref().unwrap_or_default();
            if let Some(now) = applied.objects.get(&(kinds::CONFIG_MAP, Key::new(&key.namespace, name))) {
                let files = map.data.clone().unwrap_or_default();
                place.rules.insert(name.to_owned(), (now.identity().version.to_string(), files));
            }
        }
    }

    /// The configuration that was written last, with its certificates; nothing, if there is none.
    async fn last(
        &self,
        key: &Key,
        stores: &Stores,
    ) -> Result<Option<(String, BTreeMap<String, Vec<u8>>)>, Trouble> {
        let (name, file) = W::configuration(&key.name);
        let Some(secret) = self.secret(&key.namespace, &name).await? else { return Ok(None) };
        let bytes = secret.data.unwrap_or_default().remove(file).unwrap_or_default().0;
        let Some(text) = decoded(&bytes) else { return Ok(None) };
        let mut files = BTreeMap::new();
        let prefix = format!("{}-tls-assets-", W::prefix(&key.name));
        for outline in stores.named(kinds::SECRET, &key.namespace, &prefix) {
            let secret = self.secret(&key.namespace, &outline.key().name).await?;
            let data = secret.and_then(|secret| secret.data).unwrap_or_default();
            files.extend(data.into_iter().map(|(name, bytes)| (name, bytes.0)));
        }
        Ok(Some((text, files)))
    }

    async fn config_map(&self, namespace: &str, name: &str) -> Result<Option<ConfigMap>, Trouble> {
        let api: Api<ConfigMap> = Api::namespaced(self.shared.client.clone(), namespace);
        let failed = |error: kube::Error| {
            Trouble::Outside(format!("ConfigMap {namespace}/{name} cannot be read: {error}"))
        };
        api.get_opt(name).await.map_err(failed)
    }

    async fn secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, Trouble> {
        let api: Api<Secret> = Api::namespaced(self.shared.client.clone(), namespace);
        let failed = |error: kube::Error| {
            Trouble::Outside(format!("Secret {namespace}/{name} cannot be read: {error}"))
        };
        api.get_opt(name).await.map_err(failed)
    }

    /// What is there of a workload.
    async fn see(&self, resource: &W::Resource, key: &Key, stores: &Stores) -> Result<Seen, Trouble> {
        let uid = W::metadata(resource).uid.as_deref().unwrap_or_default();
        let mut sets = BTreeMap::new();
        for object in stores.owned_by(kinds::STATEFUL_SET, &key.namespace, uid) {
            if let Ok(set) = object.read::<StatefulSet>() {
                sets.insert(object.key().name.to_string(), set);
            }
        }
        let pods = if stores.is_known(kinds::POD, &key.namespace) {
            let all = stores.named(kinds::POD, &key.namespace, "");
            let ours = all
                .iter()
                .filter(|pod| pod.labels().get(labels::INSTANCE).is_some_and(|name| *name == *key.name));
            ours.filter_map(|pod| pod.read::<Pod>().ok()).collect()
        } else {
            let api: Api<Pod> = Api::namespaced(self.shared.client.clone(), &key.namespace);
            let selector =
                format!("{}={},{}={}", labels::APPLICATION, W::APPLICATION, labels::INSTANCE, key.name);
            let listed = api.list(&ListParams::default().labels(&selector)).await;
            listed.map_err(|error| Trouble::Outside(format!("pods cannot be listed: {error}")))?.items
        };
        Ok(Seen { sets, pods })
    }
}

/// Whether a plan would be another one if it knew what was written last.
fn needs_last(planned: &Planned) -> bool {
    let needs = |remark: &Remark| matches!(remark, Remark::Absent { .. } | Remark::Unmanaged);
    planned.remarks.iter().any(needs)
}

/// A text, compressed or not.
fn decoded(bytes: &[u8]) -> Option<String> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let mut text = String::new();
    MultiGzDecoder::new(bytes).read_to_string(&mut text).ok().map(|_| text)
}

impl<W: Workload> Operator for WorkloadOperator<W> {
    type Resource = W::Resource;
    type Inputs = Inputs;
    type Valid = ();
    type Step = NoStep;
    type Course = ();

    fn declaration(&self) -> &'static Declaration {
        W::DECLARATION
    }

    fn is_ours(&self, resource: &Object) -> bool {
        let value = resource.value();
        let named = value["metadata"]["annotations"][CONTROLLER_ID].as_str().unwrap_or_default();
        named == self.shared.settings.controller_id
    }

    async fn gather(
        &self,
        resource: &W::Resource,
        stores: &Stores,
        _now: Timestamp,
    ) -> Result<Inputs, Trouble> {
        let metadata = W::metadata(resource);
        let key = Key::of(metadata);
        self.places.retain(|key| stores.get(W::DECLARATION.primary, key).is_some());
        let seen = self.see(resource, &key, stores).await?;
        if W::is_paused(resource) || metadata.deletion_timestamp.is_some() {
            return Ok(Inputs { planned: None, seen, spared: Vec::new() });
        }
        let (planned, spared) = self.follow(resource, &key, stores).await?;
        Ok(Inputs { planned: Some(planned), seen, spared })
    }

    fn validate(&self, _resource: &W::Resource, inputs: &Inputs) -> Result<(), Refusal> {
        match &inputs.planned {
            Some(Err(invalid)) => {
                Err(Refusal { reason: "ReconciliationFailed", message: invalid.message.clone() })
            }
            Some(Ok(_)) | None => Ok(()),
        }
    }

    fn plan(&self, _valid: &(), inputs: &Inputs, _now: Timestamp) -> Plan<Self> {
        let work = match &inputs.planned {
            Some(Ok(planned)) => work(planned, &inputs.spared),
            Some(Err(_)) | None => Work::default(),
        };
        Plan { work, step: None, guard: Guard::Leave, look_again: None, course: () }
    }

    async fn perform(&self, step: &NoStep) -> Result<(), Trouble> {
        match *step {}
    }

    fn report(&self, resource: &W::Resource, verdict: &Verdict<'_, Self>, now: Timestamp) -> Report {
        let now = Time(now);
        let (seen, last) = match verdict {
            Verdict::Blind(trouble) => {
                // Nothing is known of its pods: what was said of them last stays.
                let status = not_reconciled(W::status(resource), &trouble.words());
                return Report { status, notes: Vec::new() };
            }
            Verdict::Invalid(inputs, invalid) => {
                (inputs.seen.clone(), Reconciliation::Failed(invalid.message.clone()))
            }
            Verdict::Done { inputs, applied, trouble, .. } => {
                self.remember(&Key::of(W::metadata(resource)), inputs, applied);
                let last = trouble
                    .map_or_else(|| done::<W>(inputs), |trouble| Reconciliation::Failed(trouble.words()));
                (inputs.seen.clone().with(applied), last)
            }
        };
        Report { status: with_empty_texts(W::report(resource, &seen, &last, &now)), notes: Vec::new() }
    }
}

/// The last status, but that the last pass did not come to its end.
fn not_reconciled(mut status: Value, words: &str) -> Value {
    for condition in status["conditions"].as_array_mut().into_iter().flatten() {
        if condition["type"] == "Reconciled" {
            condition["status"] = "False".into();
            condition["reason"] = "ReconciliationFailed".into();
            condition["message"] = words.into();
        }
    }
    with_empty_texts(status)
}

/// A status as the Prometheus Operator writes it: conditions say also that they have nothing to say.
fn with_empty_texts(mut status: Value) -> Value {
    for condition in status["conditions"].as_array_mut().into_iter().flatten() {
        for text in ["reason", "message"] {
            if condition[text].is_null() {
                condition[text] = "".into();
            }
        }
    }
    status
}

/// What is told about a pass that went well.
fn done<W: Workload>(inputs: &Inputs) -> Reconciliation {
    let Some(Ok(planned)) = &inputs.planned else { return Reconciliation::Done(None) };
    let remark = planned.remarks.iter().find_map(|remark| match remark {
        Remark::NothingSelected => W::SELECTS.map(Told::NothingSelected),
        Remark::Unmanaged => Some(Told::Unmanaged),
        Remark::LeftOut(_) | Remark::LongName { .. } | Remark::Kept { .. } | Remark::Absent { .. } => None,
    });
    Reconciliation::Done(remark)
}

/// Objects in waves: pods come after what they mount.
fn work(planned: &Planned, spared: &[(Kind, Key)]) -> Work {
    let is_pods = |child: &&Child| matches!(child, Child::StatefulSet(_) | Child::DaemonSet(_));
    let (pods, others): (Vec<&Child>, Vec<&Child>) = planned.children.iter().partition(is_pods);
    let wave = |children: Vec<&Child>| children.into_iter().map(wanted).collect();
    Work { waves: vec![wave(others), wave(pods)], prune: true, spared: spared.to_vec(), ..Work::default() }
}

fn wanted(child: &Child) -> Desired {
    let mut desired = match child {
        Child::ConfigMap(object) => desired(object, Way::Replace),
        Child::Secret(object) => desired(object, Way::Replace),
        Child::Service(object) => desired(&**object, Way::Replace),
        Child::StatefulSet(object) => desired(&**object, Way::Replace),
        Child::DaemonSet(object) => desired(&**object, Way::Replace),
    };
    // The hash of the Prometheus Operator stays where it is and is made nowhere: we compare the objects themselves.
    if let Some(annotations) = desired.object["metadata"]["annotations"].as_object_mut() {
        annotations.retain(|name, value| name != labels::INPUT_HASH || value.as_str() != Some(""));
    }
    desired
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_known_is_not_said_anew() {
        let condition = |type_: &str, status: &str, reason: &str, message: &str| json!({"type": type_, "status": status, "reason": reason, "message": message});
        let before = json!({"replicas": 2, "conditions": [
            condition("Available", "True", "", ""),
            condition("Reconciled", "True", "", ""),
        ]});
        let after = json!({"replicas": 2, "conditions": [
            condition("Available", "True", "", ""),
            condition("Reconciled", "False", "ReconciliationFailed", "no answer"),
        ]});
        assert_eq!(not_reconciled(before, "no answer"), after);
    }
}
