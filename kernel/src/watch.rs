//! One watch of one kind for the whole process: fills a store and reports every change.
//! The store has a change before it is reported.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt, stream};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Api;
use kube::api::{DynamicObject, PartialObjectMeta};
use kube::core::Status;
use kube::runtime::watcher::InitialListStrategy;
use kube::runtime::{WatchStreamExt, watcher};
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::object::{Identity, Key, Stored};
use crate::store::{Change, Event, Store};

/// How often objects are read that cannot be watched.
const POLLS: Duration = Duration::from_secs(15);

/// When they are read again after a failure.
const SOON: Duration = Duration::from_secs(2);

/// How long denials are tolerated: permissions are granted one after the other, and can be missing for a moment.
const DENIALS: Duration = Duration::from_secs(30);

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
    /// For reading, and not across an await: the watch waits for it.
    pub fn read(&self) -> RwLockReadGuard<'_, Store<K>> {
        self.0.read()
    }

    /// For the watch, and for `apply` with the answers of the server.
    pub fn write(&self) -> RwLockWriteGuard<'_, Store<K>> {
        self.0.write()
    }
}

/// What a watch reports.
#[derive(Debug)]
pub enum WatchNotice<K> {
    /// An object changed.
    Changed(Change<K>),
    /// The first list is complete: from now on a missing object does not exist.
    Synced,
    /// An object exists and cannot be decoded; the others are not affected.
    Unreadable {
        /// Its name.
        key: Key,
        /// The cause.
        error: String,
    },
    /// The watch failed and is retried with back-off.
    Trouble(watcher::Error),
}

/// An event of the server, or an error.
type Received<K> = Result<watcher::Event<K>, watcher::Error>;

/// Converts an object into the part that is kept. Returns an error if it cannot be decoded.
pub type Keep<K> = Arc<dyn Fn(DynamicObject) -> Result<K, String> + Send + Sync>;

/// A kind, in one namespace or in all, and how much of its objects is requested.
#[derive(Debug, Clone)]
pub enum WatchSource {
    /// Everything.
    Whole(Api<DynamicObject>),
    /// Their metadata.
    Outline(Api<PartialObjectMeta<DynamicObject>>),
}

/// What to watch, and how much of it to keep.
pub struct Watch<K> {
    /// The kind.
    pub source: WatchSource,
    /// Selectors, and how objects are listed.
    pub config: watcher::Config,
    /// Converts each object.
    pub keep: Keep<K>,
    /// Objects that are polled by name while the list is forbidden: with permissions in some namespaces only, these
    /// Namespaces can be read by name and not watched.
    pub by_name: Vec<String>,
}

impl<K: Stored> Watch<K> {
    /// Fills the store and reports every change, until `stop`.
    pub async fn follow(
        self,
        shared: Shared<K>,
        mut notify: impl FnMut(WatchNotice<K>),
        stop: CancellationToken,
    ) {
        let Self { source, mut config, keep, by_name } = self;
        let mut events = source.events(config.clone(), &stop);
        let mut polls = interval(POLLS);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_forbidden = false;
        let mut denied_since = None;
        loop {
            let event = tokio::select! {
                event = events.next() => event,
                _ = polls.tick(), if is_forbidden => {
                    let poll = source.poll(&by_name).await;
                    if let Some(Poll { is_denied, .. }) = &poll {
                        denied_since = is_denied.then(|| denied_since.unwrap_or_else(clock::now));
                    }
                    let is_final = denied_since.is_none_or(|since| clock::now().duration_since(since) >= DENIALS);
                    let Some(Poll { events, .. }) = poll.filter(|_| is_final) else {
                        polls.reset_after(SOON);
                        continue;
                    };
                    for event in events {
                        take(event, &shared, &keep, &mut notify);
                    }
                    continue;
                }
            };
            match event {
                Some(Ok(event)) => {
                    is_forbidden = false;
                    take(event, &shared, &keep, &mut notify);
                }
                Some(Err(error)) if streams(&config) && is_unsupported(&error) => {
                    tracing::debug!(
                        "the server does not support streaming lists, falling back to pages: {error}"
                    );
                    config.initial_list_strategy = InitialListStrategy::ListWatch;
                    events = source.events(config.clone(), &stop);
                }
                Some(Err(error)) => {
                    is_forbidden =
                        !by_name.is_empty() && answer(&error).is_some_and(|status| status.code == 403);
                    notify(WatchNotice::Trouble(error));
                }
                None => return,
            }
        }
    }
}

