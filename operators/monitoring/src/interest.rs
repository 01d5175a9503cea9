//! Which workloads a change concerns: those that select the object. The kernel adds those that read it.

use std::marker::PhantomData;

use api_monitoring::SelectableKind;
use kernel::declare::Kind;
use kernel::index::{CandidateObject, Interest};
use kernel::object::{Key, Object};
use kernel::store::Change;

use crate::bindings;
use crate::kind::Workload;
use crate::kinds;
use crate::selectors::WorkloadSelectors;
use crate::workload::labels;

/// What concerns the workloads of one kind.
#[derive(Debug)]
pub struct Selecting<W>(PhantomData<W>);

impl<W> Default for Selecting<W> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// A declared kind as a selectable one.
pub(crate) fn selectable<W: Workload>(kind: Kind) -> Option<SelectableKind> {
    W::SELECTABLE.iter().copied().find(|one| kinds::selectable(*one) == kind)
}

impl<W: Workload> Interest for Selecting<W> {
    type Selects = WorkloadSelectors;

    fn read(&self, workload: &Object) -> WorkloadSelectors {
        WorkloadSelectors::read(&workload.value(), W::SELECTABLE)
    }

    fn decides(&self, kind: Kind) -> bool {
        let others =
            [kinds::SECRET, kinds::CONFIG_MAP, kinds::NAMESPACE, kinds::POD, kinds::CLAIM, kinds::SERVICE];
        others.contains(&kind) || selectable::<W>(kind).is_some()
    }

    fn concerns(
        &self,
        workload: &Key,
        selectors: &WorkloadSelectors,
        candidate: &CandidateObject<'_>,
    ) -> bool {
        let CandidateObject { kind, object, stores } = *candidate;
        let is_beside = workload.namespace == object.key().namespace;
        match kind {
            kinds::SECRET => {
                is_beside && (is_owned::<W>(object, workload) || is_configuration::<W>(object, workload))
            }
            kinds::CONFIG_MAP => is_beside && is_owned::<W>(object, workload),
            kinds::NAMESPACE => selectors.selects_namespace_of(object),
            // Claims have the labels of the pods that they are created for.
            kinds::POD | kinds::CLAIM => is_beside && has_labels::<W>(object, workload),
            kinds::SERVICE => {
                let wanted = selectors.service.as_deref().unwrap_or(W::NAMING.governing_service);
                is_beside && *object.key().name == *wanted
            }
            kind => selectable::<W>(kind).is_some_and(|kind| {
                let namespace = stores.get(kinds::NAMESPACE, &Key::new("", &object.key().namespace));
                selectors.selects(workload, (kind, object), namespace.as_deref())
            }),
        }
    }

    /// A change of only the status of a monitor or a rule concerns no workload.
    fn matters(&self, kind: Kind, change: &Change<Object>) -> bool {
        let (Some(before), Some(after)) = (&change.before, &change.after) else { return true };
        let is_counted = after.generation() != 0;
        let is_same = before.generation() == after.generation()
            && before.labels() == after.labels()
            && before.uid() == after.uid();
        !(selectable::<W>(kind).is_some() && is_counted && is_same)
    }

    fn mentions(&self, kind: Kind, object: &Object) -> Vec<Key> {
        if selectable::<W>(kind).is_none() {
            return Vec::new();
        }
        bindings::workloads(object, W::DECLARATION.primary)
    }
}

fn is_owned<W: Workload>(object: &Object, workload: &Key) -> bool {
    let owner = object.controller().filter(|owner| owner.is_a(W::DECLARATION.primary));
    owner.is_some_and(|owner| *owner.name == *workload.name)
}

/// Whether a Secret has the name of the configuration of a workload. Its owner reference may lack `controller`, or may have
/// been removed.
fn is_configuration<W: Workload>(secret: &Object, workload: &Key) -> bool {
    *secret.key().name == *W::NAMING.configuration(&workload.name)
}

/// Whether a pod or a claim has the labels of a workload.
pub(crate) fn has_labels<W: Workload>(pod: &Object, workload: &Key) -> bool {
    pod.label(labels::APPLICATION) == Some(W::NAMING.application)
        && pod.label(labels::INSTANCE) == Some(&*workload.name)
}

#[cfg(test)]
mod tests;
