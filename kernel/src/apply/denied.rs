//! What we can do without and may not do. It is left undone, said once, and tried again later, with a pause that grows:
//! roles are often granted after the operator was started, and a server that has just begun knows of no role yet.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::{Duration, Instant};

use super::request::Target;
use super::{WriteError, Writer};
use crate::clock;
use crate::declare::Kind;
use crate::metrics::denied_permission;

/// After so long we try again what we might not do, for the first time.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// The pause grows no further.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// What nobody has asked for so long is forgotten.
pub(super) const FORGOTTEN: Duration = Duration::from_hours(1);

/// Something that we can do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Deed {
    /// The status of an object that somebody else made is written.
    Say,
    /// Fields of an object that somebody else made are written.
    Touch,
    /// A pod is evicted.
    Evict,
}

impl Deed {
    fn words(self, kind: Kind) -> String {
        match self {
            Self::Say => format!("the status of {} may not be written, and is not", kind.plural),
            Self::Touch => format!("{} may not be patched, and are not", kind.plural),
            Self::Evict => format!("{} may not be evicted, and are not", kind.plural),
        }
    }

    /// Whether an answer means that we may not. Not every 403 does: a quota that is used up is one too, and the user must
    /// hear of it (see `refused`). What is said in a status is nobody's need, so there the cause does not matter.
    fn is_denied_by(self, error: &kube::Error) -> bool {
        let kube::Error::Api(status) = error else { return false };
        status.code == 403 && (self == Self::Say || denied_permission(&status.message).is_some())
    }
}

/// A deed to objects of a kind in a namespace.
type Place = (Kind, Deed, Box<str>);

/// When something was denied last, and how long it is left alone.
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

    /// The one after it.
    pub(super) fn next(self, now: Instant) -> Self {
        // Several may have asked at the same time.
        let pause = if self.is_fresh(now) { self.pause } else { (self.pause * 2).min(LONGEST_PAUSE) };
        Self { at: now, pause }
    }
}

/// What was denied, and where.
#[derive(Debug, Default)]
pub(super) struct Denied(BTreeMap<Place, Denial>);

impl Denied {
    fn is_fresh(&self, deed: Deed, target: Target<'_>) -> bool {
        self.0.get(&place(deed, target)).is_some_and(|denial| denial.is_fresh(clock::now()))
    }

    /// Whether it is news: it is said once for all namespaces. What was denied in other ones is forgotten after a while.
    fn take(&mut self, deed: Deed, target: Target<'_>, now: Instant) -> bool {
        let is_same = |(kind, known, _): &Place| *kind == target.kind && *known == deed;
        let is_known = self.0.keys().any(is_same);
        self.0.retain(|place, denial| !is_same(place) || denial.is_younger(FORGOTTEN, now));
        let first = Denial::first(now);
        self.0.entry(place(deed, target)).and_modify(|denial| *denial = denial.next(now)).or_insert(first);
        !is_known
    }

    fn forget(&mut self, deed: Deed, target: Target<'_>) {
        self.0.remove(&place(deed, target));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

fn place(deed: Deed, target: Target<'_>) -> Place {
    (target.kind, deed, target.key.namespace.as_ref().into())
}

impl Writer {
    /// Does something that we can do without. Nothing comes of it if we may not.
    pub(super) async fn unless_denied<T>(
        &self,
        deed: Deed,
        target: Target<'_>,
        request: impl Future<Output = Result<T, WriteError>> + Send,
    ) -> Result<Option<T>, WriteError> {
        if self.memory.records().denied.is_fresh(deed, target) {
            return Ok(None);
        }
        match request.await {
            Ok(done) => {
                self.memory.records().denied.forget(deed, target);
                Ok(Some(done))
            }
            Err(WriteError::Server { source, .. }) if deed.is_denied_by(&source) => {
                let is_news = self.memory.records().denied.take(deed, target, clock::now());
                if is_news {
                    tracing::warn!("{}; grant the right to have it done: {source}", deed.words(target.kind));
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
    fn the_pause_grows_when_it_was_asked_again_and_not_for_ever() {
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
    fn namespaces_in_which_nobody_asks_any_more_are_forgotten() {
        let (mut denied, start) = (Denied::default(), clock::now());
        let kind = Kind::of::<Pod>();
        for number in 0..100 {
            let key = Key::new(&format!("n{number}"), "a");
            let is_news = denied.take(Deed::Touch, Target { kind, key: &key }, start);
            assert_eq!(is_news, number == 0);
        }
        let key = Key::new("n", "a");
        let target = Target { kind, key: &key };
        assert!(!denied.take(Deed::Touch, target, start + FORGOTTEN), "it was said before");
        assert_eq!(denied.len(), 1);
        assert!(denied.take(Deed::Evict, target, start + FORGOTTEN), "another deed");
        denied.forget(Deed::Touch, target);
        assert!(denied.take(Deed::Touch, target, start + FORGOTTEN), "it was granted meanwhile");
    }
}
