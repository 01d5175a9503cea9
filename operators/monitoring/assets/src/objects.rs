//! Secrets and ConfigMaps that were fetched.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::reader::{MissingReason, Reference, SourceKind};

/// Secrets and ConfigMaps by namespace and name.
#[derive(Debug, Clone, Default)]
pub struct Objects(BTreeMap<Reference, Fetched>);

#[derive(Debug, Clone)]
enum Fetched {
    Secret(Arc<Secret>),
    ConfigMap(Arc<ConfigMap>),
    /// The operator has no permission to get it.
    Forbidden,
}

impl Objects {
    /// Adds a Secret, or replaces it.
    pub fn add_secret(&mut self, secret: impl Into<Arc<Secret>>) {
        let secret = secret.into();
        self.0.insert(reference(SourceKind::Secret, &secret.metadata), Fetched::Secret(secret));
    }

    /// Adds a ConfigMap, or replaces it.
    pub fn add_config_map(&mut self, config_map: impl Into<Arc<ConfigMap>>) {
        let map = config_map.into();
        self.0.insert(reference(SourceKind::ConfigMap, &map.metadata), Fetched::ConfigMap(map));
    }

    /// Adds an object that the operator has no permission to get. Whether it exists is unknown.
    pub fn add_forbidden(&mut self, reference: Reference) {
        self.0.insert(reference, Fetched::Forbidden);
    }

    /// Forgets what is known of an object.
    pub fn remove(&mut self, reference: &Reference) {
        self.0.remove(reference);
    }

    /// A Secret.
    pub fn secret(&self, namespace: &str, name: &str) -> Option<&Secret> {
        match self.0.get(&Reference::secret(namespace, name))? {
            Fetched::Secret(secret) => Some(secret),
            Fetched::ConfigMap(_) | Fetched::Forbidden => None,
        }
    }

    /// A ConfigMap.
    pub fn config_map(&self, namespace: &str, name: &str) -> Option<&ConfigMap> {
        let source = SourceKind::ConfigMap;
        match self.0.get(&Reference { source, ..Reference::secret(namespace, name) })? {
            Fetched::ConfigMap(map) => Some(map),
            Fetched::Secret(_) | Fetched::Forbidden => None,
        }
    }

    /// The resource version of an object, if the object exists.
    pub fn version(&self, reference: &Reference) -> Option<&str> {
        let metadata = match self.0.get(reference)? {
            Fetched::Secret(secret) => &secret.metadata,
            Fetched::ConfigMap(map) => &map.metadata,
            Fetched::Forbidden => return None,
        };
        Some(metadata.resource_version.as_deref().unwrap_or_default())
    }

    /// The value of a key.
    pub(crate) fn value(&self, reference: &Reference, key: &str) -> Result<&[u8], MissingReason> {
        let value = match self.0.get(reference) {
            Some(Fetched::Secret(secret)) => {
                let data = secret.data.as_ref().and_then(|data| data.get(key));
                let text = || secret.string_data.as_ref()?.get(key).map(String::as_bytes);
                data.map(|bytes| bytes.0.as_slice()).or_else(text)
            }
            Some(Fetched::ConfigMap(map)) => {
                map.data.as_ref().and_then(|data| data.get(key)).map(String::as_bytes)
            }
            Some(Fetched::Forbidden) => return Err(MissingReason::Forbidden),
            None => return Err(MissingReason::NotFound),
        };
        value.ok_or_else(|| MissingReason::NoKey(key.to_owned()))
    }
}

fn reference(source: SourceKind, metadata: &ObjectMeta) -> Reference {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Reference { source, namespace: text(&metadata.namespace), name: text(&metadata.name) }
}
