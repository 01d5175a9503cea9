//! Optional patches that the server rejects though we have the permission: a volume whose class does not permit expansion, a
//! quota, a policy. The object is left as it is, the operator reports it to the user, and the patch is retried with back-off:
//! the cause is elsewhere, and no event reports that it is gone.

use std::collections::HashMap;
use std::future::Future;
use std::time::Instant;

use super::denied::{Denial, FORGOTTEN};
use super::{Applied, Result, Touch, Writer};
use crate::clock;

/// A patch that was rejected, and when.
#[derive(Debug)]
struct Refusal {
    touch: Touch,
    message: String,
    last: Denial,
}

/// The last rejected patch of each object, by unique id.
#[derive(Debug, Default)]
pub(super) struct Refused(HashMap<Box<str>, Refusal>);

impl Refused {
    /// The message of the server, if it rejected this patch a short while ago.
    fn message(&self, touch: &Touch, now: Instant) -> Option<String> {
        let last = self.0.get(&touch.uid)?;
        (last.touch == *touch && last.last.is_fresh(now)).then(|| last.message.clone())
    }

    /// Records a rejection. Returns whether it is the first one: it is logged once for all objects of a kind.
    fn record(&mut self, touch: &Touch, message: &str, now: Instant) -> bool {
        self.0.retain(|_, refusal| refusal.last.is_younger(FORGOTTEN, now));
        let is_known = self.0.values().any(|refusal| refusal.touch.kind == touch.kind);
        let before = self.0.get(&touch.uid).filter(|before| before.touch == *touch);
        let last = before.map_or_else(|| Denial::first(now), |before| before.last.next(now));
        self.0.insert(touch.uid.clone(), Refusal { touch: touch.clone(), message: message.to_owned(), last });
        !is_known
    }

    pub(super) fn forget(&mut self, uid: &str) {
        self.0.remove(uid);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Writer {
    /// Sends an optional patch. If the server rejects it, its message is kept.
    pub(super) async fn unless_refused(
        &self,
        touch: &Touch,
        request: impl Future<Output = Result<bool>> + Send,
        applied: &mut Applied,
    ) -> Result<bool> {
        let known = self.memory.records().refused.message(touch, clock::now());
        if let Some(message) = known {
            applied.refused.push((touch.clone(), message));
            return Ok(false);
        }
        match request.await {
            Err(error) if !error.is_missing_permission() => {
                let Some(message) = error.refusal() else { return Err(error) };
                let is_first = self.memory.records().refused.record(touch, message, clock::now());
                if is_first {
                    let Touch { kind, key, .. } = touch;
                    tracing::warn!(
                        "{} {key} is not patched, because the server rejects it: {message}",
                        kind.kind
                    );
                }
                applied.refused.push((touch.clone(), message.to_owned()));
                Ok(false)
            }
            outcome => {
                self.memory.records().refused.forget(&touch.uid);
                outcome
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::api::core::v1::PersistentVolumeClaim;
    use serde_json::json;

    use super::*;
    use crate::declare::Kind;
    use crate::object::Key;

    fn touch(name: &str, size: &str) -> Touch {
        let kind = Kind::of::<PersistentVolumeClaim>();
        Touch { kind, key: Key::new("n", name), uid: name.into(), fields: json!({ "size": size }) }
    }

    #[test]
    fn a_rejected_patch_is_retried_with_back_off_and_another_patch_at_once() {
        let (mut refused, start) = (Refused::default(), clock::now());
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        assert!(refused.record(&touch("a", "2"), "no", start), "first");
        assert!(!refused.record(&touch("b", "2"), "no", start), "logged before for another one");
        let message =
            |refused: &Refused, size: &str, second: u64| refused.message(&touch("a", size), after(second));
        assert_eq!(message(&refused, "2", 4).as_deref(), Some("no"));
        assert_eq!(message(&refused, "3", 4), None, "another patch");
        assert_eq!(message(&refused, "2", 5), None, "the pause is over");
        refused.record(&touch("a", "2"), "never", after(5));
        assert_eq!(message(&refused, "2", 14).as_deref(), Some("never"), "the pause has grown");
        assert_eq!(message(&refused, "2", 15), None);
        refused.forget("a");
        assert_eq!(message(&refused, "2", 14), None);
    }

    #[test]
    fn patches_that_are_no_longer_attempted_are_forgotten() {
        let (mut refused, start) = (Refused::default(), clock::now());
        refused.record(&touch("a", "2"), "no", start);
        assert!(refused.record(&touch("b", "2"), "no", start + FORGOTTEN), "first again");
        assert_eq!(refused.len(), 1);
    }
}
