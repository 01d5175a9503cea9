//! Pruning: deletes owned objects that are no longer desired. They are found in the stores; where these hold only some
//! objects of a kind, the server is asked, once for each set of desired objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::api::{ListParams, PropagationPolicy};

use super::request::{Target, failed};
use super::{Applied, Result, Work, Writer};
use crate::declare::{Kind, Prune};
use crate::object::{Key, Object, Owner};
use crate::watch::bare;

impl Writer {
    /// Deletes the objects that the owner controls and that the work neither names nor spares, of the kinds that are pruned.
    pub(super) async fn prune(&self, work: &Work, owner: &Object, applied: &mut Applied) -> Result<()> {
        let pruned = self.declaration.owned.iter().filter(|owned| owned.prune == Prune::Unnamed);
        for owned in pruned {
            let (kind, stays) = (owned.kind, Self::staying(work, owned.kind));
            let is_listed = self.stores.is_filtered(kind) && !self.was_pruned(kind, owner, &stays);
            let present = if is_listed {
                self.list_owned(kind, owner).await?
            } else {
                self.stores.owned_by(kind, &owner.key().namespace, owner.uid())
            };
            for object in present {
                if !stays.contains(object.key()) && self.is_controlled(&object, owner) {
                    self.delete(kind, &object, pruning(kind), applied).await?;
                }
            }
            if is_listed {
                self.note_pruned(kind, owner, stays);
            }
        }
        Ok(())
    }

    fn staying(work: &Work, kind: Kind) -> BTreeSet<Key> {
        let wanted = work.waves.iter().flatten();
        let wanted = wanted.filter(|desired| desired.kind == kind);
        let spared = work.spared.iter().filter(|(spared, _)| *spared == kind);
        wanted.map(super::Desired::key).chain(spared.map(|(_, key)| key.clone())).collect()
    }

    /// The objects that the owner controls, as the server has them.
    async fn list_owned(&self, kind: Kind, owner: &Object) -> Result<Vec<Arc<Object>>> {
        let mut owned = Vec::new();
        for namespace in self.namespaces_of(kind, owner) {
            let target = Target { kind, key: &Key::new(&namespace, &owner.key().name) };
            let listed = self.api(target).list_metadata(&ListParams::default()).await;
            let listed = listed.map_err(|error| failed("list what is controlled by", target, error))?;
            let known = listed.items.into_iter().map(|one| self.stores.keep(kind, bare(one.metadata)));
            let is_seen = |one: &Object| self.stores.partition(kind, &one.key().namespace).is_some();
            let ours = known.filter(|one| is_seen(one) && self.is_controlled(one, owner));
            owned.extend(ours.map(Arc::new));
        }
        Ok(owned)
    }

    /// The namespaces in which an owner can have objects of a kind: its own; for a cluster-scoped owner all that are
    /// watched. An empty name stands for all namespaces.
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

/// How objects of a kind are deleted. A Job exists until its pods are gone, so that none of them runs when it is gone.
fn pruning(kind: Kind) -> PropagationPolicy {
    if kind.kind == "Job" { PropagationPolicy::Foreground } else { PropagationPolicy::Background }
}

#[cfg(test)]
mod tests;
