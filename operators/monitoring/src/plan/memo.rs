//! What was made of each resource in the last pass. It is made again only if the resource changed, or what it points to,
//! or what of the workload matters to all of them. Whether something was remembered or made anew shows nowhere but in
//! the time that it took.
//!
//! A pass in which one of thousands changed must not look at the others: they come in the order of the last pass, and the
//! same one is known by its address.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kernel::object::{Key, Object};
use monitoring_assets::{Objects, Reference};

use crate::plan::candidates::Candidates;

/// What was made of the resources that a workload asks for.
#[derive(Debug, Clone)]
pub struct Memo<T> {
    /// What of the workload matters to what is made.
    options: Vec<u8>,
    /// What matters to which resources it asks for.
    choice: String,
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
        let (options, choice) = (Vec::new(), String::new());
        Self { options, choice, kept: Vec::new(), by_name: Vec::new(), made: 0, removed: 0 }
    }
}

impl<T> Memo<T> {
    /// Goes through the resources that a workload asks for. What is not among them any more is forgotten.
    pub fn pass(
        &mut self,
        options: Vec<u8>,
        objects: &Objects,
        candidates: &Candidates<'_>,
        make: impl Fn(&Object) -> (T, BTreeSet<Reference>),
    ) {
        if self.options != options {
            self.options = options;
            self.kept.clear();
        }
        let is_same_choice = self.choice == candidates.choice;
        if !is_same_choice {
            self.choice.clone_from(&candidates.choice);
        }
        let mut maker = Maker { objects, make, made: 0 };
        let (before, mut rest) = (self.kept.len(), candidates.all.iter());
        let mut at = 0;
        let newcomer = loop {
            let Some(candidate) = rest.next() else { break None };
            match self.kept.get_mut(at) {
                Some(kept) if is_same_choice && Arc::ptr_eq(&kept.object, candidate) => {
                    maker.renew(kept, candidate);
                }
                _ if !candidates.asks_for(candidate) => continue,
                Some(kept) if kept.object.key() == candidate.key() => maker.renew(kept, candidate),
                _ => break Some(candidate),
            }
            at += 1;
        };
        let others = self.kept.split_off(at);
        let gone = match newcomer {
            None => others.len(),
            Some(first) => {
                let known = |kept: &Kept<T>, candidate: &Arc<Object>| {
                    is_same_choice && Arc::ptr_eq(&kept.object, candidate)
                };
                let asked = std::iter::once(first).chain(rest);
                let (kept, gone) =
                    merged(others, asked, known, |candidate| candidates.asks_for(candidate), &mut maker);
                self.kept.extend(kept);
                gone
            }
        };
        (self.made, self.removed) = (maker.made, gone);
        if newcomer.is_some() || gone > 0 || self.by_name.len() != before {
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

    /// Everything that was read for one of them, there or not.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.kept.iter().flat_map(|kept| kept.read.iter().map(|(reference, _)| reference))
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

/// Goes through resources of which some came or went; how many went. Those that come out of turn may be made anew.
fn merged<'c, T, F: Fn(&Object) -> (T, BTreeSet<Reference>)>(
    before: Vec<Kept<T>>,
    candidates: impl Iterator<Item = &'c Arc<Object>>,
    is_known: impl Fn(&Kept<T>, &Arc<Object>) -> bool,
    asks_for: impl Fn(&Object) -> bool,
    maker: &mut Maker<'_, F>,
) -> (Vec<Kept<T>>, usize) {
    let mut now = Vec::with_capacity(before.len() + 1);
    let mut before = before.into_iter().peekable();
    let mut passed: BTreeMap<Key, Kept<T>> = BTreeMap::new();
    for candidate in candidates {
        let mut found = before.next_if(|kept| is_known(kept, candidate));
        if found.is_none() {
            if !asks_for(candidate) {
                continue;
            }
            while let Some(kept) = before.next_if(|kept| kept.object.key() < candidate.key()) {
                passed.insert(kept.object.key().clone(), kept);
            }
            let next = before.next_if(|kept| kept.object.key() == candidate.key());
            found = next.or_else(|| passed.remove(candidate.key()));
        }
        now.push(match found {
            Some(mut kept) => {
                maker.renew(&mut kept, candidate);
                kept
            }
            None => maker.made_of(candidate),
        });
    }
    (now, passed.len() + before.count())
}

impl<T, F: Fn(&Object) -> (T, BTreeSet<Reference>)> Maker<'_, F> {
    /// Keeps what was made of a resource if it still holds.
    fn renew(&mut self, kept: &mut Kept<T>, resource: &Arc<Object>) {
        if !kept.holds(resource, self.objects) {
            *kept = self.made_of(resource);
        } else if !Arc::ptr_eq(&kept.object, resource) {
            kept.object = Arc::clone(resource);
        }
    }

    fn made_of(&mut self, resource: &Arc<Object>) -> Kept<T> {
        self.made += 1;
        let (value, read) = (self.make)(resource);
        let version = |reference: &Reference| self.objects.version(reference).map(Box::from);
        let read = read.into_iter().map(|one| (one.clone(), version(&one))).collect();
        let name = format!("{}/{}", resource.key().namespace, resource.key().name).into();
        Kept { name, object: Arc::clone(resource), read, value }
    }
}

impl<T> Kept<T> {
    /// Whether it still holds for a resource.
    fn holds(&self, resource: &Arc<Object>, objects: &Objects) -> bool {
        // What comes from a file has no generation: the same one is the same object. What only says something else about
        // itself, or has other labels, is the same too: who selects by labels has looked at them.
        let is_counted = || resource.generation() != 0 && self.object.generation() == resource.generation();
        let is_same =
            Arc::ptr_eq(&self.object, resource) || (is_counted() && self.object.uid() == resource.uid());
        is_same
            && self.read.iter().all(|(reference, version)| objects.version(reference) == version.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
    use kernel::declare::{Kind, Scope};
    use kernel::stores::All;
    use monitoring_select::Namespaces;
    use monitoring_select::asking::{Asking, Selectors};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const KIND: Kind = Kind { group: "g", version: "v1", kind: "K", plural: "ks", scope: Scope::Namespaces };

    fn object((namespace, name): (u8, u8), generation: u8, is_wanted: bool) -> Arc<Object> {
        // These names sort otherwise as pairs than as texts.
        let namespace = ["a", "a-b", "b"][usize::from(namespace % 3)];
        let (name, wanted) = (format!("n{name}"), is_wanted.to_string());
        let object = json!({ "metadata": {
            "namespace": namespace, "name": name, "uid": format!("{namespace}/{name}"),
            "generation": generation, "labels": { "wanted": wanted },
        }});
        Arc::new(Object::new(serde_json::from_value(object).unwrap(), &KIND.resource()))
    }

    /// What a pass finds: the resources, with their generations and whether they are wanted; whether that matters; and
    /// whether they come in the reverse order.
    type Found = (BTreeMap<(u8, u8), (u8, bool)>, bool, bool);

    fn passes() -> impl Strategy<Value = Vec<Found>> {
        let resources = prop::collection::btree_map((0u8..3, 0u8..6), (1u8..4, any::<bool>()), 0..12);
        prop::collection::vec((resources, any::<bool>(), any::<bool>()), 1..8)
    }

    proptest! {
        #[test]
        fn nothing_but_time_shows_what_was_remembered(passes in passes()) {
            let everything = LabelSelector::default();
            let wanted = [("wanted".to_owned(), "true".to_owned())].into();
            let wanted = LabelSelector { match_labels: Some(wanted), ..LabelSelector::default() };
            let known: Namespaces =
                ["a", "a-b", "b"].map(|name| (name.to_owned(), BTreeMap::new())).into();
            let made = RefCell::new(Vec::new());
            let make = |object: &Object| {
                made.borrow_mut().push(object.uid().to_owned());
                (object.generation(), BTreeSet::new())
            };
            let (mut memo, mut last) = (Memo::default(), BTreeMap::new());
            for (resources, picky, backwards) in passes {
                let mut all: Vec<Arc<Object>> = Vec::new();
                for (key, (generation, is_wanted)) in &resources {
                    let same = last.remove(key).filter(|(state, _)| *state == (*generation, *is_wanted));
                    let object = same.map_or_else(|| object(*key, *generation, *is_wanted), |(_, object)| object);
                    last.insert(*key, ((*generation, *is_wanted), Arc::clone(&object)));
                    all.push(object);
                }
                if backwards {
                    all.reverse();
                }
                let selectors = Selectors::new(Some(&everything), Some(if picky { &wanted } else { &everything }));
                let asking = Asking::new("a", selectors).unwrap();
                let shelf = All::from(all.clone());
                let candidates = Candidates::new(&asking, &known, &shelf);
                made.borrow_mut().clear();
                memo.pass(Vec::new(), &Objects::default(), &candidates, make);
                prop_assert_eq!(memo.made(), made.borrow().len());

                let mut expected: Vec<(String, i64)> = Vec::new();
                for object in all.iter().filter(|object| !picky || object.label("wanted") == Some("true")) {
                    expected.push((object.uid().to_owned(), object.generation()));
                }
                expected.sort();
                let found: Vec<(String, i64)> =
                    memo.iter().map(|(name, value)| (name.to_string(), *value)).collect();
                prop_assert_eq!(found, expected);
                made.borrow_mut().clear();
                memo.pass(Vec::new(), &Objects::default(), &candidates, make);
                prop_assert!(memo.is_unchanged() && made.borrow().is_empty());
            }
        }
    }

    #[test]
    fn one_that_comes_goes_or_changes_is_all_that_is_made() {
        let everything = LabelSelector::default();
        let selectors = Selectors::new(None, Some(&everything));
        let (asking, known) = (Asking::new("a", selectors).unwrap(), Namespaces::new());
        let mut all: Vec<Arc<Object>> = (0..9).map(|name| object((0, name), 1, true)).collect();
        let mut memo = Memo::default();
        let mut made = |all: &[Arc<Object>]| {
            let shelf = All::from(all.to_vec());
            let candidates = Candidates::new(&asking, &known, &shelf);
            memo.pass(Vec::new(), &Objects::default(), &candidates, |_| ((), BTreeSet::new()));
            (memo.made(), memo.len())
        };
        assert_eq!(made(&all), (9, 9));
        assert_eq!(made(&all), (0, 9));
        let gone = all.remove(3);
        assert_eq!(made(&all), (0, 8));
        all.insert(3, gone);
        assert_eq!(made(&all), (1, 9));
        all[5] = object((0, 5), 2, true);
        assert_eq!(made(&all), (1, 9));
        // It says something else about itself, and is the same.
        all[5] = object((0, 5), 2, false);
        assert_eq!(made(&all), (0, 9));
    }
}
