//! The handle of a test: which faults are injected, what is held back, and the requests so far.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use super::layer::FaultLayer;
use super::refusal::{Refusal, event_line};
use super::rule::{Fault, FaultRule, FaultRules};
use super::stream::{Control, End};
use super::trace::{Preconditions, Trace, TraceEntry};
use super::view::View;
use crate::call::Call;

/// How a watch is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The server ends it, as it does every few minutes.
    Clean,
    /// The connection breaks.
    Broken,
    /// An event says that the version is expired: the client must list again.
    Expired,
    /// The next event is truncated.
    Truncated,
}

/// The faults, shared by a test and the clients of the process under test. Cheap to clone.
///
/// Kinds are named as `kubectl` names them: `configmaps`, `statefulsets.apps`.
///
/// # Lives
/// A crash ends a life: from then on no request of that process reaches the server and no answer arrives, until the test
/// drops its tasks. [`Script::restart`] starts the next life; only clients that are made after it belong to it.
#[derive(Debug, Clone)]
pub struct Script(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// The last life that has ended.
    ended: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    life: u64,
    rules: FaultRules,
    trace: Trace,
    held: BTreeSet<String>,
    views: BTreeMap<String, Arc<View>>,
    streams: Vec<Stream>,
}

/// A watch that is open.
#[derive(Debug)]
struct Stream {
    life: u64,
    call: Call,
    /// It delivers a view, without the server.
    replayed: bool,
    control: watch::Sender<Control>,
}

/// How a request is treated.
#[derive(Debug)]
pub(super) enum Treatment {
    Pass,
    Fault(Fault),
    Replay(Arc<View>),
}

impl Default for Script {
    fn default() -> Self {
        let state = State {
            life: 1,
            rules: FaultRules::default(),
            trace: Trace::default(),
            held: BTreeSet::new(),
            views: BTreeMap::new(),
            streams: Vec::new(),
        };
        Self(Arc::new(Shared { state: Mutex::new(state), ended: watch::Sender::new(0) }))
    }
}

impl Script {
    /// The layer for a client of the present life.
    pub fn layer(&self) -> FaultLayer {
        FaultLayer { script: self.clone(), life: self.0.state.lock().life }
    }

    /// Adds a rule.
    pub fn add(&self, rule: FaultRule) {
        self.0.state.lock().rules.add(rule);
    }

    /// Removes all rules. Held events and frozen views are not changed.
    pub fn clear(&self) {
        self.0.state.lock().rules.clear();
    }

    /// The requests so far, in all lives.
    pub fn trace(&self) -> Trace {
        self.0.state.lock().trace.clone()
    }

    /// The number of requests so far, in all lives.
    pub fn requests(&self) -> usize {
        self.0.state.lock().trace.0.len()
    }

    /// Ends the present life.
    pub fn crash(&self) {
        let life = self.0.state.lock().life;
        self.end(life);
    }

    /// Waits until the present life has ended.
    pub async fn crashed(&self) {
        let life = self.0.state.lock().life;
        let mut ended = self.0.ended.subscribe();
        // The sender exists as long as this handle, so the wait cannot fail.
        let _ = ended.wait_for(|last| *last >= life).await;
    }

    /// Starts the next life, after a crash or without one: the present one ends.
    pub fn restart(&self) {
        self.crash();
        self.0.state.lock().life += 1;
    }

    /// Cuts the open watches of a kind, or all.
    pub fn cut(&self, kind: Option<&str>, how: Cut) {
        for stream in &self.0.state.lock().streams {
            if kind.is_none_or(|kind| stream.call.kind() == kind) {
                stream.control.send_modify(|control| match how {
                    Cut::Clean => control.end = Some(End::Clean),
                    Cut::Broken => control.end = Some(End::Broken),
                    Cut::Expired => control.end = Some(expired(&stream.call)),
                    Cut::Truncated => control.truncate = true,
                });
            }
        }
    }

    /// Holds back the events of a kind, of open watches and of those to come.
    pub fn hold(&self, kind: &str) {
        let mut state = self.0.state.lock();
        state.held.insert(kind.into());
        state.settle();
    }

