//! Contents of Secrets and ConfigMaps that something points to. Of all others only the metadata is watched; these are
//! read when they are needed, and again only when their metadata says that they changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kernel::clock;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::{Kept as _, Key};
use kernel::stores::Stores;
use kube::{Api, Client};
use monitoring_assets::{Objects, Reference, Source};

use crate::kinds;

/// After so long what may not be read is tried again: no event tells of permissions that are granted.
pub(crate) const ASK_AGAIN: Duration = Duration::from_mins(1);

/// The kind of what holds data.
pub(crate) fn kind(source: Source) -> Kind {
    match source {
        Source::Secret => kinds::SECRET,
        Source::ConfigMap => kinds::CONFIG_MAP,
    }
}

/// What was found of an object.
#[derive(Debug)]
enum Content {
    /// It is not there.
    Absent,
    /// It may not be read, as the server said then.
    Forbidden(Instant),
    /// A Secret.
    Secret(Box<Secret>),
    /// A ConfigMap.
    ConfigMap(Box<ConfigMap>),
}

/// What is known of an object beside its content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    /// At which version it was read; none, if it was not there.
    Read(Option<String>),
    /// It may not be read, as the server said then.
    Forbidden(Instant),
}

/// What was read.
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

    /// Reads what is wanted and not known, or known at another version, and forgets what is no longer wanted.
    pub(crate) async fn fetch(
        &mut self,
        wanted: BTreeSet<Reference>,
        stores: &Stores,
        client: &Client,
    ) -> Result<(), PassError> {
        let unwanted: Vec<Reference> =
            self.known.keys().filter(|known| !wanted.contains(*known)).cloned().collect();
        for reference in &unwanted {
            self.forget(reference);
        }
        for reference in wanted {
            if !self.is_current(&reference, stores) {
                let content = get(&reference, client).await?;
                self.put(reference, content);
            }
        }
        Ok(())
    }

    fn forget(&mut self, reference: &Reference) {
        self.known.remove(reference);
        Arc::make_mut(&mut self.objects).remove(reference);
    }

    fn put(&mut self, reference: Reference, content: Content) {
        self.forget(&reference);
        let objects = Arc::make_mut(&mut self.objects);
        let known = match content {
            Content::Absent => Known::Read(None),
            Content::Forbidden(at) => {
                objects.add_forbidden(reference.clone());
                Known::Forbidden(at)
            }
            Content::Secret(secret) => {
                let version = secret.metadata.resource_version.clone();
                objects.add_secret(*secret);
                Known::Read(version)
            }
            Content::ConfigMap(map) => {
                let version = map.metadata.resource_version.clone();
                objects.add_config_map(*map);
                Known::Read(version)
            }
        };
        self.known.insert(reference, known);
    }

    /// The first of these that may not be read.
    pub(crate) fn forbidden<'r>(&self, these: &'r BTreeSet<Reference>) -> Option<&'r Reference> {
        these.iter().find(|reference| matches!(self.known.get(*reference), Some(Known::Forbidden(_))))
    }

    /// Whether anything may not be read.
    pub(crate) fn is_denied(&self) -> bool {
        self.known.values().any(|known| matches!(known, Known::Forbidden(_)))
    }

    fn is_current(&self, reference: &Reference, stores: &Stores) -> bool {
        let version = match self.known.get(reference) {
            None => return false,
            Some(Known::Forbidden(at)) => return clock::now().duration_since(*at) < ASK_AGAIN,
            Some(Known::Read(version)) => version,
        };
        let (kind, key) = (kind(reference.source), Key::new(&reference.namespace, &reference.name));
        let seen = stores.get(kind, &key);
        // Where no watch would tell of a change, it is read in each pass.
        let is_told = stores.is_watched(kind, &key.namespace)
            && (seen.is_some() || stores.is_known(kind, &key.namespace));
        is_told && seen.map(|seen| seen.identity().version.to_string()) == *version
    }
}

async fn get(reference: &Reference, client: &Client) -> Result<Content, PassError> {
    let Reference { source, namespace, name } = reference;
    if !can_be(name) {
        return Ok(Content::Absent);
    }
    let found = match source {
        Source::Secret => {
            let api: Api<Secret> = Api::namespaced(client.clone(), namespace);
            api.get_opt(name).await.map(|found| found.map(|secret| Content::Secret(Box::new(secret))))
        }
        Source::ConfigMap => {
            let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
            api.get_opt(name).await.map(|found| found.map(|map| Content::ConfigMap(Box::new(map))))
        }
    };
    match found {
        Ok(found) => Ok(found.unwrap_or(Content::Absent)),
        Err(kube::Error::Api(status)) if status.code == 403 => Ok(Content::Forbidden(clock::now())),
        Err(error) => Err(PassError::outside(format!("{source} {namespace}/{name} cannot be read"), error)),
    }
}

/// Whether an object can have this name. One that cannot is not asked for: it would be another request, or none, and the
/// mistake of one monitor would stop all others.
fn can_be(name: &str) -> bool {
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
