//! Fields of objects that others made: a few are written, the rest stays theirs.

use serde_json::Value;

use super::denied::Deed;
use super::request::Target;
use super::{Applied, Hand, Touch, WriteError};
use crate::object::Kept;

impl Hand {
    /// Touches all of them.
    pub async fn touch_all(&self, touches: &[Touch], applied: &mut Applied) -> Result<(), WriteError> {
        for touch in touches {
            self.touch(touch, applied).await?;
        }
        Ok(())
    }

    async fn touch(&self, touch: &Touch, applied: &mut Applied) -> Result<(), WriteError> {
        let Touch { kind, key, .. } = touch;
        let target = Target { kind: *kind, key };
        let is_blind = self.is_blind(target);
        if !is_blind && !self.is_due(touch) {
            return Ok(());
        }
        let object = said(touch);
        let request = async {
            if is_blind {
                self.server_side_apply_unseen(target, &object).await
            } else {
                self.server_side_apply(target, &object).await.map(|_| true)
            }
        };
        let is_touched = if self.declaration.is_optional(*kind) {
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

    /// Whether the object is known to be there and not as we say. What nobody tells us of is not known: whoever plans to
    /// touch it has looked.
    fn is_due(&self, touch: &Touch) -> bool {
        let known = self.stores.get(touch.kind, &touch.key);
        let live = known.filter(|live| live.identity().uid == touch.uid && !live.is_deleting());
        live.is_some_and(|live| crate::compare::missing(&touch.fields, &live.value()).is_some())
    }
}

/// All that we say about the object, and which one is meant.
fn said(touch: &Touch) -> Value {
    let Touch { kind, key, uid, fields } = touch;
    let mut object = fields.clone();
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.kind.into();
    object["metadata"]["name"] = (*key.name).into();
    object["metadata"]["uid"] = (**uid).into();
    object
}
