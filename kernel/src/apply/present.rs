//! The present state of an object that is to be written: from the stores, from our last write, or from the server.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::request::Target;
use super::{Desired, Result, WriteError, Writer};
use crate::clock;
use crate::declare::{Detail, Kind};
use crate::object::Object;

/// How long an unwatched object is assumed to be unchanged.
const LATELY: Duration = Duration::from_mins(1);

impl Writer {
    /// The object as it is, if it exists, and whether it is unchanged since we wrote it. What is not known is read.
    pub(super) async fn look_at(
        &self,
        target: Target<'_>,
        known: Option<Arc<Object>>,
        owner: &Object,
    ) -> Result<(Option<Arc<Object>>, bool)> {
        let Target { kind, key } = target;
        if self.is_blind(target) || self.was_outdated(target, owner) {
            // The stores do not have the changes of others, or not yet.
            return Ok((self.get(kind, key).await?, false));
        }
        if self.stores.detail(kind) == Detail::Full {
            return Ok((known, false));
        }
        let Some(outline) = known else {
            let absent = self.stores.is_known(kind, &key.namespace);
            return Ok((if absent { None } else { self.get(kind, key).await? }, false));
        };
        match self.written(&outline) {
            Some(written) => Ok((Some(written), true)),
            None => Ok((self.get(kind, key).await?, false)),
        }
    }

    /// Whether an object is not watched: there is no watch of its kind, and we work without, or its selector excludes the
    /// object.
    pub(super) fn is_blind(&self, target: Target<'_>) -> bool {
        let Target { kind, key } = target;
        let is_unwatched = !self.stores.is_watched(kind, &key.namespace);
        (self.declaration.is_optional(kind) && is_unwatched) || self.stores.is_left_out(kind, key)
    }

    /// Records whether a write was outdated: then the object is read before the next attempt.
    pub(super) fn note_if_outdated<T>(
        &self,
        target: Target<'_>,
        owner: &Object,
        outcome: Result<T>,
    ) -> Result<T> {
        match &outcome {
            Ok(_) => self.forget_outdated(target, owner),
            Err(error) if is_late(error) => self.note_outdated(target, owner),
            Err(_) => {}
        }
        outcome
    }

    /// Whether an unwatched object was as desired a short while ago.
    pub(super) fn was_seen_lately(&self, target: Target<'_>, owner: &Object, wanted: u64) -> bool {
        let seen = self.last_seen(target, owner);
        seen.is_some_and(|(hash, at)| hash == wanted && clock::now().duration_since(at) < LATELY)
    }

    /// The desired object, with what is kept of the present one.
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

/// Whether a write was based on an object that has changed, or is gone.
fn is_late(error: &WriteError) -> bool {
    matches!(error, WriteError::Outdated { .. }) || error.code() == Some(404)
}

#[cfg(test)]
mod tests;
