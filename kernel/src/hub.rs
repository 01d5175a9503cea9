//! Joins watches, queues and passes of all controllers in one process: one shared watch for each kind; each change triggers
//! only the resources that it affects.

mod once;

use std::collections::BTreeSet;
use std::future::Future;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::runtime::watcher;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

pub use self::once::Once;
use crate::apply::{Announce, Tools, Writer, WriterMemory};
use crate::declare::{Declaration, Detail, Kind};
use crate::driver::{Driver, Ending};
use crate::index::{Index, Interests};
use crate::metrics::{ChangeAction, Metrics, Occurrence};
use crate::object::{Key, Object};
use crate::queue::{Outcome, QueueSettings};
use crate::store::{Change, Origin};
use crate::stores::{Namespaces, Partition, Scopes, Stores};
use crate::watch::{Keep, Watch, WatchNotice, WatchSource, answer};

/// A controller of the resources of one kind.
pub trait Controller: Send + Sync + 'static {
    /// One pass of one resource.
    fn pass(self: Arc<Self>, key: Key) -> BoxFuture<'static, Outcome>;
}

/// Creates a controller with its writer.
pub type Make = Box<dyn FnOnce(Writer, Arc<Index>) -> Arc<dyn Controller> + Send>;

/// A controller that is to run.
pub struct Registration {
    /// What it watches and owns.
    pub declaration: &'static Declaration,
    /// Creates it.
    pub make: Make,
    /// Which objects affect its resources, where the declaration does not say it.
    pub interests: Option<Arc<dyn Interests>>,
}

/// The progress of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The first list is not complete: a missing object may exist.
    Listing,
    /// The first list is complete.
    Complete,
    /// The kind does not exist, or we have no permission. Controllers that do not require it run; the watch is retried.
    Off,
}

/// The state of one watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchState {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: Option<Arc<str>>,
    /// Its progress.
    pub progress: Progress,
    /// The last error of the server.
    pub trouble: Option<String>,
}

/// The watches and controllers of a process.
pub struct Hub {
    /// What controllers share.
    pub tools: Tools,
    /// The namespaces to watch.
    pub scopes: Scopes,
    /// The settings of each controller's queue.
    pub queue: QueueSettings,
    /// How long passes may take to finish after a request to stop.
    pub grace: Duration,
    /// The metrics.
    pub metrics: Metrics,
    /// The states of the watches, for readiness.
    pub watch_states: watch::Sender<Vec<WatchState>>,
}

/// One controller, as the watches see it.
#[derive(Clone)]
struct Subscriber {
    declaration: &'static Declaration,
    keys: mpsc::UnboundedSender<Key>,
    index: Arc<Index>,
    stores: Stores,
    metrics: Metrics,
    /// What its writer remembers.
    memory: WriterMemory,
}

impl Subscriber {
    /// Updates the memory and the index after a change, also after one of ours.
    fn follow(&self, kind: Kind, change: &Change<Object>) {
        self.memory.follow(change);
        self.index.follow(kind, change);
    }

    /// Adds the resources that a change affects, before and after it, to the queue.
    fn notify(&self, kind: Kind, change: &Change<Object>) {
        let is_known = self.declaration.kinds().any(|known| known == kind);
        if !is_known || !self.index.matters(kind, change) {
            return;
        }
        let sides = [&change.before, &change.after].into_iter().flatten();
        let keys: BTreeSet<Key> =
            sides.flat_map(|side| self.index.concerned(kind, side, &self.stores)).collect();
        if !keys.is_empty() {
            let (controller, action) = (self.declaration.name, ChangeAction::of(change));
            self.metrics.observe(&Occurrence::Triggered { controller, kind, action });
        }
        for key in keys {
            // A controller that has ended needs no keys.
            let _ = self.keys.send(key);
        }
    }
}