    /// Delivers the held events, in their order.
    pub fn release(&self, kind: &str) {
        let mut state = self.0.state.lock();
        state.held.remove(kind);
        state.settle();
    }

    /// Drops the held events; each watch gets the error that its version is expired.
    pub fn release_as_expired(&self, kind: &str) {
        self.cut(Some(kind), Cut::Expired);
        self.release(kind);
    }

    /// From now on reads of the kind of the view see that view, and watches are silent. Writes reach the server.
    pub fn freeze(&self, view: View) {
        let mut state = self.0.state.lock();
        state.views.insert(view.kind().into(), Arc::new(view));
        state.settle();
    }

    /// Reads see the present state again. Watches deliver what they missed.
    pub fn thaw(&self, kind: &str) {
        let mut state = self.0.state.lock();
        state.views.remove(kind);
        for stream in &state.streams {
            // The client continues from the version of the view, now at the server.
            if stream.replayed && stream.call.kind() == kind {
                stream.control.send_modify(|control| control.end = Some(End::Clean));
            }
        }
        state.settle();
    }
}

/// For the layer.
impl Script {
    /// Decides about a request and records it. `None` if its process has crashed.
    pub(super) fn admit(&self, life: u64, call: &Call, body: Option<Value>) -> Option<(u64, Treatment)> {
        if self.has_ended(life) {
            return None;
        }
        let mut state = self.0.state.lock();
        let fault = state.rules.decide(call);
        let number = state.trace.0.len() as u64 + 1;
        let body = body.filter(|_| call.verb.writes());
        state.trace.0.push(TraceEntry {
            number,
            life,
            call: call.clone(),
            preconditions: body.as_ref().map(Preconditions::of).unwrap_or_default(),
            body,
            sent: false,
            fault: fault.as_ref().map(Fault::as_str),
            status: None,
        });
        let view = state.views.get(&call.kind()).filter(|view| view.answers(call));
        let treatment = match (fault, view) {
            (Some(fault), _) => Treatment::Fault(fault),
            (None, Some(view)) => Treatment::Replay(Arc::clone(view)),
            (None, None) => Treatment::Pass,
        };
        Some((number, treatment))
    }

    pub(super) fn sent(&self, number: u64) {
        self.note(number, |entry| entry.sent = true);
    }

    pub(super) fn answered(&self, number: u64, status: u16) {
        self.note(number, |entry| entry.status = Some(status));
    }

    fn note(&self, number: u64, change: impl FnOnce(&mut TraceEntry)) {
        let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
        if let Some(entry) = self.0.state.lock().trace.0.get_mut(index) {
            change(entry);
        }
    }

    pub(super) fn has_ended(&self, life: u64) -> bool {
        *self.0.ended.borrow() >= life
    }

    pub(super) fn end(&self, life: u64) {
        self.0.ended.send_modify(|last| *last = life.max(*last));
        // They are removed from the list, so that they stay silent.
        for stream in self.0.state.lock().streams.extract_if(.., |stream| stream.life <= life) {
            stream.control.send_modify(|control| control.silent = true);
        }
    }

    /// Registers an open watch, and returns its control.
    pub(super) fn open(
        &self,
        life: u64,
        call: &Call,
        replayed: bool,
        truncate: bool,
    ) -> watch::Receiver<Control> {
        let (control, receiver) = watch::channel(Control { truncate, ..Control::default() });
        let mut state = self.0.state.lock();
        state.streams.retain(|stream| stream.control.receiver_count() > 0);
        state.streams.push(Stream { life, call: call.clone(), replayed, control });
        state.settle();
        drop(state);
        if self.has_ended(life) {
            self.end(life);
        }
        receiver
    }
}

impl State {
    /// Sets for every open watch of the present life whether it delivers events.
    fn settle(&self) {
        for stream in self.streams.iter().filter(|stream| stream.life == self.life) {
            let kind = stream.call.kind();
            let frozen = self.views.contains_key(&kind) && !stream.replayed;
            let silent = self.held.contains(&kind) || frozen;
            stream.control.send_modify(|control| control.silent = silent);
        }
    }
}

/// The event that ends a watch whose version is expired.
pub(super) fn expired(call: &Call) -> End {
    End::Event(event_line("ERROR", &Refusal::Gone.status(call)))
}
