//! What passes and controllers share.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::plan::Resources;
use kernel::flow::PassError;
use kernel::object::{Key, Object};
use kernel::stores::Stores;
use kube::api::DynamicObject;
use kube::{Api, Client};
use monitoring_assets::Reference;
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

    /// Forgets those of workloads that are gone. What somebody holds stays: he will put something into it.
    pub(crate) fn retain(&self, is_there: impl Fn(&Key, &Mutex<T>) -> bool) {
        held(&self.0).retain(|key, one| Arc::strong_count(one) > 1 || is_there(key, one));
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

/// Whether an AlertmanagerConfig that a workload names is not among those that are watched: then it is asked for.
pub(crate) fn is_asked_for(namespace: &str, named: Option<&str>, stores: &Stores) -> bool {
    named.is_some() && stores.partition(kinds::ALERTMANAGER_CONFIG, namespace).is_none()
}

/// The same with the AlertmanagerConfig that a workload names beside it, wherever others are looked for.
pub(crate) async fn with_named(
    mut resources: Resources,
    (namespace, named): (&str, Option<&str>),
    stores: &Stores,
    client: &Client,
) -> Result<Resources, PassError> {
    let Some(name) = named.filter(|_| is_asked_for(namespace, named, stores)) else { return Ok(resources) };
    let kind = kinds::ALERTMANAGER_CONFIG;
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind.resource());
    let found = api.get_opt(name).await.map_err(|error| {
        PassError::Outside(format!("AlertmanagerConfig {namespace}/{name} cannot be read: {error}"))
    })?;
    if let Some(found) = found {
        resources.alertmanager_configs.put(Arc::new(stores.keep(kind, found)));
    }
    Ok(resources)
}

/// The labels of all namespaces.
pub(crate) fn namespaces(stores: &Stores) -> Namespaces {
    let all = stores.all(kinds::NAMESPACE);
    let pair = |(name, value): &(Box<str>, Box<str>)| (name.to_string(), value.to_string());
    let labels = |namespace: &Object| namespace.labels().iter().map(pair).collect();
    all.iter().map(|namespace| (namespace.key().name.to_string(), labels(namespace))).collect()
}

#[cfg(test)]
mod tests {
    use http::{Request, Response};
    use kernel::stores::{Namespaces as Places, Scopes};
    use kube::client::Body;
    use serde_json::json;
    use tower::BoxError;

    use super::*;
    use crate::OfAlertmanager;
    use crate::kind::Workload;

    /// A server that has one AlertmanagerConfig, `monitoring/global`.
    fn client() -> Client {
        let service = tower::service_fn(|request: Request<Body>| {
            let path =
                "/apis/monitoring.coreos.com/v1alpha1/namespaces/monitoring/alertmanagerconfigs/global";
            let (code, body) = if request.uri().path() == path {
                (
                    200,
                    json!({"metadata": {"namespace": "monitoring", "name": "global", "resourceVersion": "1"}}),
                )
            } else {
                (404, json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"}))
            };
            let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
            std::future::ready(answer.map_err(BoxError::from))
        });
        Client::new(service, "default")
    }

    async fn found(named: Option<&str>, looks_into: &str) -> Vec<String> {
        let scopes = Scopes {
            some: [(kinds::ALERTMANAGER_CONFIG, Places::Only(vec![looks_into.into()]))].into(),
            ..Places::AllBut(Vec::new()).into()
        };
        let stores = Stores::new(&[OfAlertmanager::DECLARATION], "test", &scopes);
        let around = with_named(resources(&stores), ("monitoring", named), &stores, &client()).await.unwrap();
        around.alertmanager_configs.iter().map(|one| one.key().to_string()).collect()
    }

    #[test]
    fn what_somebody_holds_is_not_forgotten() {
        let (each, key) = (Each::<u8>::default(), Key::new("a", "b"));
        let mine = each.of(&key);
        each.retain(|_, _| false);
        *held(&mine) = 7;
        drop(mine);
        assert_eq!(*held(&each.of(&key)), 7);
        each.retain(|_, _| false);
        assert_eq!(*held(&each.of(&key)), 0);
    }

    #[tokio::test]
    async fn the_base_of_an_alertmanager_is_found_also_where_nobody_looks_for_others() {
        assert_eq!(found(Some("global"), "a").await, ["monitoring/global"]);
        let nothing = Vec::<String>::new();
        assert_eq!(found(Some("other"), "a").await, nothing);
        assert_eq!(found(None, "a").await, nothing);
        // The watch tells of it.
        assert_eq!(found(Some("global"), "monitoring").await, nothing);
    }
}
