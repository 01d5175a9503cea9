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
const RECENT: Duration = Duration::from_mins(1);

impl Writer {
    /// The present object, if it exists, and whether it is unchanged since we wrote it. It is read from the server if it is
    /// not known.
    pub(super) async fn read_present(
        &self,
        target: Target<'_>,
        known: Option<Arc<Object>>,
        owner: &Object,
    ) -> Result<(Option<Arc<Object>>, bool)> {
        let Target { kind, key } = target;
        if self.is_unwatched(target) || self.was_outdated(target, owner) {
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

    /// Whether an object is not watched: there is no watch of its kind, which is optional, or the watch excludes the object.
    pub(super) fn is_unwatched(&self, target: Target<'_>) -> bool {
        let Target { kind, key } = target;
        let has_watch = self.stores.is_watched(kind, &key.namespace);
        (self.declaration.is_optional(kind) && !has_watch) || self.stores.is_left_out(kind, key)
    }

    /// Records whether a write was outdated: in that case the object is read before the next attempt.
    pub(super) fn note_if_outdated<T>(
        &self,
        target: Target<'_>,
        owner: &Object,
        outcome: Result<T>,
    ) -> Result<T> {
        match &outcome {
            Ok(_) => self.forget_outdated(target, owner),
            Err(error) if is_outdated(error) => self.note_outdated(target, owner),
            Err(_) => {}
        }
        outcome
    }

    /// Whether an unwatched object was as desired a short while ago.
    pub(super) fn was_checked_recently(&self, target: Target<'_>, owner: &Object, wanted: u64) -> bool {
        let seen = self.last_seen(target, owner);
        seen.is_some_and(|(hash, at)| hash == wanted && clock::now().duration_since(at) < RECENT)
    }

    /// The desired object, with the fields that are kept of the present one.
    pub(super) fn with_kept_fields<'d>(
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
fn is_outdated(error: &WriteError) -> bool {
    matches!(error, WriteError::Outdated { .. }) || error.code() == Some(404)
}

#[cfg(test)]
mod tests;