impl Hub {
    /// Starts the watches at once; ends with `stop`. Each controller starts when all kinds that it requires are listed and
    /// `lead` is ready. A controller without permission for its kinds waits without delaying the others.
    pub async fn run(
        self,
        registrations: Vec<Registration>,
        lead: impl Future<Output = ()>,
        stop: CancellationToken,
    ) -> Vec<Ending> {
        let mut subscribers = Vec::new();
        let mut waiting = Vec::new();
        for Registration { declaration, make, interests } in registrations {
            let (keys, receiver) = mpsc::unbounded_channel();
            let (stores, metrics) = (self.tools.stores.clone(), self.metrics.clone());
            let (memory, index) = (WriterMemory::default(), Arc::new(Index::new(declaration, interests)));
            subscribers.push(Subscriber { declaration, keys, index, stores, metrics, memory });
            waiting.push((declaration, make, receiver));
        }
        let mut watches = self.watch(&subscribers, &stop);
        let leads = CancellationToken::new();
        let mut controllers = JoinSet::new();
        for (subscriber, (declaration, make, receiver)) in subscribers.iter().cloned().zip(waiting) {
            let writer = Writer::new(declaration, self.tools.clone()).joined(
                self.announce(&subscribers, declaration),
                self.metrics.clone(),
                subscriber.memory.clone(),
            );
            let metrics = self.metrics.controller(declaration.name);
            let driver = Driver { settings: self.queue.clone(), grace: self.grace, metrics };
            let begin =
                begin(declaration, self.watch_states.subscribe(), self.metrics.clone(), leads.clone());
            let stop = stop.clone();
            controllers.spawn(async move {
                let mut receiver = receiver;
                let mut due = tokio::select! {
                    due = meanwhile(begin, &mut receiver) => due,
                    () = stop.cancelled() => return None,
                };
                due.extend(subscriber.index.mentioned_and_gone(&subscriber.stores));
                for key in due {
                    let _ = subscriber.keys.send(key);
                }
                let index = Arc::clone(&subscriber.index);
                let controller = make(writer, index);
                let pass = move |key| Arc::clone(&controller).pass(key);
                Some(driver.run(receiver, pass, stop).await)
            });
        }
        let (mut endings, mut lead) = (Vec::new(), std::pin::pin!(lead));
        loop {
            tokio::select! {
                () = &mut lead, if !leads.is_cancelled() => leads.cancel(),
                ended = controllers.join_next() => match ended {
                    Some(ended) => endings.extend(value_or_panic(ended).flatten()),
                    None => break,
                },
                Some(ended) = watches.join_next() => drop(value_or_panic(ended)),
            }
        }
        watches.shutdown().await;
        endings
    }

    fn watch(&self, subscribers: &[Subscriber], stop: &CancellationToken) -> JoinSet<()> {
        let mut watches = JoinSet::new();
        for (at, (kind, partition)) in self.tools.stores.iter().enumerate() {
            let namespace = partition.namespace.clone();
            let state = WatchState { kind, namespace, progress: Progress::Listing, trouble: None };
            self.watch_states.send_modify(|all| all.push(state));
            let watch = Watch {
                source: self.source(kind, partition),
                config: self.config(kind),
                keep: self.keep(kind),
                by_name: self.by_name(kind),
            };
            let (is_absent, is_read_by_name) = (Arc::clone(&partition.is_absent), !watch.by_name.is_empty());
            let (subscribers, watch_states) = (subscribers.to_vec(), self.watch_states.clone());
            let (metrics, stores) = (self.metrics.watch(kind.kind), self.tools.stores.clone());
            let all = self.metrics.clone();
            let notify = move |notice: WatchNotice<Object>| match notice {
                WatchNotice::Changed(change) => {
                    metrics.events.inc();
                    metrics.holds(stores.count(kind));
                    all.observe(&Occurrence::Changed { kind, change: &change });
                    if watch_states.borrow()[at].trouble.is_some() {
                        watch_states.send_modify(|all| all[at].trouble = None);
                    }
                    for subscriber in &subscribers {
                        subscriber.follow(kind, &change);
                        subscriber.notify(kind, &change);
                    }
                }
                WatchNotice::Synced => {
                    watch_states.send_modify(|all| all[at].advance(Progress::Complete, None));
                }
                WatchNotice::Unreadable { key, error } => {
                    metrics.unreadable.inc();
                    tracing::warn!(kind = kind.kind, %key, "cannot be decoded: {error}");
                }
                WatchNotice::Trouble(error) => {
                    metrics.restarts.inc();
                    let message = message(&error);
                    if watch_states.borrow()[at].trouble.as_ref() != Some(&message) {
                        tracing::warn!(kind = kind.kind, "the watch failed and is retried: {message}");
                    }
                    let code = answer(&error).map(|status| status.code);
                    is_absent.store(code == Some(404), Ordering::Relaxed);
                    let progress = progress(code, is_read_by_name);
                    watch_states.send_modify(|all| all[at].advance(progress, Some(message)));
                }
            };
            watches.spawn(watch.follow(partition.objects.clone(), notify, stop.clone()));
        }
        watches
    }

