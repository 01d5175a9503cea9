//! Contents of Secrets and ConfigMaps that something points to. Of all others only the metadata is watched; these are
//! asked for when they are needed, and again only when their metadata says that they changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kernel::flow::Trouble;
use kernel::object::{Kept as _, Key};
use kernel::stores::Stores;
use kube::{Api, Client};
use monitoring_assets::{Objects, Reference, Source};

use crate::kinds;

/// What was read of an object, and at which version.
#[derive(Debug, Clone)]
enum Content {
    /// It is not there.
    Absent,
    /// A Secret.
    Secret(Arc<Secret>),
    /// A ConfigMap.
    ConfigMap(Arc<ConfigMap>),
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vault {
    contents: BTreeMap<Reference, Content>,
}

impl Vault {
    /// Everything that was read, as the pure rooms want it.
    pub(crate) fn objects(&self) -> Objects {
        let mut objects = Objects::default();
        for content in self.contents.values() {
            match content {
                Content::Absent => {}
                Content::Secret(secret) => objects.add_secret(Arc::clone(secret)),
                Content::ConfigMap(map) => objects.add_config_map(Arc::clone(map)),
            }
        }
        objects
    }

    /// Asks for what is wanted and not known, or known at another version. Whether anything is new.
    pub(crate) async fn fetch(
        &mut self,
        wanted: &BTreeSet<Reference>,
        stores: &Stores,
        client: &Client,
    ) -> Result<bool, Trouble> {
        let mut is_new = false;
        for reference in wanted {
            if self.is_current(reference, stores) {
                continue;
            }
            let content = get(reference, client).await?;
            self.contents.insert(reference.clone(), content);
            is_new = true;
        }
        Ok(is_new)
    }

    /// Forgets what nobody wants any more.
    pub(crate) fn retain(&mut self, wanted: &BTreeSet<Reference>) {
        self.contents.retain(|reference, _| wanted.contains(reference));
    }

    fn is_current(&self, reference: &Reference, stores: &Stores) -> bool {
        let Some(content) = self.contents.get(reference) else { return false };
        let kind = match reference.source {
            Source::Secret => kinds::SECRET,
            Source::ConfigMap => kinds::CONFIG_MAP,
        };
        let known = stores.get(kind, &Key::new(&reference.namespace, &reference.name));
        if !stores.is_watched(kind, &reference.namespace)
            || (known.is_none() && !stores.is_known(kind, &reference.namespace))
        {
            // Nobody tells us when it changes.
            return false;
        }
        let seen = known.map(|known| known.identity().version.to_string());
        let read = match content {
            Content::Absent => None,
            Content::Secret(secret) => secret.metadata.resource_version.clone(),
            Content::ConfigMap(map) => map.metadata.resource_version.clone(),
        };
        seen == read
    }
}

async fn get(reference: &Reference, client: &Client) -> Result<Content, Trouble> {
    let Reference { source, namespace, name } = reference;
    let failed =
        |error: kube::Error| Trouble::Outside(format!("{source} {namespace}/{name} cannot be read: {error}"));
    Ok(match source {
        Source::Secret => {
            let api: Api<Secret> = Api::namespaced(client.clone(), namespace);
            let found = api.get_opt(name).await.map_err(failed)?;
            found.map_or(Content::Absent, |secret| Content::Secret(Arc::new(secret)))
        }
        Source::ConfigMap => {
            let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
            let found = api.get_opt(name).await.map_err(failed)?;
            found.map_or(Content::Absent, |map| Content::ConfigMap(Arc::new(map)))
        }
    })
}
