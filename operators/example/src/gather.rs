//! What is known of an application: its objects, its instances, and during an upgrade what the instance that takes the
//! writes says about itself. The only stage that reads.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Secret, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::{Key, Object, Unreadable};
use kernel::stores::Stores;
use serde::de::DeserializeOwned;

use crate::adopt::Frame;
use crate::names;

/// The kinds that are looked at.
pub(crate) const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();
pub(crate) const POD: Kind = Kind::of::<Pod>();
pub(crate) const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
pub(crate) const SECRET: Kind = Kind::of::<Secret>();
pub(crate) const CONFIG_MAP: Kind = Kind::of::<ConfigMap>();
pub(crate) const SERVICE: Kind = Kind::of::<Service>();
pub(crate) const BUDGET: Kind = Kind::of::<PodDisruptionBudget>();
pub(crate) const JOB: Kind = Kind::of::<Job>();

/// Who may use the application.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The user.
    pub username: String,
    /// Its password.
    pub password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(…)")
    }
}

/// Where writes stand at the instance that takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// They pass.
    Open,
    /// They wait.
    Held,
    /// They wait for a restart, because the data were migrated.
    Moved,
    /// The instance does not answer.
    Silent,
}

/// An object that is there.
#[derive(Debug, Clone)]
pub struct Found<K> {
    /// What it says.
    pub object: K,
    /// Whether it is ours: nobody else's, and not nobody's. One that lost its owner and has our label still is.
    pub ours: bool,
}

/// A Job of ours and why its pods failed, as they said last.
#[derive(Debug, Clone)]
pub struct Work {
    /// The Job.
    pub job: Job,
    /// The last words of a pod that failed.
    pub last_words: Option<String>,
}

/// All that is known.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// What everything hangs on.
    pub frame: Frame,
    /// The instances' owner.
    pub set: Option<Found<StatefulSet>>,
    /// The instances.
    pub pods: Vec<Pod>,
    /// Their volumes.
    pub claims: Vec<PersistentVolumeClaim>,
    /// The same as they are kept, to be deleted.
    pub claim_objects: Vec<Arc<Object>>,
    /// The Service that clients use.
    pub service: Option<Found<Service>>,
    /// The features as they were written last.
    pub features: Option<ConfigMap>,
    /// The credentials that are there, or new ones.
    pub credentials: Credentials,
    /// The Jobs of an upgrade.
    pub jobs: Vec<Work>,
    /// Where writes stand; asked only during an upgrade.
    pub gate: Gate,
}

impl Inputs {
    /// What is known of an application of which nothing is there yet.
    pub(crate) fn of_nothing(name: &str, credentials: Credentials) -> Self {
        Self {
            frame: Frame::ours(name),
            set: None,
            pods: Vec::new(),
            claims: Vec::new(),
            claim_objects: Vec::new(),
            service: None,
            features: None,
            credentials,
            jobs: Vec::new(),
            gate: Gate::Open,
        }
    }
}

/// A look at the stores.
pub(crate) struct Look<'a> {
    stores: &'a Stores,
    namespace: &'a str,
    uid: &'a str,
}

impl<'a> Look<'a> {
    pub(crate) fn new(stores: &'a Stores, namespace: &'a str, uid: &'a str) -> Self {
        Self { stores, namespace, uid }
    }

    pub(crate) fn get<K: DeserializeOwned>(
        &self,
        kind: Kind,
        name: &str,
    ) -> Result<Option<Found<K>>, PassError> {
        let Some(object) = self.stores.get(kind, &Key::new(self.namespace, name)) else { return Ok(None) };
        let ours = match object.controller() {
            Some(owner) => &*owner.uid == self.uid,
            None => object.value()["metadata"]["labels"][names::MANAGED_BY] == names::MANAGER,
        };
        Ok(Some(Found { object: read(&object)?, ours }))
    }

    pub(crate) fn owned<K: DeserializeOwned>(&self, kind: Kind, uid: &str) -> Result<Vec<K>, PassError> {
        self.stores.owned_by(kind, self.namespace, uid).iter().map(|object| read(object)).collect()
    }

    /// The instances: pods of the set with the application's name, also when the set itself is gone or being made anew.
    pub(crate) fn pods(&self, app: &str, frame: &Frame) -> Result<Vec<Pod>, PassError> {
        let prefix = format!("{app}-");
        let mut pods = Vec::new();
        for object in self.stores.named(POD, self.namespace, &prefix) {
            let is_instance = object.key().name[prefix.len()..].parse::<u32>().is_ok();
            let of_the_set = object.controller().map(|owner| owner.is_a(STATEFUL_SET) && &*owner.name == app);
            if !is_instance || of_the_set == Some(false) {
                continue;
            }
            let pod: Pod = read(&object)?;
            let labels = pod.metadata.labels.clone().unwrap_or_default();
            if of_the_set == Some(true)
                || frame.selector.iter().all(|(name, value)| labels.get(name) == Some(value))
            {
                pods.push(pod);
            }
        }
        Ok(pods)
    }

