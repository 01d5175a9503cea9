//! Makes the changes of `drift` to child objects on the API server.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use anyhow::{Context, Result};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::drift::{self, Act, Drift};
use crate::state::FOREIGN_FINALIZER;
use crate::testbed::Testbed;

impl Testbed<'_> {
    /// Edits a child object as somebody else would. Returns the object, or none if the API server rejects the edit or it
    /// changes nothing. With `dry_run`, nothing is stored.
    pub(crate) async fn edit_child(
        &self,
        Drift { name, act }: &Drift,
        object: &Value,
        dry_run: bool,
    ) -> Result<Option<Value>> {
        let api = self.cluster.api(&self.namespace, self.declared(&name.kind)?);
        let parameters = PostParams { field_manager: Some("somebody-else".into()), dry_run };
        for gentle in [true, false] {
            let edited = drift::after(object, act, gentle).context("an edit leaves an object")?;
            let edited = serde_json::from_value(edited).context("an edit leaves an object")?;
            if let Ok(after) = api.replace(&name.name, &parameters, &edited).await {
                let after = serde_json::to_value(after)?;
                if drift::differs(object, &after) {
                    return Ok(Some(after));
                }
            }
        }
        Ok(None)
    }

    /// Deletes a child object as somebody else would, if asked with a finalizer that delays the deletion.
    pub(crate) async fn delete_child(&mut self, Drift { name, act }: &Drift) -> Result<()> {
        let api = self.cluster.api(&self.namespace, self.declared(&name.kind)?);
        let finalizers = |list: Value| Patch::Merge(json!({"metadata": {"finalizers": list}}));
        let (parameters, name) = (PatchParams::default(), &name.name);
        if *act == Act::DeleteSlowly {
            api.patch(name, &parameters, &finalizers(json!([FOREIGN_FINALIZER]))).await?;
            self.silent().await?;
        }
        api.delete(name, &DeleteParams::background()).await?;
        if *act == Act::DeleteSlowly {
            self.silent().await?;
            api.patch(name, &parameters, &finalizers(Value::Null)).await?;
        }
        Ok(())
    }
}
