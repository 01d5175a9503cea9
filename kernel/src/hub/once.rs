//! One pass of every resource: for a client whose writes are dry runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::{FutureExt, StreamExt, stream};
use tokio_util::sync::CancellationToken;

use super::{Hub, Progress, Registration, WatchState, knows};
use crate::apply::Writer;
use crate::index::Index;
use crate::object::Key;
use crate::queue::Outcome;
use crate::store::Change;

/// The results of one pass of every resource.
#[derive(Debug, Default)]
pub struct Once {
    /// The kind and name of every resource, and the outcome of its pass.
    pub outcomes: Vec<(&'static str, Key, Outcome)>,
    /// Kinds that could not be listed, or whose controllers lack a kind that they need.
    pub blind: Vec<&'static str>,
}

impl Hub {
    /// One pass of every resource, and of what controllers check when they start. Changes meanwhile trigger nothing.
    pub async fn once(self, registrations: Vec<Registration>) -> Once {
        let mut watches = self.watch(&[], &CancellationToken::new());
        let mut watch_states = self.watch_states.subscribe();
        let are_settled = |all: &Vec<WatchState>| all.iter().all(|one| one.progress != Progress::Listing);
        // This cannot fail: the hub holds the sender.
        let watch_states = watch_states.wait_for(are_settled).await;
        let watch_states = watch_states.map(|all| all.clone()).unwrap_or_default();
        let mut once = Once::default();
        for Registration { declaration, make, interests } in registrations {
            let (kind, stores) = (declaration.primary.kind, &self.tools.stores);
            if !knows(declaration, &watch_states) {
                once.blind.push(kind);
                continue;
            }
            let index = Arc::new(Index::new(declaration, interests));
            for kind in declaration.kinds().collect::<BTreeSet<_>>() {
                for object in stores.all(kind).iter() {
                    index.follow(kind, &Change { before: None, after: Some(Arc::clone(object)) });
                }
            }
            let gone = index.mentioned_and_gone(stores);
            let writer = Writer::new(declaration, self.tools.clone());
            let controller = make(writer, index);
            let known = stores.all(declaration.primary);
            let known = known.iter().map(|object| object.key().clone());
            let keys: BTreeSet<Key> = known.chain(gone).collect();
            let pass = |key: Key| {
                let outcome = Arc::clone(&controller).pass(key.clone());
                outcome.map(move |outcome| (kind, key, outcome))
            };
            let passes = stream::iter(keys).map(pass).buffered(self.queue.concurrency);
            once.outcomes.extend(passes.collect::<Vec<_>>().await);
        }
        watches.shutdown().await;
        once
    }
}
