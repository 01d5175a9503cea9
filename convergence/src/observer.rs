//! Sees what is there without asking: one watch a kind over all namespaces, so that plans that wait cost the server
//! nothing. It may lag a little; whoever thinks that a change is over asks the server once more.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use kernel::declare::{Declaration, Kind, Scope};
use kube::api::DynamicObject;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use tokio::task::JoinSet;

use crate::scenario::kind_name;
use crate::state::{Name, State};

/// What was seen last, by namespace. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Observer(Arc<Mutex<HashMap<String, State>>>);

impl Observer {
    /// Watches the kinds of declarations, each once, until the tasks are dropped.
    pub fn watch(&self, client: &Client, declarations: &[&Declaration], tasks: &mut JoinSet<()>) {
        let kinds: BTreeSet<Kind> =
            declarations.iter().flat_map(|declaration| in_namespaces(declaration)).collect();
        for kind in kinds {
            tasks.spawn(follow(self.clone(), client.clone(), kind));
        }
    }

    /// Whether something holds of what was seen last in a namespace.
    pub fn sees(&self, namespace: &str, test: impl FnOnce(&State) -> bool) -> bool {
        test(self.known().get(namespace).unwrap_or(&State::default()))
    }

    /// Forgets a namespace.
    pub fn forget(&self, namespace: &str) {
        self.known().remove(namespace);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn see(&self, kind: &str, object: DynamicObject, there: bool) {
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let name = object.metadata.name.clone().unwrap_or_default();
        if is_of_namespace(kind, &name) {
            return;
        }
        let name = Name { kind: kind.into(), name };
        let mut known = self.known();
        if there {
            let value = serde_json::to_value(object).unwrap_or_default();
            known.entry(namespace).or_default().0.insert(name, value);
        } else if let Some(state) = known.get_mut(&namespace) {
            state.0.remove(&name);
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