    fn source(&self, kind: Kind, partition: &Partition) -> WatchSource {
        let (client, resource) = (self.tools.client.clone(), kind.resource());
        match (self.tools.stores.detail(kind), partition.namespace.as_deref()) {
            (Detail::Full, None) => WatchSource::Whole(Api::all_with(client, &resource)),
            (Detail::Full, Some(namespace)) => {
                WatchSource::Whole(Api::namespaced_with(client, namespace, &resource))
            }
            (Detail::Metadata, None) => WatchSource::Outline(Api::all_with(client, &resource)),
            (Detail::Metadata, Some(namespace)) => {
                WatchSource::Outline(Api::namespaced_with(client, namespace, &resource))
            }
        }
    }

    fn config(&self, kind: Kind) -> watcher::Config {
        let mut config = match self.tools.stores.detail(kind) {
            Detail::Full => watcher::Config::default().streaming_lists(),
            // Many and similar objects: every server compresses pages, and only the newest compresses streams.
            Detail::Metadata => watcher::Config::default(),
        };
        let filter = self.scopes.filters.get(&kind).cloned().unwrap_or_default();
        let fields = [self.scopes.of(kind).selector(kind.scope), filter.fields];
        let fields: Vec<String> = fields.into_iter().flatten().collect();
        if !fields.is_empty() {
            config = config.fields(&fields.join(","));
        }
        match both(self.tools.stores.selector(kind), filter.labels.as_deref()) {
            Some(labels) => config.labels(&labels),
            None => config,
        }
    }

    /// The Namespaces that are read by name, because with permissions in some namespaces only they cannot be listed: all that
    /// are named for any kind.
    fn by_name(&self, kind: Kind) -> Vec<String> {
        match self.scopes.of(kind) {
            Namespaces::Only(_) if kind == Kind::of::<Namespace>() => self.scopes.named(),
            Namespaces::Only(_) | Namespaces::AllBut(_) => Vec::new(),
        }
    }

    fn keep(&self, kind: Kind) -> Keep<Object> {
        let stores = self.tools.stores.clone();
        Arc::new(move |object| Ok(stores.keep(kind, object)))
    }

    /// Notifies every controller, except the one that made the change itself.
    fn announce(&self, subscribers: &[Subscriber], by: &'static Declaration) -> Announce {
        let (subscribers, metrics, stores) =
            (subscribers.to_vec(), self.metrics.clone(), self.tools.stores.clone());
        Arc::new(move |kind, change, origin| {
            metrics.watch(kind.kind).holds(stores.count(kind));
            metrics.observe(&Occurrence::Changed { kind, change });
            let is_notified = |subscriber: &&Subscriber| {
                origin == Origin::Foreign || subscriber.declaration.name != by.name
            };
            for subscriber in &subscribers {
                subscriber.follow(kind, change);
            }
            subscribers.iter().filter(is_notified).for_each(|subscriber| subscriber.notify(kind, change));
        })
    }
}

