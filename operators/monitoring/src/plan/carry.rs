//! What is kept of a sequence of resources between passes. If one of thousands of resources changed, a pass does not process
//! the others: they come in the order of the last pass, and an unchanged resource has the same address.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::object::{Key, Object};

/// Something that belongs to one resource.
pub(crate) trait OfResource {
    /// The resource.
    fn object(&self) -> &Arc<Object>;
}

impl OfResource for Arc<Object> {
    fn object(&self) -> &Arc<Object> {
        self
    }
}

/// Selects resources, and makes what is kept of each.
pub(crate) trait Keeper<N> {
    /// What is kept of one.
    type Kept: OfResource;

    /// Whether an unchanged resource of the last pass is kept without a further check.
    fn trusts_kept(&self) -> bool {
        true
    }

    /// Whether a resource is selected.
    fn belongs(&self, _item: &N) -> bool {
        true
    }

    /// Updates what is kept.
    fn renew(&mut self, kept: &mut Self::Kept, item: &N);

    /// Makes what is kept.
    fn make(&mut self, item: &N) -> Self::Kept;
}

/// How a sequence changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Carried {
    /// Whether there are new resources, or another order.
    pub(crate) has_new: bool,
    /// How many were removed.
    pub(crate) removed: usize,
}

/// Updates what is kept for a new sequence of resources. Those in another order may be made again.
pub(crate) fn carry_over<'n, N: OfResource + 'n, K: Keeper<N>>(
    keeper: &mut K,
    kept: &mut Vec<K::Kept>,
    mut items: impl Iterator<Item = &'n N>,
) -> Carried {
    let trusts = keeper.trusts_kept();
    let is_same = |kept: &K::Kept, item: &N| trusts && Arc::ptr_eq(kept.object(), item.object());
    let mut at = 0;
    let newcomer = loop {
        let Some(item) = items.next() else { break None };
        match kept.get_mut(at) {
            Some(known) if is_same(known, item) => keeper.renew(known, item),
            _ if !keeper.belongs(item) => continue,
            Some(known) if known.object().key() == item.object().key() => keeper.renew(known, item),
            _ => break Some(item),
        }
        at += 1;
    };
    let mut before = kept.split_off(at).into_iter().peekable();
    let Some(first) = newcomer else { return Carried { has_new: false, removed: before.count() } };
    let mut passed: BTreeMap<Key, K::Kept> = BTreeMap::new();
    for item in std::iter::once(first).chain(items) {
        let mut found = before.next_if(|known| is_same(known, item));
        if found.is_none() {
            if !keeper.belongs(item) {
                continue;
            }
            let key = item.object().key();
            while let Some(known) = before.next_if(|known| known.object().key() < key) {
                passed.insert(known.object().key().clone(), known);
            }
            found = before.next_if(|known| known.object().key() == key).or_else(|| passed.remove(key));
        }
        kept.push(match found {
            Some(mut known) => {
                keeper.renew(&mut known, item);
                known
            }
            None => keeper.make(item),
        });
    }
    Carried { has_new: true, removed: passed.len() + before.count() }
}
