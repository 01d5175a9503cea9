//! What is known of an object that is to be written: from the stores, from our last write, or asked for.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::request::{Target, is_gone};
use super::{Desired, WriteError, Writer};
use crate::clock;
use crate::declare::{Detail, Kind};
use crate::object::Object;

/// How long an object that nobody tells us of is taken to be as it was.
const LATELY: Duration = Duration::from_mins(1);

impl Writer {
    /// The object as it is, if it is there, and whether nobody touched it since we wrote it. What is not known of it is
    /// asked for.
    pub(super) async fn look_at(
        &self,
        target: Target<'_>,
        known: Option<Arc<Object>>,
        owner: &Object,
    ) -> Result<(Option<Arc<Object>>, bool), WriteError> {
        let Target { kind, key } = target;
        if self.is_blind(target) || self.is_doubted(target, owner) {
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
        match self.written(&outline) {
            Some(written) => Ok((Some(written), true)),
            None => Ok((self.get(target).await?, false)),
        }
    }

    /// Whether nobody tells us of an object: there is no watch, and we can do without, or it looks at others only.
    pub(super) fn is_blind(&self, target: Target<'_>) -> bool {
        let Target { kind, key } = target;
        let is_unwatched = !self.stores.is_watched(kind, &key.namespace);
        (self.declaration.is_optional(kind) && is_unwatched) || self.stores.is_left_out(kind, key)
    }

    /// Takes note of what became of a write: one that came too late is not tried again on the strength of what we knew.
    pub(super) fn doubt_if_late<T>(
        &self,
        target: Target<'_>,
        owner: &Object,
        outcome: Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        match &outcome {
            Ok(_) => self.trust(target, owner),
            Err(error) if is_late(error) => self.doubt(target, owner),
            Err(_) => {}
        }
        outcome
    }

    /// Whether an object of which nobody tells us was as we want it a short while ago.
    pub(super) fn was_seen_lately(&self, target: Target<'_>, owner: &Object, wanted: u64) -> bool {
        let seen = self.last_seen(target, owner);
        seen.is_some_and(|(hash, at)| hash == wanted && clock::now().duration_since(at) < LATELY)
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
