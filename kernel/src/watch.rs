//! One watch of one kind, for the whole process: keeps a store and tells of every change.
//! Whoever shares the store sees a change no later than its notice.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use futures::StreamExt;
use kube::Api;
use kube::api::{DynamicObject, PartialObjectMeta};
use kube::runtime::{WatchStreamExt, watcher};
use tokio_util::sync::CancellationToken;

use crate::object::{Identity, Kept, Key};
use crate::store::{Change, Event, Store};

/// A store that a watch fills and controllers read.
#[derive(Debug)]
pub struct Shared<K>(Arc<RwLock<Store<K>>>);

impl<K> Clone for Shared<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K> Default for Shared<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K> Shared<K> {
    /// Looks. Not across an await: a watch waits for it.
    pub fn read(&self) -> RwLockReadGuard<'_, Store<K>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes: for the watch, and for `apply` with what the server answered.
    pub fn write(&self) -> RwLockWriteGuard<'_, Store<K>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a watch has to tell.
#[derive(Debug)]
pub enum Notice<K> {
    /// An object changed.
    Changed(Change<K>),
    /// The first list is complete: from now on absence means something.
    Synced,
    /// An object is there and cannot be read; the others are not touched by that.
    Unreadable {
        /// Which one.
        key: Key,
        /// Why.
        error: String,
    },
    /// The watch failed and is tried again, with a pause that grows.
    Trouble(watcher::Error),
}

/// Makes what is kept of what was sent: what is not needed takes no memory. Says why if it cannot be read.
pub type Keep<K> = Arc<dyn Fn(DynamicObject) -> Result<K, String> + Send + Sync>;

/// A kind, in one namespace or in all, and how much of its objects is sent.
#[derive(Debug, Clone)]
pub enum Source {
    /// All.
    Whole(Api<DynamicObject>),
    /// Their metadata.
    Outline(Api<PartialObjectMeta<DynamicObject>>),
}

/// What to watch, and how much of it to keep.
pub struct Watch<K> {
    /// The kind.
    pub source: Source,
    /// Which objects, and how they are listed.
    pub config: watcher::Config,
    /// What is kept of each.
    pub keep: Keep<K>,
}

impl<K: Kept> Watch<K> {
    /// Fills the store and tells of every change, until `stop`.
    pub async fn follow(self, shared: Shared<K>, mut tell: impl FnMut(Notice<K>), stop: CancellationToken) {
        let Self { source, config, keep } = self;
        let events = match source {
            Source::Whole(api) => watcher(api, config).default_backoff().boxed(),
            Source::Outline(api) => {
                watcher(api, config).default_backoff().map(|event| event.map(outline)).boxed()
            }
        };
        let mut events = std::pin::pin!(events.take_until(stop.cancelled_owned()));
        while let Some(event) = events.next().await {
            let (event, unreadable) = match event {
                Ok(event) => understand(event, &keep),
                Err(error) => {
                    tell(Notice::Trouble(error));
                    continue;
                }
            };
            let completes = matches!(event, Event::Complete) && !shared.read().is_complete();
            let changes = shared.write().see(event);
            for change in changes {
                tell(Notice::Changed(change));
            }
            if let Some((key, error)) = unreadable {
                tell(Notice::Unreadable { key, error });
            }
            if completes {
                tell(Notice::Synced);
            }
        }
    }
}

/// Metadata as an object of which nothing else is known.
fn outline(event: watcher::Event<PartialObjectMeta<DynamicObject>>) -> watcher::Event<DynamicObject> {
    let object = |object: PartialObjectMeta<DynamicObject>| DynamicObject {
        types: None,
        metadata: object.metadata,
        data: serde_json::Value::Null,
    };
    match event {
        watcher::Event::Init => watcher::Event::Init,
        watcher::Event::InitApply(one) => watcher::Event::InitApply(object(one)),
        watcher::Event::InitDone => watcher::Event::InitDone,
        watcher::Event::Apply(one) => watcher::Event::Apply(object(one)),
        watcher::Event::Delete(one) => watcher::Event::Delete(object(one)),
    }
}

/// An event in the store's words, and what could not be read of it.
fn understand<K>(event: watcher::Event<DynamicObject>, keep: &Keep<K>) -> (Event<K>, Option<(Key, String)>) {
    let read = |object: DynamicObject, then: fn(K) -> Event<K>| {
        let identity = Identity::of(&object.metadata);
        match keep(object) {
            Ok(object) => (then(object), None),
            Err(error) => (Event::Unreadable(identity.clone()), Some((identity.key, error))),
        }
    };
    match event {
        watcher::Event::Init => (Event::Begin, None),
        watcher::Event::InitApply(object) => read(object, Event::Listed),
        watcher::Event::InitDone => (Event::Complete, None),
        watcher::Event::Apply(object) => read(object, Event::Applied),
        // To know that it is gone, nobody needs to read it.
        watcher::Event::Delete(object) => (Event::Deleted(Identity::of(&object.metadata)), None),
    }
}
