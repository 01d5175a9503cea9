//! What is known about an application: its objects, its instances, and during an upgrade whether the first instance holds
//! writes. The only stage that reads.

use std::sync::Arc;

use api_example::ExampleApp;
use capability::rollout::ordinal;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Secret, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kernel::declare::Kind;
use kernel::flow::{Cluster, PassError};
use kernel::object::{Key, Object};
use kernel::stores::Stores;
use serde::de::DeserializeOwned;

use crate::adopt::ObjectNames;
use crate::names;
use crate::upgrade::JobState;

/// The kinds that are read.
pub(crate) const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();
pub(crate) const POD: Kind = Kind::of::<Pod>();
pub(crate) const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
pub(crate) const SECRET: Kind = Kind::of::<Secret>();
pub(crate) const CONFIG_MAP: Kind = Kind::of::<ConfigMap>();
pub(crate) const SERVICE: Kind = Kind::of::<Service>();
pub(crate) const BUDGET: Kind = Kind::of::<PodDisruptionBudget>();
pub(crate) const JOB: Kind = Kind::of::<Job>();

/// The credentials of an application.
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

/// What the first instance, which receives the writes, does with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// It accepts them.
    Open,
    /// It holds them.
    Held,
    /// It holds them until it restarts, because the data were migrated.
    Moved,
    /// It does not respond.
    Unknown,
}

/// An object that exists.
#[derive(Debug, Clone)]
pub struct Existing<K> {
    /// The object.
    pub object: K,
    /// Whether it is ours: we own it, or it has no owner and our label.
    pub is_ours: bool,
}

/// Objects that others create, typed and as they are cached.
#[derive(Debug, Clone)]
pub struct Listed<K> {
    /// Typed.
    pub items: Vec<K>,
    /// As they are cached, to be deleted.
    pub objects: Vec<Arc<Object>>,
}

impl<K: DeserializeOwned> Listed<K> {
    fn read(objects: Vec<Arc<Object>>) -> Result<Self, PassError> {
        Ok(Self { items: objects.iter().map(|object| read(object)).collect::<Result<_, _>>()?, objects })
    }
}

/// A Job of ours.
#[derive(Debug, Clone)]
pub struct MigrationJob {
    /// The Job.
    pub job: Job,
    /// The last message of one of its pods, if it failed.
    pub last_message: Option<String>,
}

impl MigrationJob {
    /// Its state. A Job that is being deleted counts as running.
    pub fn state(&self) -> JobState {
        let status = self.job.status.as_ref().filter(|_| self.job.metadata.deletion_timestamp.is_none());
        let conditions = status.and_then(|status| status.conditions.as_deref()).unwrap_or_default();
        let is_true = |kind: &str| conditions.iter().find(|one| one.type_ == kind && one.status == "True");
        match (is_true("Complete"), is_true("Failed")) {
            (Some(_), _) => JobState::Done,
            (None, Some(failed)) => {
                let message = self.last_message.clone().or_else(|| failed.message.clone());
                JobState::Failed(message.unwrap_or_default())
            }
            (None, None) => JobState::Running,
        }
    }
}

/// Everything that is known about an application.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The names of its objects.
    pub names: ObjectNames,
    /// The `StatefulSet` of the instances.
    pub set: Option<Existing<StatefulSet>>,
    /// The instances.
    pub pods: Listed<Pod>,
    /// Their volumes.
    pub claims: Listed<PersistentVolumeClaim>,
    /// The Service that clients use.
    pub service: Option<Existing<Service>>,
    /// The features as they were last written.
    pub features: Option<ConfigMap>,
    /// The existing credentials, or new ones.
    pub credentials: Credentials,
    /// The Jobs of an upgrade.
    pub jobs: Vec<MigrationJob>,
    /// What the first instance does with writes; only known during an upgrade.
    pub writes: Writes,
}

impl Inputs {
    /// What is known about an application without any objects.
    pub(crate) fn empty(app: &str, credentials: Credentials) -> Self {
        Self {
            names: ObjectNames::ours(app),
            set: None,
            pods: Listed { items: Vec::new(), objects: Vec::new() },
            claims: Listed { items: Vec::new(), objects: Vec::new() },
            service: None,
            features: None,
            credentials,
            jobs: Vec::new(),
            writes: Writes::Open,
        }
    }

    /// Reads the objects of an application from the caches.
    pub(crate) fn read(app: &ExampleApp, cluster: Cluster<'_>) -> Result<Self, PassError> {
        let uid = app.metadata.uid.as_deref().unwrap_or_default();
        let lookup = Lookup { stores: cluster.stores, app: cluster.key, uid };
        let name = &*cluster.key.name;
        let set = lookup.get(STATEFUL_SET, name)?;
        let names = object_names(app, name, set.as_ref());
        let secret: Option<Existing<Secret>> = lookup.get(SECRET, &names.secret)?;
        let features: Option<Existing<ConfigMap>> = lookup.get(CONFIG_MAP, &names.features)?;
        Ok(Self {
            set,
            pods: lookup.pods(&names)?,
            claims: lookup.claims(&names)?,
            service: lookup.get(SERVICE, name)?,
            features: features.map(|features| features.object),
            credentials: secret
                .and_then(|secret| credentials(&secret.object))
                .unwrap_or_else(new_credentials),
            jobs: lookup.jobs()?,
            writes: Writes::Open,
            names,
        })
    }

