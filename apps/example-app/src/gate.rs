//! The gate before every write: open, or held. A held write waits, up to a limit, and is then refused: it is never
//! lost, because it is answered only after it is on the disk. The gate opens again only while the data it guards are
//! the data in use: a writer that slept through a migration must not write to the old data.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::task::spawn_blocking;

use crate::clock::{self, Deadline};
use crate::console::{Level, log};
use crate::store::{Store, StoreError};
use crate::volume::{Generation, Volume};

/// Where the gate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Writes pass.
    Open,
    /// Writes wait.
    Held,
    /// Writes wait for another version: the data in use are no longer these.
    Moved,
    /// The server stops: writes are refused at once.
    Closing,
}

/// Why a write did not pass.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// It waited as long as it may.
    #[error("writes are held, and nothing was written; try again")]
    StillHeld,
    /// The server stops.
    #[error("the server stops, and nothing was written; try again")]
    Closing,
    /// The store refused.
    #[error(transparent)]
    Store(StoreError),
}

/// The gate of one store.
pub struct Gate {
    store: Arc<Store>,
    volume: Volume,
    generation: Generation,
    patience: Duration,
    state: watch::Sender<State>,
    /// Until when writes are held; whoever moves the gate has it.
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
    /// Before the store of this generation. Held from the beginning if the store takes no writes yet.
    pub fn new(store: Arc<Store>, volume: Volume, generation: Generation, patience: Duration) -> Self {
        let state = if store.takes_writes() { State::Open } else { State::Held };
        Self {
            store,
            volume,
            generation,
            patience,
            state: watch::Sender::new(state),
            until: Mutex::new(Deadline::after(Duration::ZERO)),
            waiting: watch::Sender::new(0),
        }
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        *self.state.borrow()
    }

    /// How many writes wait.
    pub fn waiting(&self) -> u64 {
        *self.waiting.borrow()
    }

    /// Lets a write through as soon as the gate is open. Once begun it is never given up halfway.
    pub async fn pass<T: Send + 'static>(
        &self,
        write: impl Fn(&Store) -> Result<T, StoreError> + Send + Sync + 'static,
    ) -> Result<T, GateError> {
        let (deadline, write) = (Deadline::after(self.patience), Arc::new(write));
        let mut state = self.state.subscribe();
        loop {
            self.waiting.send_modify(|count| *count += 1);
            let waiting = Waiting(&self.waiting);
            let turn = state.wait_for(|state| matches!(state, State::Open | State::Closing));
            let turn = tokio::time::timeout(deadline.left(), turn).await.map(|turn| turn.map(|state| *state));
            drop(waiting);
            match turn {
                Ok(Ok(State::Open)) => {}
                Ok(_) => return Err(GateError::Closing),
                Err(_) => return Err(GateError::StillHeld),
            }
            let (store, work) = (self.store.clone(), write.clone());
            match spawn_blocking(move || work(&store)).await {
                // The gate closed between the look and the write; nothing was written.
                Ok(Err(StoreError::Held)) if deadline.passed() => return Err(GateError::StillHeld),
                Ok(Err(StoreError::Held)) => tokio::task::yield_now().await,
                Ok(result) => return result.map_err(GateError::Store),
                Err(_) => return Err(GateError::Closing),
            }
        }
    }

    /// Holds writes for this long, or until [`Gate::release`]. Returns when none is under way.
    pub async fn hold(&self, limit: Duration) -> Result<(), StoreError> {
        let mut until = self.until.lock().await;
        *until = Deadline::after(limit);
        self.move_to(State::Held);
        let store = self.store.clone();
        spawn_blocking(move || store.hold()).await.unwrap_or(Err(StoreError::Held))
    }

    /// Lets writes pass again, if the data are still in use and no migration reads them; says where the gate stands.
    pub async fn release(&self) -> State {
        let mut until = self.until.lock().await;
        *until = Deadline::after(Duration::ZERO);
        self.try_to_open().await;
        self.state()
    }

    /// Opens the gate whenever its time has come, for as long as the server lives.
    pub async fn watch(&self) {
        clock::repeat(Duration::from_millis(250), async || {
            let until = self.until.lock().await;
            if until.passed() && matches!(self.state(), State::Held | State::Moved) {
                self.try_to_open().await;
            }
        })
        .await;
    }

    /// Refuses what waits and what comes.
    pub fn close(&self) {
        self.state.send_replace(State::Closing);
    }

    fn move_to(&self, to: State) {
        self.state.send_if_modified(|state| {
            let moves = *state != to && *state != State::Closing;
            if moves {
                log(Level::Info, format!("writes: {to:?}"));
                *state = to;
            }
            moves
        });
    }

    async fn try_to_open(&self) {
        let (store, volume, generation) = (self.store.clone(), self.volume.clone(), self.generation);
        let look = move || {
            if volume.current()? != Some(generation) {
                return Ok(State::Moved);
            }
            store.resume()?;
            // Looked at once more now that the store is ours alone: a migration could have ended in between.
            if volume.current()? == Some(generation) {
                return Ok(State::Open);
            }
            store.hold()?;
            Ok::<_, StoreError>(State::Moved)
        };
        match spawn_blocking(look).await {
            Ok(Ok(state)) => self.move_to(state),
            Ok(Err(StoreError::InUse(_))) => self.move_to(State::Held),
            Ok(Err(error)) => log(Level::Error, format!("writes stay held: {error}")),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
