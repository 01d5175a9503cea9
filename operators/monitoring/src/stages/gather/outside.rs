//! What pods need and users provide: a storage class, a governing Service. If one is missing, the pods are not changed, but
//! the configuration is still written.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Service};
use k8s_openapi::api::storage::v1::StorageClass;
use kernel::clock;
use kernel::object::{Key, Object};
use kernel::quantity::Amount;
use kernel::stores::Stores;
use kube::{Api, Client};

use crate::kind::Needs;
use crate::kinds;

/// How long a storage class is not read again.
const KNOWN_FOR: Duration = Duration::from_mins(1);

/// The storage classes of one workload.
#[derive(Debug, Default)]
pub(crate) struct StorageClasses {
    /// When each was last read, and whether its volumes can be expanded, if that is known.
    seen: BTreeMap<String, (Instant, Option<bool>)>,
}

impl StorageClasses {
    /// What a workload needs and is missing; none, if everything exists or the operator is not permitted to read it.
    pub(crate) async fn missing(
        &mut self,
        needs: &Needs,
        workload: &Key,
        stores: &Stores,
        client: &Client,
    ) -> Option<String> {
        if let Some(class) = &needs.storage_class
            && let Some(missing) = self.read(class, client).await
        {
            return Some(missing);
        }
        match &needs.service {
            Some(service) => {
                self::service(&Key::new(&workload.namespace, service), needs, stores, client).await
            }
            None => None,
        }
    }

    /// Reads whether volumes that are too small can be expanded. It stays unknown for classes that cannot be read.
    pub(crate) async fn learn(&mut self, needs: &Needs, claims: &[PersistentVolumeClaim], client: &Client) {
        let Some(wanted) = needs.storage.as_deref().and_then(Amount::parse) else { return };
        for claim in claims {
            let Some(spec) = &claim.spec else { continue };
            let requests = spec.resources.as_ref().and_then(|resources| resources.requests.as_ref());
            let size = requests.and_then(|requests| Amount::parse(&requests.get("storage")?.0));
            let class = spec.storage_class_name.as_deref().filter(|_| size.is_some_and(|size| size < wanted));
            if let Some(class) = class
                && let Some(missing) = self.read(class, client).await
            {
                tracing::debug!("it is not known whether volumes can be expanded: {missing}");
            }
        }
    }

    /// Whether volumes of the classes can be expanded, as far as that is known.
    pub(crate) fn growing(&self) -> BTreeMap<String, bool> {
        self.seen.iter().filter_map(|(class, (_, grows))| Some((class.clone(), (*grows)?))).collect()
    }

    /// Reads a storage class. Returns what is wrong with it.
    async fn read(&mut self, class: &str, client: &Client) -> Option<String> {
        let now = clock::now();
        if self.seen.get(class).is_some_and(|(when, _)| now.duration_since(*when) < KNOWN_FOR) {
            return None;
        }
        let known = self.seen.remove(class).and_then(|(_, grows)| grows);
        let grows = match Api::<StorageClass>::all(client.clone()).get_opt(class).await {
            Ok(Some(found)) => Some(found.allow_volume_expansion.unwrap_or_default()),
            Ok(None) => return Some(format!("storage class {class:?} does not exist")),
            // Without permission the last answer is kept.
            Err(kube::Error::Api(status)) if status.code == 403 => known,
            Err(error) => return Some(format!("cannot get {class:?} storageclass: {error}")),
        };
        self.seen.insert(class.to_owned(), (now, grows));
        None
    }
}

/// What is wrong with the governing Service that a user provides.
async fn service(key: &Key, needs: &Needs, stores: &Stores, client: &Client) -> Option<String> {
    let labels = &needs.labels;
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

fn written(labels: &BTreeMap<String, String>) -> String {
    labels.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::{Arc, Mutex};

    use kube::client::Body;
    use serde_json::json;

    use super::*;

    fn claim(class: &str, size: &str) -> PersistentVolumeClaim {
        let requests = json!({"requests": {"storage": size}});
        serde_json::from_value(json!({"spec": {"storageClassName": class, "resources": requests}})).unwrap()
    }

    #[tokio::test]
    async fn storage_classes_are_read_once_in_a_while() {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let requests = Arc::clone(&asked);
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
            requests.lock().unwrap().push(name);
            let answer =
                http::Response::builder().status(code).body(Body::from(answer.to_string().into_bytes()));
            async move { Ok::<_, Infallible>(answer.unwrap()) }
        });
        let (mut classes, client) = (StorageClasses::default(), Client::new(server, "n"));
        let needs = Needs { storage: Some("2Gi".into()), ..Needs::default() };
        let claims = ["gone", "grows", "rigid", "secret"].map(|class| claim(class, "1Gi"));
        for _ in 0..2 {
            classes.learn(&needs, &claims, &client).await;
            let expected = BTreeMap::from([("grows".to_owned(), true), ("rigid".to_owned(), false)]);
            assert_eq!(classes.growing(), expected);
        }
        classes.learn(&needs, &[claim("large", "2Gi")], &client).await;
        assert_eq!(*asked.lock().unwrap(), ["gone", "grows", "rigid", "secret", "gone"]);
    }
}
