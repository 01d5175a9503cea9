//! What was made of each selected resource in the last pass. It is made again only if the resource changed, or what it
//! points to, or what of the workload matters to all of them. Whether something was remembered or made again shows nowhere
//! but in the time that it took.

use std::sync::Arc;

use kernel::object::Object;
use monitoring_assets::{Objects, Reference};

use crate::plan::carry::{Carried, Keeper, OfResource, carry_over};
use crate::plan::selection::{Selected, Selection, is_same_spec};

/// What was made of the resources that a workload asks for.
#[derive(Debug, Clone)]
pub struct Memo<T> {
    /// What of the workload matters to what is made.
    options: Vec<u8>,
    /// In the order in which the resources came.
    kept: Vec<Kept<T>>,
    /// The places of all of them, in the order of their names.
    by_name: Vec<usize>,
    made: usize,
    removed: usize,
}

/// Something that was read, and its version; none, if it was not there.
pub type Read = (Reference, Option<Box<str>>);

/// What was made of one resource.
#[derive(Debug, Clone)]
struct Kept<T> {
    /// `namespace/name`.
    name: Arc<str>,
    object: Arc<Object>,
    read: Vec<Read>,
    value: T,
}

/// How something is made of a resource.
struct Maker<'m, F> {
    objects: &'m Objects,
    make: F,
    made: usize,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { options: Vec::new(), kept: Vec::new(), by_name: Vec::new(), made: 0, removed: 0 }
    }
}

impl<T> Memo<T> {
    /// Goes through the selected resources. What is not among them any more is forgotten.
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
        let Carried { came, gone } = carry_over(&mut maker, &mut self.kept, selection.iter());
        (self.made, self.removed) = (maker.made, gone);
        if came || gone > 0 || self.by_name.len() != before {
            self.by_name = (0..self.kept.len()).collect();
            // They come sorted by namespace and name, which is nearly the same.
            self.by_name.sort_by(|one, other| self.kept[*one].name.cmp(&self.kept[*other].name));
        }
    }

    fn in_order(&self) -> impl Iterator<Item = &Kept<T>> {
        self.by_name.iter().filter_map(|at| self.kept.get(*at))
    }

    /// What was made of each, by `namespace/name` and in the order of these names.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &T)> {
        self.in_order().map(|kept| (&kept.name, &kept.value))
    }

    /// What was made of each, with the resource and the versions of what was read for it.
    pub fn objects(&self) -> impl Iterator<Item = (&Arc<Object>, &[Read], &T)> {
        self.in_order().map(|kept| (&kept.object, &*kept.read, &kept.value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many were made anew in the last pass.
    pub fn made(&self) -> usize {
        self.made
    }

    /// Whether the last pass found everything as it was before.
    pub fn is_unchanged(&self) -> bool {
        self.made == 0 && self.removed == 0
    }
}

impl<T> OfResource for Kept<T> {
    fn object(&self) -> &Arc<Object> {
        &self.object
    }
}

impl<T, F: Fn(&Object) -> T> Keeper<Selected> for Maker<'_, F> {
    type Kept = Kept<T>;

    fn trusts_kept(&self) -> bool {
        true
    }

    fn belongs(&self, _: &Selected) -> bool {
        true
    }

    fn renew(&mut self, kept: &mut Kept<T>, selected: &Selected) {
        if !kept.holds(selected, self.objects) {
            *kept = self.make(selected);
        } else if !Arc::ptr_eq(&kept.object, &selected.object) {
            kept.object = Arc::clone(&selected.object);
        }
    }

    fn make(&mut self, selected: &Selected) -> Kept<T> {
        self.made += 1;
        let Selected { object, references } = selected;
        let version = |reference: &Reference| self.objects.version(reference).map(Box::from);
        let read = references.iter().map(|one| (one.clone(), version(one))).collect();
        let name = format!("{}/{}", object.key().namespace, object.key().name).into();
        Kept { name, object: Arc::clone(object), read, value: (self.make)(object) }
    }
}

impl<T> Kept<T> {
    /// Whether it still holds for a resource. One that only says something else about itself, or has other labels, is the
    /// same: it was selected.
    fn holds(&self, selected: &Selected, objects: &Objects) -> bool {
        is_same_spec(&self.object, &selected.object)
            && self.read.iter().all(|(reference, version)| objects.version(reference) == version.as_deref())
    }
}

#[cfg(test)]
mod tests;
