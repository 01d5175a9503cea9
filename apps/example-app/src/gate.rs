//! The gate that every write passes: open, or held. A held write waits, up to a limit, and is then refused. No write is
//! lost, because it is answered only after it is on the disk. The gate opens again only if this generation of the data
//! is still in use: a writer must not write to the old data after a migration.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::task::spawn_blocking;

use crate::clock::{self, Deadline};
use crate::console::{Level, log};
use crate::store::{Store, StoreError};
use crate::volume::{Generation, Volume};

/// The state of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Writes are executed.
    Open,
    /// Writes wait.
    Held,
    /// Writes wait until the server restarts: a migration has replaced the data.
    Moved,
    /// The server is stopping: writes are refused at once.
    Closing,
}

impl State {
    /// As `/v1/version` and the log show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Held => "held",
            Self::Moved => "moved",
            Self::Closing => "closing",
        }
    }
}

/// Why a write was not executed.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// It waited until the limit.
    #[error("writes are held, and nothing was written; try again")]
    StillHeld,
    /// The server is stopping.
    #[error("the server is stopping, and nothing was written; try again")]
    Closing,
    /// The store could not be written.
    #[error(transparent)]
    Store(StoreError),
}

/// The gate of one store.
pub struct Gate {
    store: Arc<Store>,
    volume: Volume,
    generation: Generation,
    hold_limit: Duration,
    state: watch::Sender<State>,
    /// Until when writes are held; locked while the state changes.
    until: Mutex<Deadline>,
    waiting: watch::Sender<u64>,
}

struct Waiting<'a>(&'a watch::Sender<u64>);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Gate {
    /// For the store of this generation. Held at first if the store is open for reading only.
    pub fn new(store: Arc<Store>, volume: Volume, generation: Generation, hold_limit: Duration) -> Self {
        let state = if store.takes_writes() { State::Open } else { State::Held };
        Self {
            store,
            volume,
            generation,
            hold_limit,
            state: watch::Sender::new(state),
            until: Mutex::new(Deadline::after(Duration::ZERO)),
            waiting: watch::Sender::new(0),
        }
    }

    /// The current state.
    pub fn state(&self) -> State {
        *self.state.borrow()
    }

    /// How many writes wait.
    pub fn waiting(&self) -> u64 {
        *self.waiting.borrow()
    }

    /// Executes a write as soon as the gate is open. A write that has started is always completed.
    pub async fn pass<T: Send + 'static>(
        &self,
        write: impl Fn(&Store) -> Result<T, StoreError> + Send + Sync + 'static,
    ) -> Result<T, GateError> {
        let (deadline, write) = (Deadline::after(self.hold_limit), Arc::new(write));
        let mut state = self.state.subscribe();
        loop {
            self.waiting.send_modify(|count| *count += 1);
            let waiting = Waiting(&self.waiting);
            let turn = state.wait_for(|state| matches!(state, State::Open | State::Closing));
            let turn = tokio::time::timeout(deadline.remaining(), turn);
            let turn = turn.await.map(|turn| turn.map(|state| *state));
            drop(waiting);
            match turn {
                Ok(Ok(State::Open)) => {}
                Ok(_) => return Err(GateError::Closing),
                Err(_) => return Err(GateError::StillHeld),
            }
            let (store, work) = (self.store.clone(), write.clone());
            match spawn_blocking(move || work(&store)).await {
                // Writes were held between the check and the write; nothing was written.
                Ok(Err(StoreError::Held)) if deadline.passed() => return Err(GateError::StillHeld),
                Ok(Err(StoreError::Held)) => tokio::task::yield_now().await,
                Ok(result) => return result.map_err(GateError::Store),
                Err(_) => return Err(GateError::Closing),
            }
        }
    }

    /// Holds writes for this long, or until [`Gate::release`]. Returns when no write is in progress.
    pub async fn hold(&self, limit: Duration) -> Result<(), StoreError> {
        let mut until = self.until.lock().await;
        *until = Deadline::after(limit);
        self.set(State::Held);
        let store = self.store.clone();
        spawn_blocking(move || store.hold()).await.unwrap_or(Err(StoreError::Held))
    }

    /// Opens the gate if the data are still in use and no migration reads them; returns the new state.
    pub async fn release(&self) -> State {
        let mut until = self.until.lock().await;
        *until = Deadline::after(Duration::ZERO);
        self.try_to_open().await;
        self.state()
    }

    /// Opens the gate whenever a hold has expired, until the task is cancelled.
    pub async fn watch(&self) {
        clock::repeat(Duration::from_millis(250), async || {
            let until = self.until.lock().await;
            if until.passed() && matches!(self.state(), State::Held | State::Moved) {
                self.try_to_open().await;
            }
        })
        .await;
    }

    /// Refuses waiting writes and new ones.
    pub fn close(&self) {
        self.state.send_replace(State::Closing);
    }

    fn set(&self, to: State) {
        self.state.send_if_modified(|state| {
            let changes = *state != to && *state != State::Closing;
            if changes {
                log(Level::Info, format!("writes: {}", to.name()));
                *state = to;
            }
            changes
        });
    }

    async fn try_to_open(&self) {
        let (store, volume, generation) = (self.store.clone(), self.volume.clone(), self.generation);
        let look = move || {
            if volume.current()? != Some(generation) {
                return Ok(State::Moved);
            }
            store.resume()?;
            // Checked again now that no other process can have the store open: a migration could have ended before.
            if volume.current()? == Some(generation) {
                return Ok(State::Open);
            }
            store.hold()?;
            Ok::<_, StoreError>(State::Moved)
        };
        match spawn_blocking(look).await {
            Ok(Ok(state)) => self.set(state),
            Ok(Err(StoreError::InUse(_))) => self.set(State::Held),
            Ok(Err(error)) => log(Level::Error, format!("writes stay held: {error}")),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
