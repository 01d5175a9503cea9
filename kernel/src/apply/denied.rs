//! Optional actions for which we have no permission. They are skipped, logged once, and retried later with back-off:
//! permissions are often granted after the start of the operator, and a server that has just started denies everything
//! until it has loaded its roles.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::{Duration, Instant};

use super::request::Target;
use super::{Result, WriteError, Writer};
use crate::clock;
use crate::declare::Kind;
use crate::telemetry::with_causes;

/// The pause before the first retry.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// How long a denial is remembered after the last attempt.
pub(super) const FORGOTTEN: Duration = Duration::from_hours(1);

/// An optional action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OptionalAction {
    /// Writing the status of an object of others.
    WriteStatus,
    /// Patching an object of others.
    Patch,
    /// Evicting a pod.
    Evict,
}

impl OptionalAction {
    fn failure(self, kind: Kind) -> String {
        match self {
            Self::WriteStatus => format!("cannot write the status of {}", kind.plural),
            Self::Patch => format!("cannot patch {}", kind.plural),
            Self::Evict => format!("cannot evict {}", kind.plural),
        }
    }

    /// Whether an answer means that the permission is missing. Not every 403 does: an exceeded quota causes one too, and must
    /// be reported to the user (see `refused`). The status of an object of others is never required, so the cause of its
    /// denial does not matter.
    fn is_denied_by(self, error: &WriteError) -> bool {
        error.is_missing_permission() || (self == Self::WriteStatus && error.code() == Some(403))
    }
}

/// An action on objects of a kind in a namespace.
type Subject = (Kind, OptionalAction, Box<str>);

/// When something was last denied, and the pause before it is retried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Denial {
    at: Instant,
    pause: Duration,
}

impl Denial {
    pub(super) fn first(now: Instant) -> Self {
        Self { at: now, pause: FIRST_PAUSE }
    }

    pub(super) fn is_fresh(self, now: Instant) -> bool {
        self.is_younger(self.pause, now)
    }

    pub(super) fn is_younger(self, age: Duration, now: Instant) -> bool {
        now.duration_since(self.at) < age
    }

    /// The denial after this one.
    pub(super) fn next(self, now: Instant) -> Self {
        // There may have been several attempts at the same time.
        let pause = if self.is_fresh(now) { self.pause } else { (self.pause * 2).min(LONGEST_PAUSE) };
        Self { at: now, pause }
    }
}

/// The denials.
#[derive(Debug, Default)]
pub(super) struct Denied(BTreeMap<Subject, Denial>);

impl Denied {
    fn is_fresh(&self, action: OptionalAction, target: Target<'_>) -> bool {
        self.0.get(&subject(action, target)).is_some_and(|denial| denial.is_fresh(clock::now()))
    }

    /// Records a denial. Returns whether it is the first one: it is logged once for all namespaces. Denials in other
    /// namespaces are forgotten after a while.
    fn record(&mut self, action: OptionalAction, target: Target<'_>, now: Instant) -> bool {
        let is_same = |(kind, known, _): &Subject| *kind == target.kind && *known == action;
        let is_known = self.0.keys().any(is_same);
        self.0.retain(|subject, denial| !is_same(subject) || denial.is_younger(FORGOTTEN, now));
        let first = Denial::first(now);
        self.0
            .entry(subject(action, target))
            .and_modify(|denial| *denial = denial.next(now))
            .or_insert(first);
        !is_known
    }

    fn forget(&mut self, action: OptionalAction, target: Target<'_>) {
        self.0.remove(&subject(action, target));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

fn subject(action: OptionalAction, target: Target<'_>) -> Subject {
    (target.kind, action, target.key.namespace.as_ref().into())
}

impl Writer {
    /// Performs an optional action. Returns `None` if the permission is missing.
    pub(super) async fn unless_denied<T>(
        &self,
        action: OptionalAction,
        target: Target<'_>,
        request: impl Future<Output = Result<T>> + Send,
    ) -> Result<Option<T>> {
        if self.memory.records().denied.is_fresh(action, target) {
            return Ok(None);
        }
        match request.await {
            Ok(done) => {
                self.memory.records().denied.forget(action, target);
                Ok(Some(done))
            }
            Err(error) if action.is_denied_by(&error) => {
                let is_first = self.memory.records().denied.record(action, target, clock::now());
                if is_first {
                    tracing::warn!(
                        "{}: the operator has no permission; grant it to enable this: {}",
                        action.failure(target.kind),
                        with_causes(&error)
                    );
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;

    use super::*;
    use crate::object::Key;

    #[test]
    fn the_pause_grows_with_each_attempt_up_to_a_limit() {
        let start = clock::now();
        let mut denial = Denial::first(start);
        assert_eq!(denial.next(start).pause, FIRST_PAUSE);
        let mut pauses = Vec::new();
        for _ in 0..7 {
            denial = denial.next(denial.at + denial.pause);
            pauses.push(denial.pause.as_secs());
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 300, 300]);
    }

    #[test]
    fn denials_without_further_attempts_are_forgotten() {
        let (mut denied, start) = (Denied::default(), clock::now());
        let kind = Kind::of::<Pod>();
        for number in 0..100 {
            let key = Key::new(&format!("n{number}"), "a");
            let is_first = denied.record(OptionalAction::Patch, Target { kind, key: &key }, start);
            assert_eq!(is_first, number == 0);
        }
        let key = Key::new("n", "a");
        let target = Target { kind, key: &key };
        assert!(!denied.record(OptionalAction::Patch, target, start + FORGOTTEN), "it was logged before");
        assert_eq!(denied.len(), 1);
        assert!(denied.record(OptionalAction::Evict, target, start + FORGOTTEN), "another action");
        denied.forget(OptionalAction::Patch, target);
        assert!(denied.record(OptionalAction::Patch, target, start + FORGOTTEN), "it was granted meanwhile");
    }
}