    /// The Job with this name.
    pub(crate) fn job(&self, name: &str) -> Option<&MigrationJob> {
        self.jobs.iter().find(|job| job.job.metadata.name.as_deref() == Some(name))
    }
}

/// Finds the objects of one application in the caches.
struct Lookup<'a> {
    stores: &'a Stores,
    app: &'a Key,
    uid: &'a str,
}

impl Lookup<'_> {
    fn get<K: DeserializeOwned>(&self, kind: Kind, name: &str) -> Result<Option<Existing<K>>, PassError> {
        let Some(object) = self.stores.get(kind, &Key::new(&self.app.namespace, name)) else {
            return Ok(None);
        };
        let is_ours = match object.controller() {
            Some(owner) => &*owner.uid == self.uid,
            None => object.label(names::MANAGED_BY) == Some(names::MANAGER),
        };
        Ok(Some(Existing { object: read(&object)?, is_ours }))
    }

    /// The instances: pods of the `StatefulSet` with the application's name, even if it is deleted or created again.
    fn pods(&self, names: &ObjectNames) -> Result<Listed<Pod>, PassError> {
        let Key { namespace, name } = self.app;
        let mut pods = self.stores.named(POD, namespace, &format!("{name}-"));
        pods.retain(|pod| {
            let is_owned = match pod.controller() {
                Some(owner) => owner.is_a(STATEFUL_SET) && *owner.name == **name,
                None => names.selector.iter().all(|(label, value)| pod.label(label) == Some(value.as_str())),
            };
            is_owned && ordinal(&pod.key().name, name).is_some()
        });
        Listed::read(pods)
    }

    /// The volumes of the instances, including instances that no longer exist.
    fn claims(&self, names: &ObjectNames) -> Result<Listed<PersistentVolumeClaim>, PassError> {
        let prefix = format!("{}-{}", names.claim, self.app.name);
        let mut claims = self.stores.named(CLAIM, &self.app.namespace, &prefix);
        claims.retain(|claim| ordinal(&claim.key().name, &prefix).is_some());
        Listed::read(claims)
    }

    fn jobs(&self) -> Result<Vec<MigrationJob>, PassError> {
        let mut all = Vec::new();
        for object in self.stores.owned_by(JOB, &self.app.namespace, self.uid) {
            let pods = self.stores.owned_by(POD, &self.app.namespace, object.uid());
            let pods: Listed<Pod> = Listed::read(pods)?;
            let last_message = pods.items.iter().rev().find_map(last_message);
            all.push(MigrationJob { job: read(&object)?, last_message });
        }
        Ok(all)
    }
}

fn read<K: DeserializeOwned>(object: &Object) -> Result<K, PassError> {
    object.read().map_err(|error| PassError::outside(error.to_string(), error.source))
}

fn last_message(pod: &Pod) -> Option<String> {
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    let ended = statuses.iter().find_map(|status| status.state.as_ref()?.terminated.as_ref())?;
    let message = ended.message.as_deref()?.trim();
    (ended.exit_code != 0 && !message.is_empty()).then(|| message.to_owned())
}

/// The credentials in a Secret, if it has any.
fn credentials(secret: &Secret) -> Option<Credentials> {
    let text = |name: &str| {
        let bytes = &secret.data.as_ref()?.get(name)?.0;
        String::from_utf8(bytes.clone()).ok().filter(|text| !text.is_empty())
    };
    Some(Credentials { username: text("username")?, password: text("password")? })
}

fn new_credentials() -> Credentials {
    use rand::distr::{Alphanumeric, SampleString};
    let password = Alphanumeric.sample_string(&mut rand::rng(), 32);
    Credentials { username: "admin".into(), password }
}

/// The names of the objects of an application: those in the status, else those of an adopted `StatefulSet`, else ours.
fn object_names(app: &ExampleApp, name: &str, set: Option<&Existing<StatefulSet>>) -> ObjectNames {
    if let Some(adopted) = app.status.as_ref().and_then(|status| status.adopted.as_ref()) {
        return ObjectNames::recorded(name, adopted);
    }
    let is_adopted = |set: &&Existing<StatefulSet>| {
        let annotations = set.object.metadata.annotations.as_ref();
        !set.is_ours || annotations.is_some_and(|annotations| annotations.contains_key(names::ADOPTED))
    };
    set.filter(is_adopted)
        .map_or_else(|| ObjectNames::ours(name), |set| ObjectNames::found(name, &set.object))
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
        let lookup = Lookup { stores: &stores, app: &Key::new("n", "a"), uid: "1" };
        let existing: Option<Existing<Secret>> = lookup.get(SECRET, "a").unwrap();
        existing.unwrap().is_ours
    }

    #[test]
    fn an_object_without_an_owner_is_ours_if_it_has_our_label() {
        let owner = |uid: &str| json!([{"apiVersion": "v1", "kind": "X", "name": "x", "uid": uid, "controller": true}]);
        let (ours, bare) = (json!({"app.kubernetes.io/managed-by": "mainstay"}), json!({"a": "b"}));
        assert!(is_ours(&owner("1"), &bare));
        assert!(!is_ours(&owner("3"), &ours), "it has another owner, and the label does not matter");
        assert!(is_ours(&json!([]), &ours));
        assert!(!is_ours(&json!([]), &bare), "it existed before the operator");
    }
}