impl WatchState {
    /// A watch that was complete once stays complete.
    fn advance(&mut self, progress: Progress, trouble: Option<String>) {
        if self.progress != Progress::Complete {
            self.progress = progress;
        }
        self.trouble = trouble;
    }
}

/// The combination of the selector of operators and that of users.
fn both(declared: Option<&str>, filter: Option<&str>) -> Option<String> {
    let parts: Vec<&str> = declared.into_iter().chain(filter).collect();
    (!parts.is_empty()).then(|| parts.join(","))
}

/// The keys that arrive until a controller starts, each once: the number of keys is bounded by the number of resources.
async fn meanwhile(
    begin: impl Future<Output = ()>,
    keys: &mut mpsc::UnboundedReceiver<Key>,
) -> BTreeSet<Key> {
    let (mut due, mut begin) = (BTreeSet::new(), std::pin::pin!(begin));
    loop {
        tokio::select! {
            () = &mut begin => return due,
            Some(key) = keys.recv() => drop(due.insert(key)),
        }
    }
}

/// Waits until this process is the leader and all kinds that a controller requires are listed. The latter is reported even
/// if this process is not the leader.
async fn begin(
    declaration: &'static Declaration,
    mut watch_states: watch::Receiver<Vec<WatchState>>,
    metrics: Metrics,
    leads: CancellationToken,
) {
    known(declaration, &mut watch_states).await;
    metrics.observe(&Occurrence::Ready { controller: declaration.name });
    leads.cancelled().await;
    known(declaration, &mut watch_states).await;
}

/// Whether all kinds that a controller requires are listed.
fn knows(declaration: &Declaration, watch_states: &[WatchState]) -> bool {
    let is_known = |state: &WatchState| match state.progress {
        Progress::Complete => true,
        Progress::Off => declaration.is_optional(state.kind),
        Progress::Listing => false,
    };
    let needed = watch_states.iter().filter(|one| declaration.kinds().any(|kind| kind == one.kind));
    needed.into_iter().all(is_known)
}

/// The kind that a controller requires and has no permission for, although its resources can be listed. A controller whose
/// resources cannot be listed either is not meant to run here.
pub fn lacks<'s>(declaration: &Declaration, watch_states: &'s [WatchState]) -> Option<&'s WatchState> {
    let is_primary = |one: &&WatchState| one.kind == declaration.primary;
    let is_seen = |one: &WatchState| one.progress == Progress::Complete;
    if !watch_states.iter().any(|one| is_primary(&one))
        || !watch_states.iter().filter(is_primary).all(is_seen)
    {
        return None;
    }
    let is_needed =
        |kind: Kind| declaration.kinds().any(|known| known == kind) && !declaration.is_optional(kind);
    watch_states.iter().find(|one| one.progress == Progress::Off && is_needed(one.kind))
}

async fn known(declaration: &'static Declaration, watch_states: &mut watch::Receiver<Vec<WatchState>>) {
    if watch_states.wait_for(|watch_states| knows(declaration, watch_states)).await.is_err() {
        // The hub has ended.
        std::future::pending::<()>().await;
    }
}

/// The progress of a watch after the server rejected it with this status code. If its objects are read by name instead, it
/// is still listing.
fn progress(code: Option<u16>, is_read_by_name: bool) -> Progress {
    match code {
        Some(403) if !is_read_by_name => Progress::Off,
        Some(404) => Progress::Off,
        _ => Progress::Listing,
    }
}

/// The message of the server, if there is one.
fn message(error: &watcher::Error) -> String {
    let message = answer(error).map(|status| status.message.clone()).filter(|message| !message.is_empty());
    message.unwrap_or_else(|| error.to_string())
}

/// The result of a task. A panic in it ends this process too: without a watch the stores would be outdated, and without a
/// controller its resources would no longer be reconciled.
fn value_or_panic<T>(ended: Result<T, JoinError>) -> Option<T> {
    match ended {
        Ok(value) => Some(value),
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests;
