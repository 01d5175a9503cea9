//! What is said in the status of objects that others made. Nothing depends on it: where we may not, it is left out.

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use serde_json::json;

use super::denied::Deed;
use super::request::Target;
use super::{Hand, Saying, WriteError};
use crate::object::Kept;

/// How many are said at once.
const AT_ONCE: usize = 8;

impl Hand {
    /// Says all of it. What is gone needs nothing said.
    pub async fn say_all(&self, sayings: &[Saying]) -> Result<(), WriteError> {
        let saying: Vec<BoxFuture<'_, _>> = sayings.iter().map(|saying| self.say(saying).boxed()).collect();
        futures::stream::iter(saying).buffer_unordered(AT_ONCE).try_collect().await
    }

    async fn say(&self, saying: &Saying) -> Result<(), WriteError> {
        let Saying { kind, object, status } = saying;
        let target = Target { kind: *kind, key: object.key() };
        let (uid, version) = (object.uid(), object.identity().version.to_string());
        let body = json!({ "metadata": { "uid": uid, "resourceVersion": version }, "status": status });
        let merge = self.merge(target, Some("status"), &body);
        match self.unless_denied(Deed::Say, target, merge).await {
            Err(WriteError::Server { source, .. }) if is_absent(&source) => Ok(()),
            said => said.map(drop),
        }
    }
}

fn is_absent(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}