/// Delivers the beginning of a list with the event after it, and not at all if the list fails: alone it would count as a
/// success and reset the back-off.
fn with_joined_init<K>(events: impl Stream<Item = Received<K>>) -> impl Stream<Item = Received<K>> {
    let together = |begins: &mut bool, event: Received<K>| {
        let begun = std::mem::replace(begins, matches!(event, Ok(watcher::Event::Init)));
        let first = (begun && !*begins && event.is_ok()).then_some(Ok(watcher::Event::Init));
        let then = (!*begins).then_some(event);
        ready(Some(stream::iter(first.into_iter().chain(then))))
    };
    events.scan(false, together).flatten()
}

/// Puts an event into the store, and reports the changes.
fn take<K: Stored>(
    event: watcher::Event<DynamicObject>,
    shared: &Shared<K>,
    keep: &Keep<K>,
    notify: &mut impl FnMut(WatchNotice<K>),
) {
    let (event, unreadable) = decode(event, keep);
    let completes = matches!(event, Event::Complete) && !shared.read().is_complete();
    let changes = shared.write().see(event);
    for change in changes {
        notify(WatchNotice::Changed(change));
    }
    if let Some((key, error)) = unreadable {
        notify(WatchNotice::Unreadable { key, error });
    }
    if completes {
        notify(WatchNotice::Synced);
    }
}

fn streams(config: &watcher::Config) -> bool {
    config.initial_list_strategy == InitialListStrategy::StreamingList
}

/// Whether a server does not support streamed lists: up to 1.31, and in 1.33, they are off by default.
fn is_unsupported(error: &watcher::Error) -> bool {
    matches!(error, watcher::Error::WatchStartFailed(_))
        && answer(error).is_some_and(|status| matches!(status.code, 400 | 422))
}

/// What the server answered, if it did.
pub(crate) fn answer(error: &watcher::Error) -> Option<&Status> {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
        | watcher::Error::WatchError(status) => Some(status),
        watcher::Error::InitialListFailed(_)
        | watcher::Error::WatchStartFailed(_)
        | watcher::Error::WatchFailed(_)
        | watcher::Error::NoResourceVersion => None,
    }
}

impl WatchSource {
    /// The events until `stop`.
    fn events(
        &self,
        config: watcher::Config,
        stop: &CancellationToken,
    ) -> BoxStream<'static, Received<DynamicObject>> {
        let events = match self.clone() {
            Self::Whole(api) => with_joined_init(watcher(api, config)).default_backoff().boxed(),
            Self::Outline(api) => {
                let events = with_joined_init(watcher(api, config)).default_backoff();
                events.map(|event| event.map(outline)).boxed()
            }
        };
        events.take_until(stop.clone().cancelled_owned()).boxed()
    }

    /// Reads some objects by name. `None` if a request failed.
    async fn poll(&self, names: &[String]) -> Option<Poll> {
        let mut events = vec![watcher::Event::Init];
        let mut is_denied = false;
        for name in names {
            let found = match self {
                Self::Whole(api) => api.get_opt(name).await,
                Self::Outline(api) => {
                    api.get_metadata_opt(name).await.map(|found| found.map(|one| bare(one.metadata)))
                }
            };
            match found {
                Ok(found) => events.extend(found.map(watcher::Event::InitApply)),
                // Others may be permitted.
                Err(kube::Error::Api(status)) if status.code == 403 => is_denied = true,
                Err(_) => return None,
            }
        }
        events.push(watcher::Event::InitDone);
        Some(Poll { events, is_denied })
    }
}

/// The result of reading objects by name.
struct Poll {
    /// A list of those that exist.
    events: Vec<watcher::Event<DynamicObject>>,
    /// Whether some are forbidden.
    is_denied: bool,
}

/// An event with metadata only.
fn outline(event: watcher::Event<PartialObjectMeta<DynamicObject>>) -> watcher::Event<DynamicObject> {
    match event {
        watcher::Event::Init => watcher::Event::Init,
        watcher::Event::InitApply(one) => watcher::Event::InitApply(bare(one.metadata)),
        watcher::Event::InitDone => watcher::Event::InitDone,
        watcher::Event::Apply(one) => watcher::Event::Apply(bare(one.metadata)),
        watcher::Event::Delete(one) => watcher::Event::Delete(bare(one.metadata)),
    }
}

/// An object with metadata only.
pub(crate) fn bare(metadata: ObjectMeta) -> DynamicObject {
    DynamicObject { types: None, metadata, data: serde_json::Value::Null }
}

