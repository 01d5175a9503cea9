//! Sees what is there without asking: one watch a kind over all namespaces, so that plans that wait cost the server
//! nothing. It may lag a little, so the server is asked once more when a change seems to be complete.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use kernel::declare::{Declaration, Kind, Scope};
use kube::api::DynamicObject;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use tokio::task::JoinSet;

use crate::pods::Pods;
use crate::scenario::kind_name;
use crate::state::{Name, State};

/// What was seen last, by namespace. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Observer(Arc<Mutex<HashMap<String, Seen>>>);

/// What was seen in one namespace.
#[derive(Debug, Default)]
struct Seen {
    /// What is there.
    state: State,
    /// Every pod that was ever there.
    pods: Pods,
}

impl Observer {
    /// Watches the kinds of declarations, each once, until the tasks are dropped.
    pub fn watch(&self, client: &Client, declarations: &[&Declaration], tasks: &mut JoinSet<()>) {
        let kinds: BTreeSet<Kind> =
            declarations.iter().flat_map(|declaration| in_namespaces(declaration)).collect();
        for kind in kinds {
            tasks.spawn(follow(self.clone(), client.clone(), kind));
        }
    }

    /// From now on a namespace is looked at.
    pub fn mind(&self, namespace: &str) {
        self.known().entry(namespace.into()).or_default();
    }

    /// Whether something holds of what was seen last in a namespace.
    pub fn sees(&self, namespace: &str, test: impl FnOnce(&State) -> bool) -> bool {
        match self.known().get(namespace) {
            Some(seen) => test(&seen.state),
            None => test(&State::default()),
        }
    }

    /// Every pod that was ever seen in a namespace.
    pub fn pods(&self, namespace: &str) -> Pods {
        self.known().get(namespace).map(|seen| seen.pods.clone()).unwrap_or_default()
    }

    /// Forgets a namespace.
    pub fn forget(&self, namespace: &str) {
        self.known().remove(namespace);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn see(&self, kind: &str, object: DynamicObject, there: bool) {
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let name = object.metadata.name.clone().unwrap_or_default();
        if is_of_namespace(kind, &name) {
            return;
        }
        let name = Name { kind: kind.into(), name };
        let value = serde_json::to_value(object).unwrap_or_default();
        let mut known = self.known();
        // What is said of a namespace after it was forgotten is about its end.
        let Some(seen) = known.get_mut(&namespace) else { return };
        if kind == "pods" {
            seen.pods.see(&value, there);
        }
        if there {
            seen.state.0.insert(name, value);
        } else {
            seen.state.0.remove(&name);
        }
    }
}

/// The declared kinds whose objects live in namespaces.
pub(crate) fn in_namespaces(declaration: &Declaration) -> impl Iterator<Item = Kind> {
    declaration.kinds().filter(|kind| kind.scope == Scope::Namespaces)
}

/// What every namespace has.
pub(crate) fn is_of_namespace(kind: &str, name: &str) -> bool {
    kind == "configmaps" && name == "kube-root-ca.crt"
}

async fn follow(observer: Observer, client: Client, kind: Kind) {
    let api: Api<DynamicObject> = Api::all_with(client, &kind.resource());
    let name = kind_name(kind);
    let events = watcher(api, watcher::Config::default()).default_backoff();
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        match event {
            Ok(watcher::Event::Apply(object) | watcher::Event::InitApply(object)) => {
                observer.see(&name, object, true);
            }
            Ok(watcher::Event::Delete(object)) => observer.see(&name, object, false),
            Ok(watcher::Event::Init | watcher::Event::InitDone) | Err(_) => {}
        }
    }
}
