//! What is known of an object that is to be written: from the stores, from our last write, or asked for.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::request::{Target, is_gone};
use super::{Desired, WriteError, Writer};
use crate::clock;
use crate::declare::{Detail, Kind};
use crate::object::{Kept, Key, Object};

/// How long an object that nobody tells us of is taken to be as it was.
const LATELY: Duration = Duration::from_mins(1);

/// Objects that were not as we knew them when we wrote. Until a write succeeds nobody relies on what is known of them.
pub(super) type Doubted = HashSet<(Kind, Key)>;

impl Writer {
    /// The object as it is, if it is there, and whether nobody touched it since we wrote it. What is not known of it is
    /// asked for.
    pub(super) async fn look_at(
        &self,
        target: Target<'_>,
        known: Option<Arc<Object>>,
    ) -> Result<(Option<Arc<Object>>, bool), WriteError> {
        let Target { kind, key } = target;
        if self.is_blind(target) || self.is_doubted(target) {
            // Nobody tells us what others did, or not yet.
            return Ok((self.get(target).await?, false));
        }
        if self.stores.detail(kind) == Detail::Full {
            return Ok((known, false));
        }
        let Some(outline) = known else {
            let absent = self.stores.is_known(kind, &key.namespace);
            return Ok((if absent { None } else { self.get(target).await? }, false));
        };
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).get(outline.uid()).cloned();
        match written.filter(|(_, written)| written.identity() == outline.identity()) {
            Some((_, written)) => Ok((Some(written), true)),
            None => Ok((self.get(target).await?, false)),
        }
    }

    /// Whether nobody tells us of an object: there is no watch, and we can do without, or it looks at others only.
    pub(super) fn is_blind(&self, target: Target<'_>) -> bool {
        let Target { kind, key } = target;
        let is_unwatched = !self.stores.is_watched(kind, &key.namespace);
        (self.declaration.is_optional(kind) && is_unwatched) || self.stores.is_left_out(kind, key)
    }

    fn is_doubted(&self, target: Target<'_>) -> bool {
        let doubted = self.doubted.lock().unwrap_or_else(PoisonError::into_inner);
        doubted.contains(&(target.kind, target.key.clone()))
    }

    /// Takes note of what became of a write: one that came too late is not tried again on the strength of what we knew.
    pub(super) fn doubt_if_late<T>(
        &self,
        target: Target<'_>,
        outcome: Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let place = (target.kind, target.key.clone());
        let mut doubted = self.doubted.lock().unwrap_or_else(PoisonError::into_inner);
        match &outcome {
            Ok(_) => {
                doubted.remove(&place);
            }
            Err(error) if is_late(error) => {
                self.seen.lock().unwrap_or_else(PoisonError::into_inner).remove(&place);
                doubted.insert(place);
            }
            Err(_) => {}
        }
        outcome
    }

    /// Whether an object of which nobody tells us was as we want it a short while ago.
    pub(super) fn was_seen_lately(&self, target: Target<'_>, wanted: u64) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let found = seen.get(&(target.kind, target.key.clone()));
        found.is_some_and(|(hash, when)| *hash == wanted && clock::now().duration_since(*when) < LATELY)
    }

    /// Remembers that an object of which nobody tells us is as we want it.
    pub(super) fn saw(&self, target: Target<'_>, wanted: u64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = clock::now();
        seen.retain(|_, (_, when)| now.duration_since(*when) < LATELY);
        seen.insert((target.kind, target.key.clone()), (wanted, now));
    }

    /// Remembers an object that we wrote. From time to time those that are gone are forgotten.
    pub(super) fn remember(&self, kind: Kind, object: Object) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.len().is_power_of_two() {
            let is_there = |uid: &str, kind: Kind, key: &Key| {
                self.stores.get(kind, key).is_some_and(|known| known.uid() == uid)
            };
            written.retain(|uid, (kind, object)| is_there(uid, *kind, object.key()));
        }
        written.insert(object.uid().into(), (kind, Arc::new(object)));
    }

    /// What is wanted, with what stays of the object that is there.
    pub(super) fn with_what_stays<'d>(
        &self,
        kind: Kind,
        desired: &'d Desired,
        live: Option<&Object>,
    ) -> Cow<'d, Desired> {
        match (live, self.declaration.keeps(kind)) {
            (Some(live), Some(keeps)) => {
                let mut desired = desired.clone();
                keeps(&mut desired.object, &live.value());
                Cow::Owned(desired)
            }
            (_, _) => Cow::Borrowed(desired),
        }
    }
}

/// Whether a write was about an object that is another one by now, or gone.
fn is_late(error: &WriteError) -> bool {
    match error {
        WriteError::Outdated { .. } => true,
        WriteError::Server { source, .. } => is_gone(source),
        WriteError::Fenced | WriteError::Impossible(_) => false,
    }
}

#[cfg(test)]
mod tests;
