//! Statuses of objects of others. They are optional: they are skipped without permission, and if the server rejects them.

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use serde_json::json;

use super::denied::OptionalAction;
use super::request::Target;
use super::{Applied, ForeignStatus, Result, Touch, Writer};
use crate::object::Stored;

/// How many are written at once.
const AT_ONCE: usize = 8;

impl Writer {
    /// Writes all of them, even if one fails. Objects that are gone are skipped.
    pub async fn write_foreign_statuses(&self, foreign_statuses: &[ForeignStatus]) -> Result<()> {
        let writes: Vec<BoxFuture<'_, _>> = foreign_statuses
            .iter()
            .map(|foreign_status| self.write_foreign_status(foreign_status).boxed())
            .collect();
        let written: Vec<Result<()>> =
            futures::stream::iter(writes).buffer_unordered(AT_ONCE).collect().await;
        written.into_iter().collect()
    }

    async fn write_foreign_status(&self, foreign_status: &ForeignStatus) -> Result<()> {
        let ForeignStatus { kind, object, status } = foreign_status;
        let target = Target { kind: *kind, key: object.key() };
        let (uid, version) = (object.uid(), object.identity().version.to_string());
        let state = json!({ "metadata": { "uid": uid, "resourceVersion": version } });
        let mut body = state.clone();
        body["status"] = status.clone();
        // A status contains a time and is never the same twice: a rejection holds for the version of the object.
        let touch = Touch { kind: *kind, key: target.key.clone(), uid: uid.into(), fields: state };
        let merge = async { self.merge(target, Some("status"), &body).await.map(|_| true) };
        let mut refused = Applied::default();
        let write = self.unless_refused(&touch, merge, &mut refused);
        match self.unless_denied(OptionalAction::WriteStatus, target, write).await {
            Err(error) if error.code() == Some(404) => Ok(()),
            written => written.map(drop),
        }
    }
}
