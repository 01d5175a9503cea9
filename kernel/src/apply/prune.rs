//! What we own and do not want goes. It is found in the stores; where they hold some objects of a kind only, the server is
//! asked, once for all that is wanted: nothing becomes too much while the same is wanted.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::api::{DynamicObject, ListParams, PropagationPolicy};
use serde_json::Value;

use super::request::{Target, failed};
use super::{Applied, Work, WriteError, Writer};
use crate::declare::{Kind, Prune};
use crate::object::{Key, Object, Owner};

impl Writer {
    /// Deletes what the owner controls and neither wants nor spares, of the kinds that are pruned so.
    pub(super) async fn prune(
        &self,
        work: &Work,
        owner: &Object,
        applied: &mut Applied,
    ) -> Result<(), WriteError> {
        let pruned = self.declaration.owned.iter().filter(|owned| owned.prune == Prune::Unnamed);
        for owned in pruned {
            let (kind, stays) = (owned.kind, self.staying(work, owned.kind));
            let is_asked_for = self.stores.is_filtered(kind) && !self.was_pruned(kind, owner, &stays);
            let present = if is_asked_for {
                self.list_owned(kind, owner).await?
            } else {
                self.stores.owned_by(kind, &owner.key().namespace, owner.uid())
            };
            for object in present {
                if !stays.contains(object.key()) && self.is_controlled(&object, owner) {
                    self.delete(kind, &object, pruning(kind), applied).await?;
                }
            }
            if is_asked_for {
                self.note_pruned(kind, owner, stays);
            }
        }
        Ok(())
    }

    fn staying(&self, work: &Work, kind: Kind) -> BTreeSet<Key> {
        let wanted = work.waves.iter().flatten();
        let wanted = wanted.filter(|desired| self.kind_of(&desired.resource) == Some(kind));
        let spared = work.spared.iter().filter(|(spared, _)| *spared == kind);
        wanted.map(super::Desired::key).chain(spared.map(|(_, key)| key.clone())).collect()
    }

    /// The objects that the owner controls, as the server has them.
    async fn list_owned(&self, kind: Kind, owner: &Object) -> Result<Vec<Arc<Object>>, WriteError> {
        let outline = |metadata| DynamicObject { types: None, metadata, data: Value::Null };
        let mut owned = Vec::new();
        for namespace in self.namespaces_of(kind, owner) {
            let target = Target { kind, key: &Key::new(&namespace, &owner.key().name) };
            let listed = self.api(target).list_metadata(&ListParams::default()).await;
            let listed = listed.map_err(|error| failed("list what is controlled by", target, error))?;
            let known = listed.items.into_iter().map(|one| self.stores.keep(kind, outline(one.metadata)));
            let is_seen = |one: &Object| self.stores.partition(kind, &one.key().namespace).is_some();
            let ours = known.filter(|one| is_seen(one) && self.is_controlled(one, owner));
            owned.extend(ours.map(Arc::new));
        }
        Ok(owned)
    }

    /// Where an owner may have objects of a kind: in its own namespace; if it has none, wherever we look. An empty name
    /// stands for all of them.
    fn namespaces_of(&self, kind: Kind, owner: &Object) -> Vec<Arc<str>> {
        let own = &owner.key().namespace;
        if !own.is_empty() {
            return vec![Arc::clone(own)];
        }
        let partitions = self.stores.partitions(kind);
        partitions.map(|partition| partition.namespace.clone().unwrap_or_default()).collect()
    }

    fn is_controlled(&self, object: &Object, owner: &Object) -> bool {
        let is_ours = |of: &Owner| of.is_a(self.declaration.primary) && *of.uid == *owner.uid();
        object.controller().is_some_and(is_ours)
    }
}

/// How what is not wanted goes. A Job stays until its pods are gone: whoever sees no Job may be sure that nobody works.
fn pruning(kind: Kind) -> PropagationPolicy {
    if kind.kind == "Job" { PropagationPolicy::Foreground } else { PropagationPolicy::Background }
}

#[cfg(test)]
mod tests;
