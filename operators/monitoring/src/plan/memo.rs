//! What was rendered for each selected resource in the last pass. A resource is rendered again only if it changed, an object
//! that it refers to changed, or the settings of the workload that matter to it changed. The result does not depend on what
//! is remembered.

use std::sync::Arc;

use kernel::object::Object;
use monitoring_assets::{Objects, Reference};

use crate::plan::carry::{Carried, Keeper, OfResource, carry_over};
use crate::plan::selection::{SelectedResource, Selection, is_same_spec};

/// What was rendered for the selected resources of a kind.
#[derive(Debug, Clone)]
pub struct Memo<T> {
    /// The settings of the workload that matter.
    options: Vec<u8>,
    /// In the order of the resources.
    kept: Vec<Kept<T>>,
    /// The indices of all of them, in the order of their names.
    by_name: Vec<usize>,
    made: usize,
}

/// A reference that was read, and the version of the object; none, if it is missing.
pub type Read = (Reference, Option<Box<str>>);

/// What was rendered for one resource.
#[derive(Debug, Clone)]
struct Kept<T> {
    /// `namespace/name`.
    name: Arc<str>,
    object: Arc<Object>,
    read: Vec<Read>,
    value: T,
}

/// Renders resources.
struct Maker<'m, F> {
    objects: &'m Objects,
    make: F,
    made: usize,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { options: Vec::new(), kept: Vec::new(), by_name: Vec::new(), made: 0 }
    }
}

impl<T> Memo<T> {
    /// Renders the selected resources that changed. Those that are no longer selected are forgotten.
    pub fn pass(
        &mut self,
        options: Vec<u8>,
        objects: &Objects,
        selection: &Selection,
        make: impl Fn(&Object) -> T,
    ) {
        if self.options != options {
            self.options = options;
            self.kept.clear();
        }
        let mut maker = Maker { objects, make, made: 0 };
        let before = self.kept.len();
        let Carried { has_new, removed } = carry_over(&mut maker, &mut self.kept, selection.iter());
        self.made = maker.made;
        if has_new || removed > 0 || self.by_name.len() != before {
            self.by_name = (0..self.kept.len()).collect();
            // They are sorted by namespace and name, which is nearly the same order.
            self.by_name.sort_by(|one, other| self.kept[*one].name.cmp(&self.kept[*other].name));
        }
    }

    fn in_order(&self) -> impl Iterator<Item = &Kept<T>> {
        self.by_name.iter().filter_map(|at| self.kept.get(*at))
    }

    /// What was rendered for each, by `namespace/name` and in the order of these names.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &T)> {
        self.in_order().map(|kept| (&kept.name, &kept.value))
    }

    /// What was rendered for each, with the resource and the references that were read for it.
    pub fn objects(&self) -> impl Iterator<Item = (&Arc<Object>, &[Read], &T)> {
        self.in_order().map(|kept| (&kept.object, &*kept.read, &kept.value))
    }

    /// Whether nothing was rendered.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many were rendered in the last pass.
    pub fn made(&self) -> usize {
        self.made
    }
}

impl<T> OfResource for Kept<T> {
    fn object(&self) -> &Arc<Object> {
        &self.object
    }
}

impl<T, F: Fn(&Object) -> T> Keeper<SelectedResource> for Maker<'_, F> {
    type Kept = Kept<T>;

    fn renew(&mut self, kept: &mut Kept<T>, selected: &SelectedResource) {
        if !kept.holds(selected, self.objects) {
            *kept = self.make(selected);
        } else if !Arc::ptr_eq(&kept.object, &selected.object) {
            kept.object = Arc::clone(&selected.object);
        }
    }

    fn make(&mut self, selected: &SelectedResource) -> Kept<T> {
        self.made += 1;
        let SelectedResource { object, references } = selected;
        let version = |reference: &Reference| self.objects.version(reference).map(Box::from);
        let read = references.iter().map(|one| (one.clone(), version(one))).collect();
        let name = format!("{}/{}", object.key().namespace, object.key().name).into();
        Kept { name, object: Arc::clone(object), read, value: (self.make)(object) }
    }
}

impl<T> Kept<T> {
    /// Whether it is still valid for a resource. Other labels or another status do not matter.
    fn holds(&self, selected: &SelectedResource, objects: &Objects) -> bool {
        is_same_spec(&self.object, &selected.object)
            && self.read.iter().all(|(reference, version)| objects.version(reference) == version.as_deref())
    }
}

#[cfg(test)]
mod tests;
