//! What was made of each resource in the last pass. It is made again only if the resource changed, or what it points to,
//! or what of the workload matters to all of them. Whether something was remembered or made anew shows nowhere but in
//! the time that it took.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kernel::object::Object;
use monitoring_assets::{Objects, Reference};

/// What was made, by `namespace/name` of the resource and in the order of these names.
#[derive(Debug, Clone)]
pub struct Memo<T> {
    options: Vec<u8>,
    kept: BTreeMap<Arc<str>, Kept<T>>,
    pass: u64,
    made: usize,
    removed: usize,
}

/// Something that was read, and its version; none, if it was not there.
pub type Read = (Reference, Option<Box<str>>);

/// What was made of one resource.
#[derive(Debug, Clone)]
struct Kept<T> {
    object: Arc<Object>,
    read: Vec<Read>,
    pass: u64,
    value: T,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { options: Vec::new(), kept: BTreeMap::new(), pass: 0, made: 0, removed: 0 }
    }
}

impl<T> Memo<T> {
    /// Goes through the resources of a pass. What is not among them any more is forgotten.
    pub fn pass<'o>(
        &mut self,
        options: Vec<u8>,
        objects: &Objects,
        resources: impl IntoIterator<Item = &'o Arc<Object>>,
        make: impl Fn(&Object) -> (T, BTreeSet<Reference>),
    ) {
        if self.options != options {
            self.options = options;
            self.kept.clear();
        }
        self.pass += 1;
        self.made = 0;
        let mut name = String::new();
        for resource in resources {
            name.clear();
            name.push_str(&resource.key().namespace);
            name.push('/');
            name.push_str(&resource.key().name);
            match self.kept.get_mut(&*name) {
                Some(kept) if kept.holds(resource, objects) => {
                    kept.pass = self.pass;
                    kept.object = Arc::clone(resource);
                }
                _ => {
                    self.made += 1;
                    let (value, read) = make(resource);
                    let version = |reference| objects.version(&reference).map(Box::from);
                    let read = read.into_iter().map(|one| (one.clone(), version(one))).collect();
                    let kept = Kept { object: Arc::clone(resource), read, pass: self.pass, value };
                    self.kept.insert(name.as_str().into(), kept);
                }
            }
        }
        let before = self.kept.len();
        self.kept.retain(|_, kept| kept.pass == self.pass);
        self.removed = before - self.kept.len();
    }

    /// What was made of each.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &T)> {
        self.kept.iter().map(|(name, kept)| (name, &kept.value))
    }

    /// What was made of each, with the resource and the versions of what was read for it.
    pub fn objects(&self) -> impl Iterator<Item = (&Arc<Object>, &[Read], &T)> {
        self.kept.values().map(|kept| (&kept.object, &*kept.read, &kept.value))
    }

    /// Everything that was read for one of them, there or not.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.kept.values().flat_map(|kept| kept.read.iter().map(|(reference, _)| reference))
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

impl<T> Memo<Result<T, String>> {
    /// What was taken in, without some.
    pub(crate) fn taken<'m>(
        &'m self,
        without: &BTreeSet<String>,
    ) -> impl Iterator<Item = (&'m Arc<str>, &'m T)> {
        let taken = self.iter().filter_map(|(name, verdict)| Some((name, verdict.as_ref().ok()?)));
        taken.filter(|(name, _)| without.is_empty() || !without.contains(&***name))
    }
}

impl<T> Kept<T> {
    /// Whether it still holds for a resource.
    fn holds(&self, resource: &Arc<Object>, objects: &Objects) -> bool {
        // What comes from a file has no generation: the same one is the same object. What only says something else about
        // itself, or has other labels, is the same too: who selects by labels has looked at them.
        let counted = resource.generation() != 0 && self.object.generation() == resource.generation();
        let same = Arc::ptr_eq(&self.object, resource) || (counted && self.object.uid() == resource.uid());
        same && self.read.iter().all(|(reference, version)| objects.version(reference) == version.as_deref())
    }
}
