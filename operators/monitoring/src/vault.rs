//! Contents of Secrets and ConfigMaps that something points to. Of all others only the metadata is watched; these are
//! asked for when they are needed, and again only when their metadata says that they changed.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kernel::clock;
use kernel::flow::PassError;
use kernel::object::{Kept as _, Key};
use kernel::stores::Stores;
use kube::{Api, Client};
use monitoring_assets::{Objects, Reference, Source};

use crate::kinds;

/// After so long it is asked again for what we might not read: nobody tells us of rights that come.
pub(crate) const ASK_AGAIN: Duration = Duration::from_mins(1);

/// What was read of an object, and at which version.
#[derive(Debug, Clone)]
enum Content {
    /// It is not there.
    Absent,
    /// We may not read it, as we were told then.
    Forbidden(Instant),
    /// A Secret.
    Secret(Arc<Secret>),
    /// A ConfigMap.
    ConfigMap(Arc<ConfigMap>),
}

impl Content {
    /// The version of what is there.
    fn version(&self) -> Option<&String> {
        match self {
            Self::Absent | Self::Forbidden(_) => None,
            Self::Secret(secret) => secret.metadata.resource_version.as_ref(),
            Self::ConfigMap(map) => map.metadata.resource_version.as_ref(),
        }
    }

    /// Whether another look found the same.
    fn is_same(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.version() == other.version()
    }
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vault {
    contents: BTreeMap<Reference, Content>,
    /// What was asked for in this pass.
    asked: BTreeSet<Reference>,
}

impl Vault {
    /// A pass begins: what nobody tells us of is asked for again, once.
    pub(crate) fn begin(&mut self) {
        self.asked.clear();
    }

    /// Everything that was read, as the pure rooms want it.
    pub(crate) fn objects(&self) -> Objects {
        let mut objects = Objects::default();
        for (reference, content) in &self.contents {
            match content {
                Content::Absent => {}
                Content::Forbidden(_) => objects.add_forbidden(reference.clone()),
                Content::Secret(secret) => objects.add_secret(Arc::clone(secret)),
                Content::ConfigMap(map) => objects.add_config_map(Arc::clone(map)),
            }
        }
        objects
    }

    /// Asks for what is wanted and not known, or known at another version. Whether anything is other than it was known.
    pub(crate) async fn fetch(
        &mut self,
        wanted: &BTreeSet<Reference>,
        stores: &Stores,
        client: &Client,
    ) -> Result<bool, PassError> {
        let mut is_new = false;
        for reference in wanted {
            if self.is_current(reference, stores) {
                continue;
            }
            let content = get(reference, client).await?;
            self.asked.insert(reference.clone());
            is_new |= !self.contents.get(reference).is_some_and(|before| before.is_same(&content));
            self.contents.insert(reference.clone(), content);
        }
        Ok(is_new)
    }

    /// The first of these that we may not read.
    pub(crate) fn forbidden<'r>(
        &self,
        mut these: impl Iterator<Item = &'r Reference>,
    ) -> Option<&'r Reference> {
        these.find(|reference| matches!(self.contents.get(reference), Some(Content::Forbidden(_))))
    }

    /// Forgets what nobody wants any more.
    pub(crate) fn retain(&mut self, wanted: &BTreeSet<Reference>) {
        self.contents.retain(|reference, _| wanted.contains(reference));
    }

    fn is_current(&self, reference: &Reference, stores: &Stores) -> bool {
        let Some(content) = self.contents.get(reference) else { return false };
        if let Content::Forbidden(at) = content {
            return clock::now().duration_since(*at) < ASK_AGAIN;
        }
        let kind = match reference.source {
            Source::Secret => kinds::SECRET,
            Source::ConfigMap => kinds::CONFIG_MAP,
        };
        let known = stores.get(kind, &Key::new(&reference.namespace, &reference.name));
        if !stores.is_watched(kind, &reference.namespace)
            || (known.is_none() && !stores.is_known(kind, &reference.namespace))
        {
            // Nobody tells us when it changes.
            return self.asked.contains(reference);
        }
        let seen = known.map(|known| known.identity().version.to_string());
        seen.as_ref() == content.version()
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
            api.get_opt(name).await.map(|found| found.map(|secret| Content::Secret(Arc::new(secret))))
        }
        Source::ConfigMap => {
            let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
            api.get_opt(name).await.map(|found| found.map(|map| Content::ConfigMap(Arc::new(map))))
        }
    };
    match found {
        Ok(found) => Ok(found.unwrap_or(Content::Absent)),
        Err(kube::Error::Api(status)) if status.code == 403 => Ok(Content::Forbidden(clock::now())),
        Err(error) => Err(PassError::Outside(format!("{source} {namespace}/{name} cannot be read: {error}"))),
    }
}

/// Whether an object can have this name. One that cannot is not asked for: it would be another question to the server, or
/// none, and the mistake of one monitor would stop all others.
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
