//! Caches all objects with one watch for each kind over all namespaces, so that waiting plans cost the API server nothing. It
//! may lag a little, so a change that seems complete is verified with a list.

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
    /// The objects.
    state: State,
    /// Every pod that ever existed.
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

    /// Starts caching the objects of a namespace.
    pub fn track(&self, namespace: &str) {
        self.known().entry(namespace.into()).or_default();
    }

    /// Whether a test passes for the objects that were seen last in a namespace.
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

    /// Stops caching the objects of a namespace.
    pub fn forget(&self, namespace: &str) {
        self.known().remove(namespace);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn see(&self, kind: &str, object: DynamicObject, exists: bool) {
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let name = object.metadata.name.clone().unwrap_or_default();
        if is_of_namespace(kind, &name) {
            return;
        }
        let name = Name { kind: kind.into(), name };
        let value = serde_json::to_value(object).unwrap_or_default();
        let mut known = self.known();
        // Events that come after `forget` are about the deletion of the namespace.
        let Some(seen) = known.get_mut(&namespace) else { return };
        if kind == "pods" {
            seen.pods.see(&value, exists);
        }
        if exists {
            seen.state.0.insert(name, value);
        } else {
            seen.state.0.remove(&name);
        }
    }

    /// Removes the objects of a kind that a new list does not contain: the events of their deletion were missed.
    fn keep_only(&self, kind: &str, listed: &BTreeSet<(String, String)>) {
        for (namespace, Seen { state, pods }) in self.known().iter_mut() {
            state.0.retain(|name, object| {
                let exists = name.kind != kind || listed.contains(&(namespace.clone(), name.name.clone()));
                if !exists && kind == "pods" {
                    pods.see(object, false);
                }
                exists
            });
        }
    }
}

/// The declared kinds that are namespaced.
pub(crate) fn in_namespaces(declaration: &Declaration) -> impl Iterator<Item = Kind> {
    declaration.kinds().filter(|kind| kind.scope == Scope::Namespaces)
}

/// Whether an object is one that Kubernetes creates in every namespace.
pub(crate) fn is_of_namespace(kind: &str, name: &str) -> bool {
    kind == "configmaps" && name == "kube-root-ca.crt"
}

async fn follow(observer: Observer, client: Client, kind: Kind) {
    let api: Api<DynamicObject> = Api::all_with(client, &kind.resource());
    let name = kind_name(kind);
    let events = watcher(api, watcher::Config::default()).default_backoff();
    let mut events = std::pin::pin!(events);
    let mut listed = BTreeSet::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(watcher::Event::Init) => listed.clear(),
            Ok(watcher::Event::InitApply(object)) => {
                let [namespace, object_name] = [&object.metadata.namespace, &object.metadata.name]
                    .map(|text| text.clone().unwrap_or_default());
                listed.insert((namespace, object_name));
                observer.see(&name, object, true);
            }
            Ok(watcher::Event::InitDone) => observer.keep_only(&name, &listed),
            Ok(watcher::Event::Apply(object)) => observer.see(&name, object, true),
            Ok(watcher::Event::Delete(object)) => observer.see(&name, object, false),
            // The watcher retries.
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_that_a_new_list_does_not_contain_are_removed() {
        let observer = Observer::default();
        observer.track("n");
        for name in ["a", "b"] {
            let pod = json!({
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {"namespace": "n", "name": name, "uid": name},
            });
            observer.see("pods", serde_json::from_value(pod).unwrap(), true);
        }
        observer.keep_only("pods", &[("n".to_owned(), "a".to_owned())].into());
        assert!(observer.sees("n", |state| state.of_kind("pods").count() == 1));
        assert_eq!(observer.pods("n").existing(), ["a"].into());
    }
}
