//! The resources that a workload selects, and their references. They are known before any reference is read, and only changed
//! resources are processed again.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_monitoring::{PerKind, SelectableKind};
use kernel::object::{Key, Object};
use kernel::stores::All;
use monitoring_assets::{Named, Reference};
use monitoring_select::selection::{
    Candidate, LabelsByNamespace, NamespacedSelector, ResourceSelector, SelectionError,
};
use serde::Deserialize;

use crate::plan::carry::{Keeper, OfResource, carry_over};
use crate::plan::context::Resources;
use crate::selectors::WorkloadSelectors;

/// The resources of a kind that a workload can select, and its selectors.
#[derive(Debug)]
pub struct Candidates<'c> {
    all: &'c All,
    selector: NamespacedSelector<'c>,
    /// The selectors and the selected namespaces, as a text that is compared.
    choice: String,
}

impl<'c> Candidates<'c> {
    /// All resources of a kind in the known namespaces.
    pub fn new(selector: &'c ResourceSelector<'c>, known: &'c LabelsByNamespace, all: &'c All) -> Self {
        let namespaced = selector.in_namespaces(known);
        let choice = format!("{:?}", (selector, namespaced.namespaces().collect::<Vec<_>>()));
        Self { all, selector: namespaced, choice }
    }

    /// Whether a resource is selected.
    fn selects(&self, object: &Object) -> bool {
        self.selector.selects(candidate(object))
    }
}

/// What selectors match of a resource.
pub(crate) fn candidate(object: &Object) -> Candidate<'_> {
    let labels = Some(object.labels().into());
    Candidate { namespace: &object.key().namespace, name: &object.key().name, labels }
}

/// The resources of a kind that a workload selects, in the order of the store.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The [`Candidates::choice`] that it was made with.
    choice: String,
    selected: Vec<SelectedResource>,
}

/// A resource that is selected.
#[derive(Debug, Clone)]
pub struct SelectedResource {
    /// The resource.
    pub object: Arc<Object>,
    /// The Secrets and ConfigMaps that it refers to.
    pub references: Box<[Reference]>,
}

/// All that a workload selects.
pub type Selections = PerKind<Selection>;

impl OfResource for SelectedResource {
    fn object(&self) -> &Arc<Object> {
        &self.object
    }
}

/// The part of a resource with references.
#[derive(Deserialize)]
struct SpecReferences {
    #[serde(default)]
    spec: Named,
}

/// The references of a resource; none, if it cannot be read: rendering reports the error.
fn references(object: &Object) -> Box<[Reference]> {
    let named = object.read::<SpecReferences>().map(|resource| resource.spec).unwrap_or_default();
    named.of_namespace(&object.key().namespace).into_iter().collect()
}

/// Selects among resources.
struct SelectionKeeper<'s> {
    candidates: &'s Candidates<'s>,
    is_same_choice: bool,
}

impl Keeper<Arc<Object>> for SelectionKeeper<'_> {
    type Kept = SelectedResource;

    fn trusts_kept(&self) -> bool {
        self.is_same_choice
    }

    fn belongs(&self, object: &Arc<Object>) -> bool {
        self.candidates.selects(object)
    }

    fn renew(&mut self, kept: &mut SelectedResource, object: &Arc<Object>) {
        if Arc::ptr_eq(&kept.object, object) {
            return;
        }
        if is_same_spec(&kept.object, object) {
            kept.object = Arc::clone(object);
        } else {
            *kept = self.make(object);
        }
    }

    fn make(&mut self, object: &Arc<Object>) -> SelectedResource {
        SelectedResource { object: Arc::clone(object), references: references(object) }
    }
}

/// Whether two versions of an object have the same spec. Objects from files have no generation: they are the same only if
/// they have the same address.
pub(crate) fn is_same_spec(one: &Arc<Object>, other: &Arc<Object>) -> bool {
    let is_counted = || other.generation() != 0 && one.generation() == other.generation();
    Arc::ptr_eq(one, other) || (is_counted() && one.uid() == other.uid())
}

impl Selection {
    /// Updates it.
    pub fn pass(&mut self, candidates: &Candidates<'_>) {
        let is_same_choice = self.choice == candidates.choice;
        if !is_same_choice {
            self.choice.clone_from(&candidates.choice);
        }
        let mut keeper = SelectionKeeper { candidates, is_same_choice };
        carry_over(&mut keeper, &mut self.selected, candidates.all.iter());
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &SelectedResource> {
        self.selected.iter()
    }

    /// Removes all resources.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Which of these objects are not selected. The keys are sorted.
    pub fn missing<'k>(&self, keys: impl Iterator<Item = &'k Key>) -> Vec<Key> {
        let mut selected = self.selected.iter().map(|one| one.object.key()).peekable();
        let mut missing = Vec::new();
        for key in keys {
            while selected.next_if(|other| *other < key).is_some() {}
            if selected.peek() != Some(&key) {
                missing.push(key.clone());
            }
        }
        if !missing.is_empty() {
            // With a watch for each namespace, resources are not sorted over all namespaces.
            let selected: BTreeSet<&Key> = self.selected.iter().map(|one| one.object.key()).collect();
            missing.retain(|key| !selected.contains(key));
        }
        missing
    }
}

/// Updates all selections of a workload; the invalid selectors.
pub fn select(
    selections: &mut Selections,
    selectors: &WorkloadSelectors,
    own_namespace: &str,
    (resources, namespaces): (&Resources, &LabelsByNamespace),
) -> PerKind<Option<SelectionError>> {
    PerKind::new(|kind: SelectableKind| {
        let selection = &mut selections[kind];
        match selectors.selector(own_namespace, kind) {
            Ok(selector) => {
                selection.pass(&Candidates::new(&selector, namespaces, &resources[kind]));
                None
            }
            Err(error) => {
                selection.clear();
                Some(error)
            }
        }
    })
}
