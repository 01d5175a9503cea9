//! The requests behind `apply`, each with the fence before it and the stores after it.

use std::sync::Arc;

use kube::api::{
    Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy,
};
use serde_json::{Value, json};

use super::{Applied, Hand, Way, WriteError, Writer};
use crate::declare::Kind;
use crate::fields;
use crate::object::{Kept, Key, Object};
use crate::store::Ticket;

/// What a request is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) kind: Kind,
    pub(super) key: &'a Key,
}

impl Hand {
    /// Makes an object that is not there.
    pub(super) async fn create(
        &self,
        target: Target<'_>,
        way: Way,
        object: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        if way == Way::Apply {
            return self.server_side_apply(target, object).await;
        }
        let ticket = self.begin(target)?;
        let answer = match dynamic(object) {
            Ok(object) => self.api(target).create(&self.written(), &object).await,
            Err(error) => Err(error),
        };
        self.finish("create", target, ticket, answer)
    }

    /// Writes a whole object with the version that we know.
    pub(super) async fn replace(
        &self,
        target: Target<'_>,
        object: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let ticket = self.begin(target)?;
        let answer = match dynamic(object) {
            Ok(object) => self.api(target).replace(&target.key.name, &self.written(), &object).await,
            Err(error) => Err(error),
        };
        self.finish("replace", target, ticket, answer)
    }

    /// Writes what we say. The fields are ours: whoever else claims them loses them.
    pub(super) async fn server_side_apply(
        &self,
        target: Target<'_>,
        object: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let params = PatchParams::apply(self.manager).force();
        self.patch(target, None, &Patch::Apply(object), &params).await
    }

    /// Writes who owns which fields. The stores hold only a part of that, so it is read first.
    pub(super) async fn take_over(
        &self,
        target: Target<'_>,
        writer: &Writer<'_>,
    ) -> Result<Arc<Object>, WriteError> {
        let live = self.api(target).get(&target.key.name).await;
        let live = Object::new(live.map_err(|error| failed("get", target, error))?, &target.kind.resource());
        let value = live.value();
        let Some(entries) = fields::take_over(&value, writer.manager, writer.predecessors) else {
            return Ok(Arc::new(live));
        };
        let version = &value["metadata"]["resourceVersion"];
        let body = json!({ "metadata": { "resourceVersion": version, "managedFields": entries } });
        self.patch(target, None, &Patch::Merge(&body), &PatchParams::default()).await
    }

    /// Changes the resource itself, or a part of it. The body names the version that we know.
    pub(super) async fn merge(
        &self,
        target: Target<'_>,
        subresource: Option<&str>,
        body: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        self.patch(target, subresource, &Patch::Merge(body), &params).await
    }

    async fn patch(
        &self,
        target: Target<'_>,
        subresource: Option<&str>,
        patch: &Patch<&Value>,
        params: &PatchParams,
    ) -> Result<Arc<Object>, WriteError> {
        let ticket = self.begin(target)?;
        let (api, name) = (self.api(target), &*target.key.name);
        let answer = match subresource {
            Some(subresource) => api.patch_subresource(subresource, name, params, patch).await,
            None => api.patch(name, params, patch).await,
        };
        self.finish("patch", target, ticket, answer)
    }

    /// Deletes this object and no other of its name.
    pub(super) async fn delete(
        &self,
        kind: Kind,
        object: &Object,
        policy: PropagationPolicy,
        applied: &mut Applied,
    ) -> Result<(), WriteError> {
        if object.is_deleting() {
            return Ok(());
        }
        let target = Target { kind, key: object.key() };
        self.begin(target)?;
        let uid = Some(object.identity().uid.to_string());
        let params = DeleteParams {
            propagation_policy: Some(policy),
            preconditions: Some(Preconditions { uid, resource_version: None }),
            ..DeleteParams::default()
        };
        match self.api(target).delete(&target.key.name, &params).await {
            Ok(_) => {
                applied.written.push(format!("deleted {} {}", kind.kind, target.key));
                Ok(())
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(failed("delete", target, error)),
        }
    }

    /// Every write begins here.
    fn begin(&self, target: Target<'_>) -> Result<Option<Ticket>, WriteError> {
        if !(self.fence)() {
            return Err(WriteError::Fenced);
        }
        Ok(self.stores.room(target.kind, &target.key.namespace).map(|room| room.read().ticket()))
    }

    fn finish(
        &self,
        verb: &'static str,
        target: Target<'_>,
        ticket: Option<Ticket>,
        answer: kube::Result<DynamicObject>,
    ) -> Result<Arc<Object>, WriteError> {
        let answer = answer.map_err(|error| failed(verb, target, error))?;
        let object = Object::new(answer, &target.kind.resource());
        if let (Some(room), Some(ticket)) = (self.stores.room(target.kind, &target.key.namespace), ticket) {
            let changes = room.write().wrote(object.clone(), ticket);
            for change in changes {
                (self.announce)(target.kind, &change);
            }
        }
        Ok(Arc::new(object))
    }

    fn api(&self, target: Target<'_>) -> Api<DynamicObject> {
        let resource = target.kind.resource();
        if target.key.namespace.is_empty() {
            Api::all_with(self.client.clone(), &resource)
        } else {
            Api::namespaced_with(self.client.clone(), &target.key.namespace, &resource)
        }
    }

    fn written(&self) -> PostParams {
        PostParams { field_manager: Some(self.manager.into()), ..PostParams::default() }
    }
}

fn failed(verb: &'static str, target: Target<'_>, error: kube::Error) -> WriteError {
    let (kind, key) = (target.kind.kind, target.key.clone());
    if matches!(&error, kube::Error::Api(status) if status.code == 409) {
        return WriteError::Outdated { kind, key };
    }
    WriteError::Server { verb, kind, key, source: Box::new(error) }
}

fn dynamic(object: &Value) -> kube::Result<DynamicObject> {
    serde_json::from_value(object.clone()).map_err(kube::Error::SerdeError)
}
