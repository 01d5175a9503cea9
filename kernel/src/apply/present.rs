//! What is known of an object that is to be written: from the stores, from our last write, or asked for.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use super::request::Target;
use super::{Desired, Hand, WriteError};
use crate::declare::{Kind, Sight};
use crate::object::{Kept, Key, Object};

impl Hand {
    /// The object as it is, if it is there, and whether nobody touched it since we wrote it. What is not known of it is
    /// asked for.
    pub(super) async fn look_at(
        &self,
        target: Target<'_>,
        known: Option<Arc<Object>>,
    ) -> Result<(Option<Arc<Object>>, bool), WriteError> {
        let Target { kind, key } = target;
        if self.stores.sight(kind) == Sight::Whole {
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
