//! Pods that go if no disruption budget forbids it.

use k8s_openapi::api::core::v1::Pod;
use kube::api::PostParams;
use kube::core::Status;
use serde_json::{Value, json};

use super::denied::Deed;
use super::request::{Target, failed, is_gone};
use super::{Applied, WriteError, Writer};
use crate::declare::Kind;
use crate::object::Object;

/// What became of an eviction.
enum Eviction {
    /// The pod goes.
    Granted,
    /// A disruption budget needs the pod, in the server's words.
    Forbidden(String),
    /// The pod is gone, or the server has no time.
    Void,
}

impl Writer {
    /// Asks for the eviction of this pod and no other of its name. One that a disruption budget forbids stays.
    pub(super) async fn evict(&self, object: &Object, applied: &mut Applied) -> Result<(), WriteError> {
        if object.is_deleting() {
            return Ok(());
        }
        let target = Target { kind: Kind::of::<Pod>(), key: object.key() };
        match self.unless_denied(Deed::Evict, target, self.ask_to_evict(target, object)).await? {
            Some(Eviction::Granted) => {
                applied.written.push(format!("evicted {} {}", target.kind.kind, target.key));
                applied.done.insert((target.kind, target.key.clone()));
            }
            Some(Eviction::Forbidden(words)) => {
                applied.kept.insert(target.key.clone(), words);
            }
            // The next pass looks.
            Some(Eviction::Void) | None => {}
        }
        Ok(())
    }

    async fn ask_to_evict(&self, target: Target<'_>, object: &Object) -> Result<Eviction, WriteError> {
        self.check_fence()?;
        // The client's own way would lose the unique id: it spells the options as the server does not read them.
        let eviction = json!({
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": *target.key.name, "namespace": *target.key.namespace},
            "deleteOptions": {"preconditions": {"uid": object.uid()}},
        });
        let (pods, params) = (self.api(target), PostParams::default());
        let answer: kube::Result<Value> =
            pods.create_subresource("eviction", &target.key.name, &params, &eviction).await;
        match answer {
            Ok(_) => Ok(Eviction::Granted),
            Err(kube::Error::Api(status)) if status.code == 429 => {
                Ok(budget(&status).map_or(Eviction::Void, Eviction::Forbidden))
            }
            Err(error) if is_gone(&error) => Ok(Eviction::Void),
            Err(error) => Err(failed("evict", target, error)),
        }
    }
}

/// What the server says of a disruption budget, if that is why it refuses.
fn budget(status: &Status) -> Option<String> {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    causes.find(|cause| cause.reason == "DisruptionBudget").map(|cause| cause.message.clone())
}
