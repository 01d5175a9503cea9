//! What passes and controllers share.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use kernel::object::{Key, Object};
use kernel::stores::Stores;
use kube::Client;
use monitoring_assets::Reference;
use monitoring_plan::Resources;
use monitoring_select::Namespaces;

use crate::kinds;
use crate::metrics::Monitored;
use crate::settings::Settings;

/// What all four operators share. Cheap to clone.
#[derive(Clone)]
pub struct Shared {
    /// The way to the server.
    pub client: Client,
    /// What the flags say.
    pub settings: Arc<Settings>,
    /// What is counted, if somebody counts.
    pub monitored: Option<Arc<Monitored>>,
}

/// Who points to which Secrets and ConfigMaps.
#[derive(Debug, Default)]
pub struct Readers {
    of: RwLock<Index>,
}

#[derive(Debug, Default)]
struct Index {
    /// What each workload reads.
    reads: HashMap<Key, BTreeSet<Reference>>,
    /// Who reads it.
    readers: HashMap<Reference, BTreeSet<Key>>,
}

impl Readers {
    /// What a workload reads from now on.
    pub(crate) fn update(&self, workload: &Key, reads: BTreeSet<Reference>) {
        let mut index = self.of.write().unwrap_or_else(PoisonError::into_inner);
        if index.reads.get(workload) == Some(&reads) {
            return;
        }
        for reference in index.reads.remove(workload).unwrap_or_default() {
            if let Some(readers) = index.readers.get_mut(&reference) {
                readers.remove(workload);
                if readers.is_empty() {
                    index.readers.remove(&reference);
                }
            }
        }
        for reference in &reads {
            index.readers.entry(reference.clone()).or_default().insert(workload.clone());
        }
        if !reads.is_empty() {
            index.reads.insert(workload.clone(), reads);
        }
    }

    /// Who reads an object.
    pub(crate) fn of(&self, reference: &Reference) -> Vec<Key> {
        let index = self.of.read().unwrap_or_else(PoisonError::into_inner);
        index.readers.get(reference).into_iter().flatten().cloned().collect()
    }
}

/// Something for each workload, made when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Each<T>(Mutex<HashMap<Key, Arc<Mutex<T>>>>);

impl<T: Default> Each<T> {
    /// That of a workload.
    pub(crate) fn of(&self, workload: &Key) -> Arc<Mutex<T>> {
        Arc::clone(held(&self.0).entry(workload.clone()).or_default())
    }

    /// Forgets those of workloads that are gone.
    pub(crate) fn retain(&self, is_there: impl Fn(&Key, &Mutex<T>) -> bool) {
        held(&self.0).retain(|key, one| is_there(key, one));
    }
}

/// A lock that a panic does not break.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything that workloads can select.
pub(crate) fn resources(stores: &Stores) -> Resources {
    Resources {
        service_monitors: stores.all(kinds::SERVICE_MONITOR),
        pod_monitors: stores.all(kinds::POD_MONITOR),
        probes: stores.all(kinds::PROBE),
        scrape_configs: stores.all(kinds::SCRAPE_CONFIG),
        rules: stores.all(kinds::RULE),
        alertmanager_configs: stores.all(kinds::ALERTMANAGER_CONFIG),
    }
}

/// The labels of all namespaces.
pub(crate) fn namespaces(stores: &Stores) -> Namespaces {
    let all = stores.all(kinds::NAMESPACE);
    let pair = |(name, value): &(Box<str>, Box<str>)| (name.to_string(), value.to_string());
    let labels = |namespace: &Object| namespace.labels().iter().map(pair).collect();
    all.iter().map(|namespace| (namespace.key().name.to_string(), labels(namespace))).collect()
}
