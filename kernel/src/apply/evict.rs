//! Evictions of pods.

use k8s_openapi::api::core::v1::Pod;
use kube::api::PostParams;
use kube::core::Status;
use serde_json::{Value, json};

use super::denied::OptionalAction;
use super::request::{Target, failed, is_gone};
use super::{Applied, Result, Writer};
use crate::declare::Kind;
use crate::object::Object;

/// The outcome of an eviction.
enum Eviction {
    /// The pod is evicted.
    Granted,
    /// A disruption budget forbids it, with the message of the server.
    Forbidden(String),
    /// The pod is gone, or the server is busy.
    Skipped,
}

impl Writer {
    /// Evicts this pod and no other of its name, unless a disruption budget forbids it.
    pub(super) async fn evict(&self, object: &Object, applied: &mut Applied) -> Result<()> {
        if object.is_deleting() {
            return Ok(());
        }
        let target = Target { kind: Kind::of::<Pod>(), key: object.key() };
        match self.unless_denied(OptionalAction::Evict, target, self.request_eviction(target, object)).await?
        {
            Some(Eviction::Granted) => {
                applied.written.push(format!("evicted {} {}", target.kind.kind, target.key));
                applied.done.insert((target.kind, target.key.clone()));
            }
            Some(Eviction::Forbidden(message)) => {
                applied.kept.insert(target.key.clone(), message);
            }
            // The next pass decides.
            Some(Eviction::Skipped) | None => {}
        }
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "this is the writer")]
    async fn request_eviction(&self, target: Target<'_>, object: &Object) -> Result<Eviction> {
        self.check_fence()?;
        // `Api::evict` would lose the unique id: it serializes the options in a form that the server ignores.
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
                Ok(budget(&status).map_or(Eviction::Skipped, Eviction::Forbidden))
            }
            Err(error) if is_gone(&error) => Ok(Eviction::Skipped),
            Err(error) => Err(failed("evict", target, error)),
        }
    }
}

/// The message about a disruption budget, if that is the cause.
fn budget(status: &Status) -> Option<String> {
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    causes.find(|cause| cause.reason == "DisruptionBudget").map(|cause| cause.message.clone())
}
