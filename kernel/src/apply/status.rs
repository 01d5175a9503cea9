//! The status of a resource of ours. It is written into the status subresource, or into the resource itself if its
//! definition has no status subresource: the server is asked which of the two applies.
//!
//! Without the subresource every write of the status counts as a change of the resource, so `metadata.generation` grows
//! with it. Such a status has no `observedGeneration`; a hash of the spec says which spec it describes.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::request::{Target, failed};
use super::{Result, WriteError, Writer};
use crate::metrics::Occurrence;
use crate::object::{OBSERVED_SPEC, Object};
use crate::report::{difference, merged};

const NOT_FOUND: u16 = 404;

impl Writer {
    /// Writes the difference between two statuses of a resource, if there is one.
    pub async fn write_status(&self, object: &Object, old: &Value, new: &Value) -> Result<()> {
        let target = self.primary(object);
        let written = if self.has_inline_status.load(Ordering::Relaxed) {
            self.write_inline_status(target, object, (old, new)).await
        } else {
            match self.write_status_subresource(target, object, (old, new)).await {
                Err(error) if error.code() == Some(NOT_FOUND) => {
                    if self.has_status_subresource(target).await? {
                        Err(error)
                    } else {
                        self.has_inline_status.store(true, Ordering::Relaxed);
                        self.write_inline_status(target, object, (old, new)).await
                    }
                }
                written => written,
            }
        };
        if !matches!(written, Ok(false)) {
            let (controller, failed) = (self.declaration.name, written.is_err());
            self.observe(&Occurrence::StatusWritten { controller, failed });
        }
        written.map(drop)
    }

    /// Applies the whole status if it has a field manager of its own, else patches what differs. Returns whether anything
    /// differed.
    async fn write_status_subresource(
        &self,
        target: Target<'_>,
        object: &Object,
        (old, new): (&Value, &Value),
    ) -> Result<bool> {
        let Some(change) = difference(old, new) else { return Ok(false) };
        let mut metadata = self.state_of(object);
        match self.declaration.status_manager {
            None => {
                let body = json!({ "metadata": metadata, "status": change });
                self.merge(target, Some("status"), &body).await?;
            }
            Some(manager) => {
                metadata["name"] = (*target.key.name).into();
                let (version, kind) = (target.kind.api_version(), target.kind.kind);
                let body =
                    json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "status": new });
                self.apply_status(target, manager, &body).await?;
            }
        }
        Ok(true)
    }

    /// Patches what differs in the resource itself. Returns whether anything differed.
    async fn write_inline_status(
        &self,
        target: Target<'_>,
        object: &Object,
        (old, new): (&Value, &Value),
    ) -> Result<bool> {
        let new = without_generations(new, object);
        let Some(change) = difference(old, &new) else { return Ok(false) };
        let body = json!({ "metadata": self.state_of(object), "status": change });
        let now = self.merge(target, None, &body).await?;
        let status = &now.value()["status"];
        if difference(status, &merged(status.clone(), &change)).is_some() {
            // The server ignores it if the definition has got a status subresource since.
            self.has_inline_status.store(false, Ordering::Relaxed);
            return Err(WriteError::Outdated { kind: target.kind.kind, key: target.key.clone() });
        }
        Ok(true)
    }

    /// Asks the server whether the definition of a kind has a status subresource.
    async fn has_status_subresource(&self, target: Target<'_>) -> Result<bool> {
        let kind = target.kind;
        if kind.group.is_empty() {
            return Ok(true);
        }
        let resources = self.client.list_api_group_resources(&kind.api_version()).await;
        let resources = resources.map_err(|error| failed("discover", target, error))?.resources;
        let name = format!("{}/status", kind.plural);
        Ok(resources.iter().any(|resource| resource.name == name))
    }
}

/// A status in which a hash of the spec stands for the generation.
fn without_generations(status: &Value, object: &Object) -> Value {
    let mut status = status.clone();
    if let Some(fields) = status.as_object_mut() {
        fields.remove("observedGeneration");
        fields.insert(OBSERVED_SPEC.into(), object.spec_hash().into());
    }
    let conditions = status.get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        condition.remove("observedGeneration");
    }
    status
}

#[cfg(test)]
mod tests;
