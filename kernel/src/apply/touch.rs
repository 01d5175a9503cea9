//! Fields of objects that others made: a few are written, the rest stays theirs. They are merged and not applied: who
//! applies says all that he wants of an object, and several touch the same one without knowing of each other.

use serde_json::Value;

use super::denied::Deed;
use super::request::{Target, is_gone};
use super::{Applied, Touch, WriteError, Writer};
use crate::object::Kept;

impl Writer {
    /// Touches all of them. One that the server refuses keeps no other from being done: what it said comes last.
    pub async fn touch_all(&self, touches: &[Touch], applied: &mut Applied) -> Result<(), WriteError> {
        let mut refused = Ok(());
        for touch in touches {
            match self.touch(touch, applied).await {
                Err(error) if error.refusal().is_some() => refused = refused.and(Err(error)),
                outcome => outcome?,
            }
        }
        refused
    }

    async fn touch(&self, touch: &Touch, applied: &mut Applied) -> Result<(), WriteError> {
        let Touch { kind, key, .. } = touch;
        let target = Target { kind: *kind, key };
        let is_blind = self.is_blind(target);
        if !is_blind && !self.is_due(touch) {
            return Ok(());
        }
        let body = said(touch);
        let request = async {
            if is_blind {
                self.merge_unseen(target, &body).await
            } else {
                self.merge_seen(target, &body).await
            }
        };
        let is_touched = if self.declaration.is_optional(*kind) {
            let request = self.unless_refused(touch, request, applied);
            self.unless_denied(Deed::Touch, target, request).await?.unwrap_or(false)
        } else {
            request.await?
        };
        if is_touched {
            applied.written.push(format!("touched {} {key}", kind.kind));
            applied.done.insert((*kind, key.clone()));
        }
        Ok(())
    }

    async fn merge_seen(&self, target: Target<'_>, body: &Value) -> Result<bool, WriteError> {
        match self.merge(target, None, body).await {
            // What we know is old, as with another one of the same name.
            Err(WriteError::Server { source, kind, key, .. }) if is_gone(&source) => {
                Err(WriteError::Outdated { kind, key })
            }
            outcome => outcome.map(|_| true),
        }
    }

    /// Whether the object is known to be there and not as we say. What nobody tells us of is not known: whoever plans to
    /// touch it has looked.
    fn is_due(&self, touch: &Touch) -> bool {
        let known = self.stores.get(touch.kind, &touch.key);
        let live = known.filter(|live| live.identity().uid == touch.uid && !live.is_deleting());
        live.is_some_and(|live| crate::compare::missing(&touch.fields, &live.value()).is_some())
    }
}

/// What is written, and which object is meant.
fn said(touch: &Touch) -> Value {
    let mut body = touch.fields.clone();
    body["metadata"]["uid"] = (*touch.uid).into();
    body
}
