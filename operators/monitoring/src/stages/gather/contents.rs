//! The contents of referenced Secrets and ConfigMaps. Only the metadata of all others is watched. Contents are read when they
//! are needed, and again only when the metadata shows that they changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kernel::clock;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::{Key, Stored as _};
use kernel::stores::Stores;
use kube::{Api, Client, Resource};
use monitoring_assets::{Objects, Reference, SourceKind};
use serde::de::DeserializeOwned;

use crate::kinds;

/// The interval at which a forbidden read is retried: no event reports granted permissions.
pub(crate) const RETRY_FORBIDDEN: Duration = Duration::from_mins(1);

/// The kind of an object that holds data.
pub(crate) fn kind(source: SourceKind) -> Kind {
    match source {
        SourceKind::Secret => kinds::SECRET,
        SourceKind::ConfigMap => kinds::CONFIG_MAP,
    }
}

/// What is known of an object besides its content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    /// The version at which it was read; none, if it did not exist.
    Read(Option<String>),
    /// The operator was not permitted to read it at this time.
    Forbidden(Instant),
}

/// The contents that were read.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    known: BTreeMap<Reference, Known>,
    objects: Arc<Objects>,
}

impl Contents {
    /// Everything that was read.
    pub(crate) fn objects(&self) -> Arc<Objects> {
        Arc::clone(&self.objects)
    }

    /// Reads the objects that are `wanted` and not known at their present version, and forgets those that are not wanted.
    pub(crate) async fn fetch(
        &mut self,
        wanted: BTreeSet<Reference>,
        stores: &Stores,
        client: &Client,
    ) -> Result<(), PassError> {
        for (reference, _) in self.known.extract_if(.., |known, _| !wanted.contains(known)) {
            Arc::make_mut(&mut self.objects).remove(&reference);
        }
        for reference in wanted {
            if self.is_current(&reference, stores) {
                continue;
            }
            match reference.source {
                SourceKind::Secret => self.read::<Secret>(reference, client, Objects::add_secret).await?,
                SourceKind::ConfigMap => {
                    self.read::<ConfigMap>(reference, client, Objects::add_config_map).await?;
                }
            }
        }
        Ok(())
    }

    async fn read<K>(
        &mut self,
        reference: Reference,
        client: &Client,
        add: fn(&mut Objects, K),
    ) -> Result<(), PassError>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned,
    {
        let Reference { source, namespace, name } = &reference;
        let api: Api<K> = Api::namespaced(client.clone(), namespace);
        let found = if is_valid_name(name) { api.get_opt(name).await } else { Ok(None) };
        let is_forbidden = matches!(&found, Err(kube::Error::Api(status)) if status.code == 403);
        let found = if is_forbidden { Ok(None) } else { found }.map_err(|error| {
            PassError::outside(format!("{source} {namespace}/{name} cannot be read"), error)
        })?;
        let objects = Arc::make_mut(&mut self.objects);
        objects.remove(&reference);
        let known = if is_forbidden {
            objects.add_forbidden(reference.clone());
            Known::Forbidden(clock::now())
        } else {
            let version = found.as_ref().and_then(|found| found.meta().resource_version.clone());
            if let Some(found) = found {
                add(objects, found);
            }
            Known::Read(version)
        };
        self.known.insert(reference, known);
        Ok(())
    }

    /// The first of these that the operator is not permitted to read.
    pub(crate) fn forbidden<'r>(&self, these: &'r BTreeSet<Reference>) -> Option<&'r Reference> {
        these.iter().find(|reference| matches!(self.known.get(*reference), Some(Known::Forbidden(_))))
    }

    /// Whether any read was forbidden.
    pub(crate) fn is_denied(&self) -> bool {
        self.known.values().any(|known| matches!(known, Known::Forbidden(_)))
    }

    fn is_current(&self, reference: &Reference, stores: &Stores) -> bool {
        let version = match self.known.get(reference) {
            None => return false,
            Some(Known::Forbidden(at)) => return clock::now().duration_since(*at) < RETRY_FORBIDDEN,
            Some(Known::Read(version)) => version,
        };
        let (kind, key) = (kind(reference.source), Key::new(&reference.namespace, &reference.name));
        let seen = stores.get(kind, &key);
        // Without a watch that reports changes it is read in each pass.
        let is_watched = stores.is_watched(kind, &key.namespace)
            && (seen.is_some() || stores.is_known(kind, &key.namespace));
        is_watched && seen.map(|seen| seen.identity().version.to_string()) == *version
    }
}

/// Whether an object can have this name. An object that cannot exist is not requested: the path of the request would be a
/// different or invalid one, and the mistake in one monitor would affect all others.
fn is_valid_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        part.bytes().all(|byte| inner(byte) || byte == b'-')
            && part.bytes().next().is_some_and(inner)
            && part.bytes().next_back().is_some_and(inner)
    };
    name.len() <= 253 && name.split('.').all(is_part)
}

#[cfg(test)]
mod tests;
