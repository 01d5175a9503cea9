//! The resources that a workload selects, and their references. They are known before any reference is read, and only changed
//! resources are looked at again.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_monitoring::{PerKind, SelectableKind};
use kernel::object::{Key, Object};
use kernel::stores::All;
use monitoring_assets::{Named, Reference};
use monitoring_select::selection::{
    Candidate, NamespacedSelector, Namespaces, ResourceSelector, SelectionError,
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
    /// Differs where the selectors or the labels of namespaces do.
    choice: String,
}

impl<'c> Candidates<'c> {
    /// All resources of a kind in the known namespaces.
    pub fn new(selector: &'c ResourceSelector<'c>, known: &'c Namespaces, all: &'c All) -> Self {
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
    selected: Vec<Selected>,
}

/// A resource that is selected.
#[derive(Debug, Clone)]
pub struct Selected {
    /// The resource.
    pub object: Arc<Object>,
    /// The Secrets and ConfigMaps that it refers to.
    pub references: Box<[Reference]>,
}

/// All that a workload selects.
pub type Selections = PerKind<Selection>;

impl OfResource for Selected {
    fn object(&self) -> &Arc<Object> {
        &self.object
    }
}

/// The part of a resource with references.
#[derive(Deserialize)]
struct Pointing {
    #[serde(default)]
    spec: Named,
}

/// The references of a resource. One that cannot be read has none: rendering it reports why.
fn references(object: &Object) -> Box<[Reference]> {
    let named = object.read::<Pointing>().map(|pointing| pointing.spec).unwrap_or_default();
    named.of_namespace(&object.key().namespace).into_iter().collect()
}

/// Selects among resources.
struct Selecting<'s> {
    candidates: &'s Candidates<'s>,
    is_same_choice: bool,
}

impl Keeper<Arc<Object>> for Selecting<'_> {
    type Kept = Selected;

    fn trusts_kept(&self) -> bool {
        self.is_same_choice
    }

    fn belongs(&self, object: &Arc<Object>) -> bool {
        self.candidates.selects(object)
    }

    fn renew(&mut self, kept: &mut Selected, object: &Arc<Object>) {
        if Arc::ptr_eq(&kept.object, object) {
            return;
        }
        if is_same_spec(&kept.object, object) {
            kept.object = Arc::clone(object);
        } else {
            *kept = self.make(object);
        }
    }

    fn make(&mut self, object: &Arc<Object>) -> Selected {
        Selected { object: Arc::clone(object), references: references(object) }
    }
}

/// Whether two states of an object have the same spec. What comes from a file has no generation: only the same one is the
/// same object.
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
        carry_over(&mut Selecting { candidates, is_same_choice }, &mut self.selected, candidates.all.iter());
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Selected> {
        self.selected.iter()
    }

    /// Selects nothing.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Those of these objects, which come by key, that are not selected.
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
    (resources, namespaces): (&Resources, &Namespaces),
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
