//! What pods need and others make: a storage class, a Service that a user brings. Without them no pods are made, and what
//! is there stays; the configuration is written all the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::storage::v1::StorageClass;
use kernel::clock;
use kernel::object::{Key, Object};
use kernel::stores::Stores;
use kube::{Api, Client};

use crate::kinds;
use crate::shared::held;

/// How long something that was there is taken to be there.
const STILL: Duration = Duration::from_mins(1);

/// What was there a short while ago.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    seen: Mutex<HashMap<String, Instant>>,
    /// Whether volumes of a class can grow, as far as that is known.
    growing: Mutex<BTreeMap<String, bool>>,
}

/// What a workload needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// The class of its volumes.
    pub storage_class: Option<String>,
    /// A Service that must select its pods.
    pub service: Option<String>,
    /// The labels of its pods.
    pub labels: BTreeMap<String, String>,
}

impl Outside {
    /// What is missing, in words; nothing, if all is there or we may not look.
    pub(crate) async fn missing(
        &self,
        needs: &Needs,
        namespace: &str,
        stores: &Stores,
        client: &Client,
    ) -> Option<String> {
        if let Some(class) = &needs.storage_class
            && let Some(words) = self.storage_class(class, client).await
        {
            return Some(words);
        }
        match &needs.service {
            Some(service) => self.service(&Key::new(namespace, service), &needs.labels, stores, client).await,
            None => None,
        }
    }

    /// Finds out whether volumes of these classes can grow. What cannot be found out stays unknown.
    pub(crate) async fn learn(&self, classes: &BTreeSet<String>, client: &Client) {
        for class in classes {
            if let Some(words) = self.storage_class(class, client).await {
                tracing::debug!("it is not known whether volumes can grow: {words}");
            }
        }
    }

    async fn storage_class(&self, class: &str, client: &Client) -> Option<String> {
        if self.was_seen(class) {
            return None;
        }
        match Api::<StorageClass>::all(client.clone()).get_opt(class).await {
            Ok(Some(found)) => {
                let grows = found.allow_volume_expansion.unwrap_or_default();
                held(&self.growing).insert(class.to_owned(), grows);
                self.saw(class);
            }
            Ok(None) => return Some(format!("storage class {class:?} does not exist")),
            // Who may not look does not know better.
            Err(kube::Error::Api(status)) if status.code == 403 => self.saw(class),
            Err(error) => return Some(format!("cannot get {class:?} storageclass: {error}")),
        }
        None
    }

    async fn service(
        &self,
        key: &Key,
        labels: &BTreeMap<String, String>,
        stores: &Stores,
        client: &Client,
    ) -> Option<String> {
        let found = if stores.is_known(kinds::SERVICE, &key.namespace) {
            let known = stores.get(kinds::SERVICE, key);
            known.as_deref().and_then(|known: &Object| known.read::<Service>().ok())
        } else {
            match Api::<Service>::namespaced(client.clone(), &key.namespace).get_opt(&key.name).await {
                Ok(found) => found,
                Err(error) => return Some(format!("failed to get custom governing service {key}: {error}")),
            }
        };
        let Some(service) = found else {
            return Some(format!(
                "failed to get custom governing service {key}: services \"{}\" not found",
                key.name
            ));
        };
        let selector = service.spec.and_then(|spec| spec.selector).unwrap_or_default();
        let selects = selector.iter().all(|(name, value)| labels.get(name) == Some(value));
        (!selects).then(|| {
            format!(
                "custom governing service {key} with selector {:?} does not select pods with labels {:?}",
                written(&selector),
                written(labels)
            )
        })
    }

    /// Whether volumes of classes can grow, as far as that is known.
    pub(crate) fn growing(&self) -> BTreeMap<String, bool> {
        held(&self.growing).clone()
    }

    fn was_seen(&self, name: &str) -> bool {
        held(&self.seen).get(name).is_some_and(|when| clock::now().duration_since(*when) < STILL)
    }

    fn saw(&self, name: &str) {
        held(&self.seen).insert(name.to_owned(), clock::now());
    }
}

fn written(labels: &BTreeMap<String, String>) -> String {
    labels.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use kube::client::Body;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn it_is_found_out_once_in_a_while_whether_volumes_can_grow() {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let diary = Arc::clone(&asked);
        let server = tower::service_fn(move |request: http::Request<Body>| {
            let name = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
            let class = |grows: Option<bool>| json!({"metadata": {"name": name}, "provisioner": "p", "allowVolumeExpansion": grows});
            let status = |code: u16| json!({"status": "Failure", "code": code, "message": "", "reason": ""});
            let (code, answer) = match name.as_str() {
                "grows" => (200, class(Some(true))),
                "rigid" => (200, class(None)),
                "secret" => (403, status(403)),
                _ => (404, status(404)),
            };
            held(&diary).push(name);
            let answer =
                http::Response::builder().status(code).body(Body::from(answer.to_string().into_bytes()));
            async move { Ok::<_, Infallible>(answer.unwrap()) }
        });
        let (outside, client) = (Outside::default(), Client::new(server, "n"));
        let classes = ["gone", "grows", "rigid", "secret"].map(str::to_owned).into();
        for _ in 0..2 {
            outside.learn(&classes, &client).await;
            let expected = BTreeMap::from([("grows".to_owned(), true), ("rigid".to_owned(), false)]);
            assert_eq!(outside.growing(), expected);
        }
        assert_eq!(*held(&asked), ["gone", "grows", "rigid", "secret", "gone"]);
    }
}
