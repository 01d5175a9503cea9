//! The requests behind `apply`, each with the fence before it and the stores after it.

use std::sync::Arc;

use kube::api::{
    Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy,
};
use serde_json::{Value, json};

use super::decide::NEVER;
use super::{Applied, Hand, Way, WriteError, Writer};
use crate::declare::{Kind, Sight};
use crate::fields;
use crate::object::{Identity, Kept, Key, Object};
use crate::store::{Base, Ticket, Whose};

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
        let write = self.begin(target, Base::Absence)?;
        let answer = match dynamic(object) {
            Ok(object) => self.api(target).create(&self.written(), &object).await,
            Err(error) => Err(error),
        };
        write.finish("create", answer)
    }

    /// The whole object, if it is there.
    pub(super) async fn get(&self, target: Target<'_>) -> Result<Option<Arc<Object>>, WriteError> {
        let answer = self.api(target).get_opt(&target.key.name).await;
        let object = answer.map_err(|error| failed("get", target, error))?;
        Ok(object.map(|object| Arc::new(Object::new(object, &target.kind.resource()))))
    }

    /// Asks whether the server would make this object if there were none of its name.
    pub(super) async fn rehearse(&self, target: Target<'_>, object: &Value) -> Result<(), WriteError> {
        self.check_fence()?;
        let params = PostParams { dry_run: true, ..self.written() };
        let answer = match dynamic(object) {
            Ok(object) => self.api(target).create(&params, &object).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(_) => Ok(()),
            // It looks at the name last.
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
            Err(error) => Err(failed("create", target, error)),
        }
    }

    /// Writes a whole object with the version that we know.
    pub(super) async fn replace(
        &self,
        target: Target<'_>,
        object: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let write = self.begin(target, base(object))?;
        let answer = match dynamic(object) {
            Ok(object) => self.api(target).replace(&target.key.name, &self.written(), &object).await,
            Err(error) => Err(error),
        };
        write.finish("replace", answer)
    }

    /// Writes what we say. The fields are ours: whoever else claims them loses them.
    pub(super) async fn server_side_apply(
        &self,
        target: Target<'_>,
        object: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let params = PatchParams::apply(self.manager).force();
        self.begin(target, base(object))?.patch(None, &Patch::Apply(object), &params).await
    }

    /// The same, for an object that no watch tells us of: the stores do not hold it. Whether it was there.
    pub(super) async fn server_side_apply_unseen(
        &self,
        target: Target<'_>,
        object: &Value,
    ) -> Result<bool, WriteError> {
        self.check_fence()?;
        let params = PatchParams::apply(self.manager).force();
        match self.api(target).patch(&target.key.name, &params, &Patch::Apply(object)).await {
            Ok(_) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(failed("patch", target, error)),
        }
    }

    /// Writes who owns which fields, if the object still is as we know it. The stores hold only a part of that, so it
    /// is read first.
    pub(super) async fn take_over(
        &self,
        target: Target<'_>,
        known: &Object,
        writer: &Writer<'_>,
    ) -> Result<Arc<Object>, WriteError> {
        self.check_fence()?;
        let live = self.api(target).get(&target.key.name).await;
        let live = Object::new(live.map_err(|error| failed("get", target, error))?, &target.kind.resource());
        let value = live.value();
        let Some(entries) = fields::take_over(&value, writer.manager, writer.predecessors) else {
            return Err(WriteError::Outdated { kind: target.kind.kind, key: target.key.clone() });
        };
        let Identity { uid, version, .. } = known.identity();
        let state = json!({ "uid": uid, "resourceVersion": version.to_string(), "managedFields": entries });
        let body = json!({ "metadata": state });
        let write = self.begin(target, base(&body))?;
        write.patch(None, &Patch::Merge(&body), &PatchParams::default()).await
    }

    /// Changes the resource itself, or a part of it. The body names the version that we know.
    pub(super) async fn merge(
        &self,
        target: Target<'_>,
        subresource: Option<&str>,
        body: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        self.begin(target, base(body))?.patch(subresource, &Patch::Merge(body), &params).await
    }

    /// Applies a whole status under a name.
    pub(super) async fn apply_status(
        &self,
        target: Target<'_>,
        manager: &str,
        body: &Value,
    ) -> Result<Arc<Object>, WriteError> {
        let params = PatchParams::apply(manager).force();
        self.begin(target, base(body))?.patch(Some("status"), &Patch::Apply(body), &params).await
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
        let write = self.begin(target, Base::Version(object.identity().version))?;
        let uid = Some(object.identity().uid.to_string());
        let params = DeleteParams {
            propagation_policy: Some(policy),
            preconditions: Some(Preconditions { uid, resource_version: None }),
            ..DeleteParams::default()
        };
        match self.api(target).delete(&target.key.name, &params).await {
            Ok(answer) => {
                applied.written.push(format!("deleted {} {}", kind.kind, target.key));
                applied.done.insert((kind, target.key.clone()));
                // What is on its way out is known to be so at once, and not deleted again. That it is gone, the watch
                // tells: a pass follows from it.
                match answer.left().filter(|object| object.metadata.deletion_timestamp.is_some()) {
                    Some(leaving) => write.finish("delete", Ok(leaving)).map(drop),
                    None => Ok(()),
                }
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(failed("delete", target, error)),
        }
    }

    /// Every write passes here.
    pub(super) fn check_fence(&self) -> Result<(), WriteError> {
        if (self.fence)() { Ok(()) } else { Err(WriteError::Fenced) }
    }

    fn begin<'a>(&'a self, target: Target<'a>, base: Base) -> Result<Write<'a>, WriteError> {
        self.check_fence()?;
        let room = self.stores.room(target.kind, &target.key.namespace);
        let ticket = room.map(|room| room.write().begin(target.key, base));
        Ok(Write { hand: self, target, ticket })
    }

    pub(super) fn api(&self, target: Target<'_>) -> Api<DynamicObject> {
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

/// A write under way. A pass may be dropped at any await: also then it gives up what it holds.
struct Write<'a> {
    hand: &'a Hand,
    target: Target<'a>,
    ticket: Option<Ticket>,
}

impl Write<'_> {
    async fn patch(
        self,
        subresource: Option<&str>,
        patch: &Patch<&Value>,
        params: &PatchParams,
    ) -> Result<Arc<Object>, WriteError> {
        let (api, name) = (self.hand.api(self.target), &*self.target.key.name);
        let answer = match subresource {
            Some(subresource) => api.patch_subresource(subresource, name, params, patch).await,
            None => api.patch(name, params, patch).await,
        };
        self.finish("patch", answer)
    }

    fn finish(
        mut self,
        verb: &'static str,
        answer: kube::Result<DynamicObject>,
    ) -> Result<Arc<Object>, WriteError> {
        let Target { kind, key } = self.target;
        let answer = answer.map_err(|error| failed(verb, self.target, error))?;
        if self.hand.stores.sight(kind) == Sight::Outline {
            self.hand.remember(kind, Object::new(answer.clone(), &kind.resource()));
        }
        let object = self.hand.stores.keep(kind, answer);
        if let (Some(room), Some(ticket)) = (self.hand.stores.room(kind, &key.namespace), self.ticket.take())
        {
            let (whose, changes) = room.write().wrote(object.clone(), ticket);
            for change in changes {
                (self.hand.announce)(kind, &change, whose);
            }
        }
        Ok(Arc::new(object))
    }
}