    /// The volumes of the instances, by their number: also of those that are not there any more.
    pub(crate) fn claims(&self, app: &str, claim: &str) -> Vec<Arc<Object>> {
        let prefix = format!("{claim}-{app}-");
        let mut named = self.stores.named(CLAIM, self.namespace, &prefix);
        named.retain(|object| {
            object.key().name.strip_prefix(&prefix).is_some_and(|number| number.parse::<u32>().is_ok())
        });
        named
    }

    pub(crate) fn jobs(&self) -> Result<Vec<Work>, PassError> {
        let mut all = Vec::new();
        for job in self.owned::<Job>(JOB, self.uid)? {
            let pods: Vec<Pod> = match job.metadata.uid.as_deref() {
                Some(uid) => self.owned(POD, uid)?,
                None => Vec::new(),
            };
            all.push(Work { job, last_words: pods.iter().rev().find_map(last_words) });
        }
        Ok(all)
    }
}

pub(crate) fn read<K: DeserializeOwned>(object: &Object) -> Result<K, PassError> {
    object.read().map_err(|error: Unreadable| PassError::outside(error.to_string(), error.source))
}

fn last_words(pod: &Pod) -> Option<String> {
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    let ended = statuses.iter().find_map(|status| status.state.as_ref()?.terminated.as_ref())?;
    let message = ended.message.as_deref()?.trim();
    (ended.exit_code != 0 && !message.is_empty()).then(|| message.to_owned())
}

/// The credentials in a Secret, if it has any.
pub(crate) fn credentials(secret: &Secret) -> Option<Credentials> {
    let text = |name: &str| {
        let bytes = &secret.data.as_ref()?.get(name)?.0;
        String::from_utf8(bytes.clone()).ok().filter(|text| !text.is_empty())
    };
    Some(Credentials { username: text("username")?, password: text("password")? })
}

/// New credentials.
pub(crate) fn new_credentials() -> Credentials {
    use rand::distr::{Alphanumeric, SampleString};
    let password = Alphanumeric.sample_string(&mut rand::rng(), 32);
    Credentials { username: "admin".into(), password }
}

/// The frame of an application: the one that was remembered, else the one of a set that was there before us, else ours.
pub(crate) fn frame(app: &api_example::ExampleApp, name: &str, set: Option<&Found<StatefulSet>>) -> Frame {
    if let Some(adopted) = app.status.as_ref().and_then(|status| status.adopted.as_ref()) {
        return Frame::remembered(name, adopted);
    }
    let is_foreign = |set: &Found<StatefulSet>| {
        let annotations = set.object.metadata.annotations.as_ref();
        !set.ours || annotations.is_some_and(|annotations| annotations.contains_key(names::ADOPTED))
    };
    match set.filter(|set| is_foreign(set)) {
        Some(set) => Frame::found(name, &set.object),
        None => Frame::ours(name),
    }
}

#[cfg(test)]
mod tests {
    use kernel::store::Event;
    use kernel::stores::Namespaces;
    use serde_json::{Value, json};

    use super::*;

    fn is_ours(owners: &Value, labels: &Value) -> bool {
        let secret = json!({"metadata": {
            "name": "a", "namespace": "n", "uid": "2", "resourceVersion": "1", "labels": labels, "ownerReferences": owners,
        }});
        let object = Object::new(serde_json::from_value(secret).unwrap(), &SECRET.resource());
        let stores = Stores::new(&[&crate::DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
        stores.partition(SECRET, "n").unwrap().write().see(Event::Applied(object));
        let found: Option<Found<Secret>> = Look::new(&stores, "n", "1").get(SECRET, "a").unwrap();
        found.unwrap().ours
    }

    #[test]
    fn what_lost_its_owner_is_ours_by_its_label() {
        let owner = |uid: &str| json!([{"apiVersion": "v1", "kind": "X", "name": "x", "uid": uid, "controller": true}]);
        let (ours, bare) = (json!({"app.kubernetes.io/managed-by": "mainstay"}), json!({"a": "b"}));
        assert!(is_ours(&owner("1"), &bare));
        assert!(!is_ours(&owner("3"), &ours), "somebody else's, whatever its label says");
        assert!(is_ours(&json!([]), &ours));
        assert!(!is_ours(&json!([]), &bare), "it was there before us");
    }
}
