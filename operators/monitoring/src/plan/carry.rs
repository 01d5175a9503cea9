//! What is kept of a sequence of resources between passes. A pass in which one of thousands changed must not look at the others:
//! they come in the order of the last pass, and an unchanged one has the same address.

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

/// Decides what is kept of each resource.
pub(crate) trait Keeper<N> {
    /// What is kept of one.
    type Kept: OfResource;

    /// Whether a resource of which something is kept still belongs, if it is the same object.
    fn trusts_kept(&self) -> bool {
        true
    }

    /// Whether a resource belongs.
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
    /// Whether resources came, or came in another order.
    pub(crate) came: bool,
    /// How many were removed.
    pub(crate) gone: usize,
}

/// Updates what is kept for a new sequence of resources. Those that come in another order may be made again.
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
    let Some(first) = newcomer else { return Carried { came: false, gone: before.count() } };
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
    Carried { came: true, gone: passed.len() + before.count() }
}
