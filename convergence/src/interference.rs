//! What somebody else does to a child, done: the edits of `drift` at the server.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use anyhow::{Context, Result};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::drift::{self, Act, Drift};
use crate::stage::Stage;
use crate::state::FOREIGN_FINALIZER;

impl Stage<'_> {
    /// Edits a child as somebody else would: what the server made of it, or nothing if it refuses, or changes nothing. `tries`
    /// only asks, and keeps nothing.
    pub(crate) async fn edit_child(
        &self,
        Drift { name, act }: &Drift,
        object: &Value,
        tries: bool,
    ) -> Result<Option<Value>> {
        let api = self.world.api(&self.namespace, self.declared(&name.kind)?);
        let parameters = PostParams { field_manager: Some("somebody-else".into()), dry_run: tries };
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

    /// Deletes a child as somebody else would; slowly, while a finalizer of theirs holds it for a while.
    pub(crate) async fn delete_child(&mut self, Drift { name, act }: &Drift) -> Result<()> {
        let api = self.world.api(&self.namespace, self.declared(&name.kind)?);
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
