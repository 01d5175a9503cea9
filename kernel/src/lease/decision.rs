//! What a candidate does about a lease. Pure: the election passes the time and performs the action.

use std::time::{Duration, Instant};

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

use super::ElectionSettings;

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaseAction {
    /// There is no lease: create it, held by us.
    Create,
    /// It is released or expired: take it.
    Take,
    /// It is ours: renew it.
    Renew,
    /// Another process holds it: read it again at this moment.
    WaitUntil(Instant),
    /// Our term is over.
    GiveUp(LossReason),
}

/// Why a term ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LossReason {
    /// No renewal succeeded in time.
    #[error("no renewal succeeded before the deadline")]
    NotRenewed,
    /// Another process holds the lease.
    #[error("another process holds the lease")]
    Taken,
    /// The lease was deleted.
    #[error("the lease was deleted")]
    Deleted,
}

/// The lease as last seen, and when *we* saw it change, by our own clock.
#[derive(Debug, Clone)]
struct Observed {
    spec: LeaseSpec,
    since: Instant,
}

/// What a candidate remembers between attempts.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    identity: String,
    duration: Duration,
    retry: Duration,
    observed: Option<Observed>,
    holds_until: Option<Instant>,
}

impl Candidate {
    /// A candidate that has not seen the lease.
    pub(super) fn new(identity: String, settings: &ElectionSettings) -> Self {
        Self {
            identity,
            duration: settings.duration,
            retry: settings.retry,
            observed: None,
            holds_until: None,
        }
    }

    /// Our name in the lease.
    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    /// When our term ends, if we have one.
    pub(super) fn holds_until(&self) -> Option<Instant> {
        self.holds_until
    }

    /// The reason if our term is over at `now`, whatever the lease says.
    pub(super) fn ended(&self, now: Instant) -> Option<LossReason> {
        self.holds_until.filter(|end| now >= *end).map(|_| LossReason::NotRenewed)
    }

    /// Decides about the lease as read at `now`, or about its absence.
    pub(super) fn decide(&mut self, lease: Option<&Lease>, now: Instant) -> LeaseAction {
        self.observe(lease, now);
        if let Some(reason) = self.ended(now) {
            return LeaseAction::GiveUp(reason);
        }
        // If the lease is gone, what was seen before still counts: its holder may not have noticed.
        let waiting = self.expiry().filter(|expiry| now < *expiry).map(|expiry| expiry.min(now + self.retry));
        let holder = lease.map(holder);
        match (holder, self.holds_until, waiting) {
            (Some(holder), _, _) if holder == self.identity => LeaseAction::Renew,
            (Some(_), Some(_), _) => LeaseAction::GiveUp(LossReason::Taken),
            (None, Some(_), _) => LeaseAction::GiveUp(LossReason::Deleted),
            (_, None, Some(moment)) => LeaseAction::WaitUntil(moment),
            (Some(_), None, None) => LeaseAction::Take,
            (None, None, None) => LeaseAction::Create,
        }
    }

    /// Records that our claim was written: the term lasts until `until`. Returns whether it starts now.
    pub(super) fn won(&mut self, until: Instant) -> bool {
        self.holds_until.replace(until).is_none()
    }

    /// The lease held by us. Its metadata stays, including the version that was read.
    pub(super) fn claim(&self, lease: Option<Lease>, now: Timestamp) -> Lease {
        let mut lease = lease.unwrap_or_default();
        let now = microseconds(now);
        let renews = holder(&lease) == self.identity;
        let creates = lease.spec.is_none();
        let spec = lease.spec.get_or_insert_default();
        if renews {
            // Other candidates rely on changes alone, and the server does not write an unchanged object: so the time always
            // changes, even if the clock of the machine was set back.
            let after = spec.renew_time.as_ref().map(|last| last.0 + SignedDuration::from_micros(1));
            spec.renew_time = Some(MicroTime(after.map_or(now, |after| after.max(now))));
        } else {
            let transitions = spec.lease_transitions.unwrap_or(0);
            spec.lease_transitions = Some(if creates { 0 } else { transitions.saturating_add(1) });
            spec.acquire_time = Some(MicroTime(now));
            spec.renew_time = Some(MicroTime(now));
            spec.holder_identity = Some(self.identity.clone());
        }
        spec.lease_duration_seconds = i32::try_from(self.duration.as_secs()).ok();
        lease
    }

    /// The released lease: without a holder, and with so short a duration that others need not wait. `None` if we do not hold
    /// it.
    pub(super) fn release(&self, mut lease: Lease, now: Timestamp) -> Option<Lease> {
        let spec =
            lease.spec.as_mut().filter(|spec| spec.holder_identity.as_ref() == Some(&self.identity))?;
        spec.holder_identity = Some(String::new());
        spec.lease_duration_seconds = Some(1);
        spec.acquire_time = Some(MicroTime(microseconds(now)));
        spec.renew_time = Some(MicroTime(microseconds(now)));
        Some(lease)
    }

    /// Records when the lease changed.
    fn observe(&mut self, lease: Option<&Lease>, now: Instant) {
        let Some(spec) = lease.map(|lease| lease.spec.clone().unwrap_or_default()) else { return };
        if self.observed.as_ref().is_none_or(|observed| observed.spec != spec) {
            self.observed = Some(Observed { spec, since: now });
        }
    }

    /// When the lease of another holder expires. The duration of the holder counts: it may have other settings.
    fn expiry(&self) -> Option<Instant> {
        let Observed { spec, since } = self.observed.as_ref()?;
        spec.holder_identity.as_ref().filter(|holder| !holder.is_empty() && **holder != self.identity)?;
        let seconds = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let seconds = seconds.filter(|seconds| *seconds > 0);
        Some(*since + seconds.map_or(self.duration, Duration::from_secs))
    }
}

fn holder(lease: &Lease) -> &str {
    lease.spec.as_ref().and_then(|spec| spec.holder_identity.as_deref()).unwrap_or_default()
}

/// Truncated to microseconds, the resolution of a lease.
fn microseconds(moment: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(moment.as_microsecond()).unwrap_or(moment)
}
