//! What is said in the status of objects that others made. Nothing depends on it: where we may not, or where the server
//! refuses, it is left out.

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use serde_json::json;

use super::denied::Deed;
use super::request::Target;
use super::{Applied, ForeignStatus, Touch, WriteError, Writer};
use crate::object::Kept;

/// How many are said at once.
const AT_ONCE: usize = 8;

impl Writer {
    /// Says all of it, also if one of them fails. What is gone needs nothing said.
    pub async fn write_foreign_statuses(&self, foreign_statuses: &[ForeignStatus]) -> Result<(), WriteError> {
        let foreign_status: Vec<BoxFuture<'_, _>> =
            foreign_statuses.iter().map(|foreign_status| self.say(foreign_status).boxed()).collect();
        let said: Vec<Result<(), WriteError>> =
            futures::stream::iter(foreign_status).buffer_unordered(AT_ONCE).collect().await;
        said.into_iter().collect()
    }

    async fn say(&self, foreign_status: &ForeignStatus) -> Result<(), WriteError> {
        let ForeignStatus { kind, object, status } = foreign_status;
        let target = Target { kind: *kind, key: object.key() };
        let (uid, version) = (object.uid(), object.identity().version.to_string());
        let state = json!({ "metadata": { "uid": uid, "resourceVersion": version } });
        let mut body = state.clone();
        body["status"] = status.clone();
        // A status names a time and is never the same twice: what was refused is refused for the object as it is.
        let touch = Touch { kind: *kind, key: target.key.clone(), uid: uid.into(), fields: state };
        let merge = async { self.merge(target, Some("status"), &body).await.map(|_| true) };
        let mut refused = Applied::default();
        let said = self.unless_refused(&touch, merge, &mut refused);
        match self.unless_denied(Deed::Say, target, said).await {
            Err(WriteError::Server { source, .. }) if is_absent(&source) => Ok(()),
            said => said.map(drop),
        }
    }
}

fn is_absent(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}
