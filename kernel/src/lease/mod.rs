//! Leader election on a `coordination.k8s.io/v1` Lease, by the rules of client-go: one process of several writes.
//! The binary runs one [`Election`] and passes its [`Leadership`] to everything that writes.
//!
//! # Guarantees
//! - No two leaderships are valid at the same instant. A holder stops at `renew_deadline` after it *started* the last
//!   renewal that succeeded; another takes the lease no sooner than `duration` after it *saw* that renewal. Both measure
//!   with their own monotonic clock; wall clocks are written for people to read and never compared.
//! - A leadership that was lost is never valid again: one election is one term at most, and each has its own leadership. So
//!   work that was planned in one term is never written in another.
//! - A process that was frozen (SIGSTOP, a starved node) finds its leadership invalid by the clock, before any of its tasks
//!   runs. A write that started before the freeze may still arrive late: that is why every write of the kernel carries a
//!   `resourceVersion` or a UID, and is then rejected.
//! - Every write to the lease is a create or carries the `resourceVersion` that the decision was made on.
//!
//! # Assumptions
//! - Monotonic clocks run at nearly the same rate: the defaults tolerate a difference of a third.
//! - A whole machine that is suspended (not just a process) may stop its monotonic clock; then only the
//!   `resourceVersion` of each write protects.
//! - The lease of an active holder is not deleted. Candidates that saw the holder wait for it to expire even then; one that
//!   starts at that moment does not know the holder.

mod decision;
mod leadership;
mod server;
mod settings;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::time::Instant;

use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::{timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::clock;
pub use decision::LossReason;
use decision::{Candidate, LeaseAction};
pub use leadership::Leadership;
use leadership::Term;
pub use server::{LeaseObject, LeaseServer, ServerError};
pub use settings::{ElectionSettings, SettingsError};

/// How an election ended. The leadership is invalid by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElectionEnding {
    /// It was asked to stop, and released the lease if it held it.
    Stopped,
    /// It held the lease and lost it. A new election is needed to acquire it again.
    Lost(LossReason),
}

/// One candidacy: it waits for the lease, holds it for one term, and ends.
#[derive(Debug)]
pub struct Election<S> {
    server: S,
    settings: ElectionSettings,
    candidate: Candidate,
    term: Term,
    /// The lease after our last write: while it is current, a renewal takes one request.
    latest: Option<Lease>,
}

/// The outcome of an attempt.
enum Round {
    /// Retry at this moment.
    Again(Instant),
    /// The term is over.
    Over(LossReason),
}

impl<S: LeaseServer> Election<S> {
    /// A candidacy under a recognisable name, such as the name of the pod. A random part is added, so that the lease of an
    /// earlier process with the same name is not considered our own.
    pub fn new(
        server: S,
        name: &str,
        settings: ElectionSettings,
    ) -> Result<(Self, Leadership), SettingsError> {
        let settings = settings.checked()?;
        let (term, leadership) = leadership::term();
        let candidate = Candidate::new(unique(name), &settings);
        Ok((Self { server, settings, candidate, term, latest: None }, leadership))
    }

    /// Runs until the lease is lost or `stop`.
    ///
    /// Stop the controllers first, and this when they have ended: it releases the lease, and the next holder acquires it at
    /// its next attempt.
    pub async fn run(mut self, stop: CancellationToken) -> ElectionEnding {
        let mut next = clock::now();
        loop {
            let round = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                round = async {
                    clock::until(Some(next)).await;
                    self.attempt().await
                } => round,
            };
            match round {
                Round::Again(moment) => {
                    next = self.candidate.holds_until().map_or(moment, |end| end.min(moment));
                }
                Round::Over(reason) => {
                    self.term.end();
                    tracing::error!(%reason, "lost the lease: this process no longer writes");
                    return ElectionEnding::Lost(reason);
                }
            }
        }
        // Before the release, not after: the next holder may start as soon as it is written.
        self.term.end();
        if let Err(error) = self.release().await {
            tracing::warn!(%error, "cannot release the lease: the next holder waits until it expires");
        }
        ElectionEnding::Stopped
    }

    /// One read, one decision, at most one write.
    async fn attempt(&mut self) -> Round {
        let began = clock::now();
        if let Some(reason) = self.candidate.ended(began) {
            return Round::Over(reason);
        }
        let lease = match self.latest.take() {
            Some(lease) => Some(lease),
            None => match self.limited(self.server.read()).await {
                Ok(lease) => lease,
                Err(error) => {
                    tracing::warn!(%error, "cannot read the lease");
                    return self.later(began);
                }
            },
        };
        let began = clock::now();
        let action = self.candidate.decide(lease.as_ref(), began);
        let claim = self.candidate.claim(lease, clock::timestamp());
        let answer = match action {
            LeaseAction::WaitUntil(moment) => return Round::Again(moment),
            LeaseAction::GiveUp(reason) => return Round::Over(reason),
            LeaseAction::Create => self.limited(self.server.create(claim)).await,
            LeaseAction::Take | LeaseAction::Renew => self.limited(self.server.replace(claim)).await,
        };
        match answer {
            // The next attempt reads the outcome.
            Err(error) => tracing::warn!(%error, ?action, "cannot write the lease"),
            Ok(lease) => {
                let until = began + self.settings.renew_deadline;
                if !self.term.extend(until) {
                    return self.candidate.ended(clock::now()).map_or_else(|| self.later(began), Round::Over);
                }
                if self.candidate.won(until) {
                    tracing::info!(identity = self.candidate.identity(), "acquired the lease");
                }
                self.latest = Some(lease);
            }
        }
        self.later(began)
    }

    /// The next attempt after one that started at this moment.
    fn later(&self, began: Instant) -> Round {
        Round::Again(clock::now().max(began + self.settings.retry))
    }

    /// A request that hangs must leave time for another before the term ends.
    async fn limited<T>(
        &self,
        request: impl Future<Output = Result<T, ServerError>>,
    ) -> Result<T, ServerError> {
        let limit = clock::now() + self.settings.renew_deadline / 2;
        let limit = self.candidate.holds_until().map_or(limit, |end| end.min(limit));
        timeout_at(limit.into(), request).await.unwrap_or(Err(ServerError::NoAnswer))
    }

    /// Releases the lease. Reads it first: an answer may have been lost, so that we hold the lease without knowing it.
    async fn release(&self) -> Result<(), ServerError> {
        let release = async {
            let Some(lease) = self.server.read().await? else { return Ok(()) };
            if let Some(released) = self.candidate.release(lease, clock::timestamp()) {
                self.server.replace(released).await?;
                tracing::info!("released the lease");
            }
            Ok(())
        };
        timeout(self.settings.renew_deadline / 2, release).await.unwrap_or(Err(ServerError::NoAnswer))
    }
}

/// A name that no other candidacy has. The standard library's hasher is seeded from the system's randomness.
fn unique(candidate: &str) -> String {
    use std::hash::{BuildHasher, RandomState};
    format!("{candidate}_{:016x}", RandomState::new().hash_one(candidate))
}