impl Drop for Write<'_> {
    fn drop(&mut self) {
        let Target { kind, key } = self.target;
        if let (Some(room), Some(ticket)) = (self.hand.stores.room(kind, &key.namespace), self.ticket.take())
        {
            let changes = room.write().give_up(&ticket);
            for change in changes {
                (self.hand.announce)(kind, &change, Whose::Foreign);
            }
        }
    }
}

/// What a body says about the state that it changes.
fn base(body: &Value) -> Base {
    match body["metadata"]["resourceVersion"].as_str() {
        Some(NEVER) => Base::Absence,
        Some(version) => version.parse().map_or(Base::Unsaid, Base::Version),
        None => Base::Unsaid,
    }
}

/// What a request came to that the server did not take.
pub(super) fn failed(verb: &'static str, target: Target<'_>, error: kube::Error) -> WriteError {
    let (kind, key) = (target.kind.kind, target.key.clone());
    if is_outdated(&error) {
        return WriteError::Outdated { kind, key };
    }
    WriteError::Server { verb, kind, key, source: Box::new(error) }
}

/// The object has another version, or another one of its name has come: to the server a uid is a field that somebody
/// tries to change.
fn is_outdated(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else { return false };
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    status.code == 409 || (status.code == 422 && causes.any(|cause| cause.field == "metadata.uid"))
}

