//! What can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};

use crate::reader::{Reference, Source};

/// Secrets and ConfigMaps by namespace and name.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    secrets: BTreeMap<(String, String), Arc<Secret>>,
    config_maps: BTreeMap<(String, String), Arc<ConfigMap>>,
    /// What may not be read.
    forbidden: BTreeSet<Reference>,
}

impl Objects {
    /// Adds a Secret, or replaces it.
    pub fn add_secret(&mut self, secret: impl Into<Arc<Secret>>) {
        let secret = secret.into();
        let key = (
            secret.metadata.namespace.clone().unwrap_or_default(),
            secret.metadata.name.clone().unwrap_or_default(),
        );
        self.secrets.insert(key, secret);
    }

    /// Adds a ConfigMap, or replaces it.
    pub fn add_config_map(&mut self, config_map: impl Into<Arc<ConfigMap>>) {
        let map = config_map.into();
        let key = (
            map.metadata.namespace.clone().unwrap_or_default(),
            map.metadata.name.clone().unwrap_or_default(),
        );
        self.config_maps.insert(key, map);
    }

    /// Adds something that is there, or not: nobody lets us look.
    pub fn add_forbidden(&mut self, reference: Reference) {
        self.forbidden.insert(reference);
    }

    /// Forgets what is known of an object.
    pub fn remove(&mut self, reference: &Reference) {
        let key = (reference.namespace.clone(), reference.name.clone());
        match reference.source {
            Source::Secret => drop(self.secrets.remove(&key)),
            Source::ConfigMap => drop(self.config_maps.remove(&key)),
        }
        self.forbidden.remove(reference);
    }

    /// Whether something may not be read.
    pub(crate) fn is_forbidden(&self, reference: &Reference) -> bool {
        self.forbidden.contains(reference)
    }

    /// A Secret.
    pub fn secret(&self, namespace: &str, name: &str) -> Option<&Secret> {
        self.secrets.get(&(namespace.to_owned(), name.to_owned())).map(AsRef::as_ref)
    }

    /// The version of an object; nothing, if it is not there.
    pub fn version(&self, reference: &Reference) -> Option<&str> {
        let Reference { source, namespace, name } = reference;
        let key = (namespace.clone(), name.clone());
        let metadata = match source {
            Source::Secret => self.secrets.get(&key).map(|secret| &secret.metadata),
            Source::ConfigMap => self.config_maps.get(&key).map(|map| &map.metadata),
        };
        metadata.map(|metadata| metadata.resource_version.as_deref().unwrap_or_default())
    }

    /// A ConfigMap.
    pub fn config_map(&self, namespace: &str, name: &str) -> Option<&ConfigMap> {
        self.config_maps.get(&(namespace.to_owned(), name.to_owned())).map(AsRef::as_ref)
    }
}
