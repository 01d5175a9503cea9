//! Patches of a few fields of objects of others. They are merge patches and not applied: an apply would have to name all
//! our fields of an object, and several controllers patch the same object without knowing each other.

use serde_json::Value;

use super::denied::OptionalAction;
use super::request::{Target, is_gone};
use super::{Applied, Result, Touch, WriteError, Writer};
use crate::object::Stored;

impl Writer {
    /// Patches all of them. One that the server rejects does not stop the others; its error is returned at the end.
    pub async fn touch_all(&self, touches: &[Touch], applied: &mut Applied) -> Result<()> {
        let mut refused = Ok(());
        for touch in touches {
            match self.touch(touch, applied).await {
                Err(error) if error.refusal().is_some() => refused = refused.and(Err(error)),
                outcome => outcome?,
            }
        }
        refused
    }

    async fn touch(&self, touch: &Touch, applied: &mut Applied) -> Result<()> {
        let Touch { kind, key, .. } = touch;
        let target = Target { kind: *kind, key };
        let is_unwatched = self.is_unwatched(target);
        if !is_unwatched && !self.is_due(touch) {
            return Ok(());
        }
        let body = body(touch);
        let request = async {
            if is_unwatched {
                self.merge_unseen(target, &body).await
            } else {
                self.merge_seen(target, &body).await
            }
        };
        let is_touched = if self.declaration.is_optional(*kind) {
            let request = self.unless_refused(touch, request, applied);
            self.unless_denied(OptionalAction::Patch, target, request).await?.unwrap_or(false)
        } else {
            request.await?
        };
        if is_touched {
            applied.written.push(format!("patched {} {key}", kind.kind));
            applied.done.insert((*kind, key.clone()));
        }
        Ok(())
    }

    async fn merge_seen(&self, target: Target<'_>, body: &Value) -> Result<bool> {
        match self.merge(target, None, body).await {
            // The stored object is outdated, or there is another object with its name.
            Err(WriteError::Server { source, kind, key, .. }) if is_gone(&source) => {
                Err(WriteError::Outdated { kind, key })
            }
            outcome => outcome.map(|_| true),
        }
    }

    /// Whether the object exists and differs. An unwatched object is not in the stores: the planner has read it.
    fn is_due(&self, touch: &Touch) -> bool {
        let known = self.stores.get(touch.kind, &touch.key);
        let live = known.filter(|live| live.identity().uid == touch.uid && !live.is_deleting());
        live.is_some_and(|live| crate::compare::missing(&touch.fields, &live.value()).is_some())
    }
}

/// The fields, with the unique id of the object.
fn body(touch: &Touch) -> Value {
    let mut body = touch.fields.clone();
    body["metadata"]["uid"] = (*touch.uid).into();
    body
}