/// There is no such object any more.
pub(super) fn is_gone(error: &kube::Error) -> bool {
    is_outdated(error) || matches!(error, kube::Error::Api(status) if status.code == 404)
}

fn dynamic(object: &Value) -> kube::Result<DynamicObject> {
    serde_json::from_value(object.clone()).map_err(kube::Error::SerdeError)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Client;
    use kube::client::Body;
    use kube::core::Status;

    use super::super::{Deletion, Tools, Work};
    use super::*;
    use crate::declare::Declaration;
    use crate::store::Event;
    use crate::stores::{Namespaces, Stores};

    const KIND: Kind = Kind::of::<ConfigMap>();

    static DECLARATION: Declaration = Declaration {
        name: "test",
        primary: KIND,
        finalizer: "test",
        owned: &[],
        watched: &[],
        rights: &[],
        predecessors: &[],
        status_manager: None,
    };

    fn config_map(version: &str, deleted: Option<&str>) -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": "n", "uid": "1", "resourceVersion": version,
                "deletionTimestamp": deleted, "finalizers": ["orphan"]},
        })
    }

    #[tokio::test]
    async fn what_is_on_its_way_out_is_not_deleted_again() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let server = tower::service_fn(move |_: http::Request<Body>| {
            counted.fetch_add(1, Ordering::Relaxed);
            let leaving = config_map("2", Some("2026-01-01T00:00:00Z")).to_string();
            async move { Ok::<_, Infallible>(http::Response::new(Body::from(leaving.into_bytes()))) }
        });
        let stores = Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
        let known = Object::new(dynamic(&config_map("1", None)).unwrap(), &KIND.resource());
        for event in [Event::Begin, Event::Listed(known.clone()), Event::Complete] {
            stores.room(KIND, "n").unwrap().write().see(event);
        }
        let tools = Tools {
            client: Client::new(server, "n"),
            stores: stores.clone(),
            manager: "test",
            fence: Arc::new(|| true),
        };
        let hand = Hand::new(&DECLARATION, tools, Arc::new(|_, _, _| {}));
        for _ in 0..2 {
            let object = stores.get(KIND, known.key()).unwrap();
            let work = Work { deletions: vec![Deletion { kind: KIND, object }], ..Work::default() };
            hand.carry_out(&work, &known).await.unwrap();
        }
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert!(stores.get(KIND, known.key()).unwrap().is_deleting());
    }

    #[test]
    fn another_version_and_another_object_are_old_news_and_the_rest_is_not() {
        for (code, field, expected) in [
            (409, "", true),
            (422, "metadata.uid", true),
            (422, "spec.replicas", false),
            (403, "metadata.uid", false),
        ] {
            let details = json!({ "causes": [{ "reason": "", "message": "", "field": field }] });
            let status = json!({ "status": "Failure", "code": code, "details": details });
            let status: Status = serde_json::from_value(status).unwrap();
            assert_eq!(is_outdated(&kube::Error::Api(status.boxed())), expected, "{code} {field}");
        }
    }
}
