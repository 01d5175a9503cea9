//! What is said in the status of objects that others made. Nothing depends on it: where we may not, we say so once
//! and try again later.

use std::sync::PoisonError;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryStreamExt};
use serde_json::json;

use super::request::Target;
use super::{Hand, Saying, WriteError};
use crate::clock;
use crate::object::Kept;

/// How many are said at once.
const AT_ONCE: usize = 8;

/// After so long we try again where we might not: roles are often granted after the operator was started.
const DENIED: Duration = Duration::from_mins(5);

impl Hand {
    /// Says all of it. What is gone needs nothing said.
    pub async fn say_all(&self, sayings: &[Saying]) -> Result<(), WriteError> {
        let saying: Vec<BoxFuture<'_, _>> = sayings.iter().map(|saying| self.say(saying).boxed()).collect();
        futures::stream::iter(saying).buffer_unordered(AT_ONCE).try_collect().await
    }

    async fn say(&self, saying: &Saying) -> Result<(), WriteError> {
        let Saying { kind, object, status } = saying;
        let now = clock::now();
        let denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner).get(kind).copied();
        if denied.is_some_and(|denied| now.duration_since(denied) < DENIED) {
            return Ok(());
        }
        let (uid, version) = (object.uid(), object.identity().version.to_string());
        let body = json!({ "metadata": { "uid": uid, "resourceVersion": version }, "status": status });
        match self.merge(Target { kind: *kind, key: object.key() }, Some("status"), &body).await {
            Ok(_) => Ok(()),
            Err(WriteError::Server { source, .. }) if is(&source, 404) => Ok(()),
            Err(WriteError::Server { source, .. }) if is(&source, 403) => {
                let before = self.denied.lock().unwrap_or_else(PoisonError::into_inner).insert(*kind, now);
                if before.is_none() {
                    tracing::warn!("the status of {} may not be written, and is not: {source}", kind.plural);
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

fn is(error: &kube::Error, code: u16) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code)
}
