//! One watch of one kind, for the whole process: keeps a store and tells of every change.
//! Whoever shares the store sees a change no later than its notice.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Api;
use kube::api::{DynamicObject, PartialObjectMeta};
use kube::runtime::{WatchStreamExt, watcher};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::object::{Identity, Kept, Key};
use crate::store::{Change, Event, Store};

/// How often objects are asked for that cannot be watched.
const GLANCES: Duration = Duration::from_secs(15);

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
    /// Objects that are asked for one by one, again and again, while all may not be listed: whoever may only look into some
    /// namespaces may ask for these by name, and not watch them.
    pub by_name: Vec<String>,
}

impl<K: Kept> Watch<K> {
    /// Fills the store and tells of every change, until `stop`.
    pub async fn follow(self, shared: Shared<K>, mut tell: impl FnMut(Notice<K>), stop: CancellationToken) {
        let Self { source, config, keep, by_name } = self;
        let events = match source.clone() {
            Source::Whole(api) => watcher(api, config).default_backoff().boxed(),
            Source::Outline(api) => {
                watcher(api, config).default_backoff().map(|event| event.map(outline)).boxed()
            }
        };
        let mut events = std::pin::pin!(events.take_until(stop.cancelled_owned()));
        let mut glances = interval(GLANCES);
        glances.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_forbidden = false;
        loop {
            let event = tokio::select! {
                event = events.next() => event,
                _ = glances.tick(), if is_forbidden => {
                    for event in source.glance(&by_name).await {
                        take(event, &shared, &keep, &mut tell);
                    }
                    continue;
                }
            };
            match event {
                Some(Ok(event)) => {
                    is_forbidden = false;
                    take(event, &shared, &keep, &mut tell);
                }
                Some(Err(error)) => {
                    is_forbidden = !by_name.is_empty() && says_forbidden(&error);
                    tell(Notice::Trouble(error));
                }
                None => return,
            }
        }
    }
}

/// Takes an event in and tells what follows from it.
fn take<K: Kept>(
    event: watcher::Event<DynamicObject>,
    shared: &Shared<K>,
    keep: &Keep<K>,
    tell: &mut impl FnMut(Notice<K>),
) {
    let (event, unreadable) = understand(event, keep);
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

fn says_forbidden(error: &watcher::Error) -> bool {
    let says = |error: &kube::Error| matches!(error, kube::Error::Api(status) if status.code == 403);
    match error {
        watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error) => says(error),
        watcher::Error::WatchError(status) => status.code == 403,
        watcher::Error::WatchFailed(_) | watcher::Error::NoResourceVersion => false,
    }
}

impl Source {
    /// A list of those of some objects that are there; nothing, if that could not be found out.
    async fn glance(&self, names: &[String]) -> Vec<watcher::Event<DynamicObject>> {
        let mut events = vec![watcher::Event::Init];
        for name in names {
            let found = match self {
                Self::Whole(api) => api.get_opt(name).await,
                Self::Outline(api) => {
                    api.get_metadata_opt(name).await.map(|found| found.map(|one| bare(one.metadata)))
                }
            };
            match found {
                Ok(found) => events.extend(found.map(watcher::Event::InitApply)),
                // Nobody says that we may ask for each of them.
                Err(kube::Error::Api(status)) if status.code == 403 => {}
                Err(_) => return Vec::new(),
            }
        }
        events.push(watcher::Event::InitDone);
        events
    }
}

/// Metadata as an object of which nothing else is known.
fn outline(event: watcher::Event<PartialObjectMeta<DynamicObject>>) -> watcher::Event<DynamicObject> {
    match event {
        watcher::Event::Init => watcher::Event::Init,
        watcher::Event::InitApply(one) => watcher::Event::InitApply(bare(one.metadata)),
        watcher::Event::InitDone => watcher::Event::InitDone,
        watcher::Event::Apply(one) => watcher::Event::Apply(bare(one.metadata)),
        watcher::Event::Delete(one) => watcher::Event::Delete(bare(one.metadata)),
    }
}

/// An object of which only its metadata is known.
fn bare(metadata: ObjectMeta) -> DynamicObject {
    DynamicObject { types: None, metadata, data: serde_json::Value::Null }
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
