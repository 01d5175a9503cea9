//! One watch of one kind, for the whole process: keeps a store and tells of every change.
//! Whoever shares the store sees a change no later than its notice.

use std::fmt::Debug;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use futures::StreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::DeserializeGuard;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::store::{Change, Event, Key, Store};

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
    Trouble(String),
}

/// What to watch, and how much of it to keep.
#[derive(Debug)]
pub struct Watch<K> {
    /// The kind, in one namespace or in all.
    pub api: Api<DeserializeGuard<K>>,
    /// Which objects, and how they are listed.
    pub config: watcher::Config,
    /// Cuts an object down before it is stored: what is not needed takes no memory.
    pub trim: fn(&mut K),
}

impl<K> Watch<K>
where
    K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    /// Fills the store and tells of every change, until `stop`.
    pub async fn follow(self, shared: Shared<K>, mut tell: impl FnMut(Notice<K>), stop: CancellationToken) {
        let Self { api, config, trim } = self;
        let events = watcher(api, config).default_backoff().take_until(stop.cancelled_owned());
        let mut events = std::pin::pin!(events);
        while let Some(event) = events.next().await {
            let (event, unreadable) = match event {
                Ok(event) => understand(event, trim),
                Err(error) => {
                    tell(Notice::Trouble(error.to_string()));
                    continue;
                }
            };
            let completes = matches!(event, Event::Complete) && !shared.read().is_complete();
            let changes = shared.write().see(event);
            for change in changes {
                tell(Notice::Changed(change));
            }
            if let Some((metadata, error)) = unreadable {
                tell(Notice::Unreadable { key: Key::of(&metadata), error });
            }
            if completes {
                tell(Notice::Synced);
            }
        }
    }
}

/// An event in the store's words, and what could not be read of it.
fn understand<K: Resource>(
    event: watcher::Event<DeserializeGuard<K>>,
    trim: fn(&mut K),
) -> (Event<K>, Option<(ObjectMeta, String)>) {
    let read = |DeserializeGuard(object): DeserializeGuard<K>, then: fn(K) -> Event<K>| match object {
        Ok(mut object) => {
            trim(&mut object);
            (then(object), None)
        }
        Err(invalid) => {
            (Event::Unreadable(invalid.metadata.clone()), Some((invalid.metadata, invalid.error)))
        }
    };
    match event {
        watcher::Event::Init => (Event::Begin, None),
        watcher::Event::InitApply(object) => read(object, Event::Listed),
        watcher::Event::InitDone => (Event::Complete, None),
        watcher::Event::Apply(object) => read(object, Event::Applied),
        watcher::Event::Delete(DeserializeGuard(Ok(object))) => (Event::Deleted(object), None),
        // To know that it is gone, nobody needs to read it.
        watcher::Event::Delete(DeserializeGuard(Err(invalid))) => (Event::Gone(invalid.metadata), None),
    }
}