/// The event for the store, and what could not be decoded.
fn decode<K>(event: watcher::Event<DynamicObject>, keep: &Keep<K>) -> (Event<K>, Option<(Key, String)>) {
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
        // A deleted object need not be decoded.
        watcher::Event::Delete(object) => (Event::Deleted(Identity::of(&object.metadata)), None),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http::{Request, Response, StatusCode};
    use k8s_openapi::api::core::v1::{Namespace, Secret};
    use kube::Client;
    use kube::client::Body;
    use serde_json::json;
    use tower::BoxError;

    use super::*;
    use crate::declare::Kind;
    use crate::object::Object;

    #[tokio::test(start_paused = true)]
    async fn a_forbidden_list_is_retried_with_back_off() {
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        let service = tower::service_fn(move |_: Request<Body>| {
            counted.fetch_add(1, Ordering::Relaxed);
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403});
            let answer = Response::builder()
                .status(StatusCode::FORBIDDEN)
                .body(Body::from(status.to_string().into_bytes()));
            ready(answer.map_err(BoxError::from))
        });
        let kind = Kind::of::<Secret>();
        let api = Api::all_with(Client::new(service, "default"), &kind.resource());
        let watch = Watch::<Object> {
            source: WatchSource::Outline(api),
            config: watcher::Config::default(),
            keep: Arc::new(move |object| Ok(Object::new(object, &kind.resource()))),
            by_name: Vec::new(),
        };
        let follow = watch.follow(Shared::default(), |_| (), CancellationToken::new());
        assert!(tokio::time::timeout(Duration::from_mins(5), follow).await.is_err());
        let requests = requests.load(Ordering::Relaxed);
        assert!((5..=20).contains(&requests), "{requests}");
    }

    /// The seconds at which two namespaces that cannot be listed were stored, and their names. The answer for a namespace
    /// depends on its name and on the second.
    async fn known_at(answer: fn(&str, u64) -> StatusCode, until: u64) -> Vec<(u64, Vec<String>)> {
        let start = clock::now();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (path, second) = (request.uri().path().to_owned(), seconds_since(start));
            let name = path.strip_prefix("/api/v1/namespaces/").unwrap_or_default().to_owned();
            let code = if name.is_empty() { StatusCode::FORBIDDEN } else { answer(&name, second) };
            let body = if code == StatusCode::OK {
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "resourceVersion": "1"}})
            } else {
                let reason = if code == StatusCode::NOT_FOUND { "NotFound" } else { "" };
                json!({"kind": "Status", "status": "Failure", "code": code.as_u16(), "reason": reason})
            };
            let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
            ready(answer.map_err(BoxError::from))
        });
        let kind = Kind::of::<Namespace>();
        let api = Api::all_with(Client::new(service, "default"), &kind.resource());
        let watch = Watch::<Object> {
            source: WatchSource::Whole(api),
            config: watcher::Config::default(),
            keep: Arc::new(move |object| Ok(Object::new(object, &kind.resource()))),
            by_name: vec!["a".into(), "b".into()],
        };
        let (shared, mut known) = (Shared::<Object>::default(), Vec::new());
        let (seen, all) = (shared.clone(), &mut known);
        let notify = move |notice: WatchNotice<Object>| {
            if matches!(notice, WatchNotice::Changed(_) | WatchNotice::Synced) && seen.read().is_complete() {
                let names = seen.read().all().iter().map(|one| one.key().name.to_string()).collect();
                all.push((seconds_since(start), names));
            }
        };
        let follow = watch.follow(shared, notify, CancellationToken::new());
        assert!(tokio::time::timeout(Duration::from_secs(until), follow).await.is_err());
        known.dedup_by(|one, before| one.1 == before.1);
        known
    }

    fn seconds_since(start: std::time::Instant) -> u64 {
        clock::now().duration_since(start).as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_permission_that_is_late_or_briefly_missing_removes_no_namespace() {
        let both = || vec!["a".to_owned(), "b".to_owned()];
        let late = |name: &str, second: u64| match (name, second) {
            ("b", 0..9 | 40..60) => StatusCode::FORBIDDEN,
            _ => StatusCode::OK,
        };
        let known = known_at(late, 120).await;
        assert!(matches!(&known[..], [(9..12, names)] if *names == both()), "{known:?}");
        let never = |name: &str, _: u64| if name == "b" { StatusCode::FORBIDDEN } else { StatusCode::OK };
        let known = known_at(never, 120).await;
        assert!(matches!(&known[..], [(30..34, names)] if names == &["a"]), "{known:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_request_is_retried_soon() {
        let down = |name: &str, second: u64| match (name, second) {
            ("b", 0..3) => StatusCode::INTERNAL_SERVER_ERROR,
            ("b", _) => StatusCode::NOT_FOUND,
            _ => StatusCode::OK,
        };
        let known = known_at(down, 60).await;
        assert!(matches!(&known[..], [(3..6, names)] if names == &["a"]), "{known:?}");
    }
}
