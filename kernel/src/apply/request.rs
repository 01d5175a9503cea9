//! The requests behind `apply`, each with the fence before it and the stores after it.

#![expect(clippy::disallowed_methods, reason = "this is the writer")]

use std::sync::Arc;

use http::HeaderValue;
use http::header::ACCEPT;
use kube::Resource as _;
use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, ObjectMeta, PartialObjectMeta, Patch, PatchParams,
    PostParams, Preconditions, PropagationPolicy, Request,
};
use serde_json::{Value, json};

use super::decide::NEVER;
use super::{Applied, Ownership, Result, Way, WriteError, Writer};
use crate::declare::{Detail, Kind};
use crate::fields;
use crate::object::{Identity, Key, Object, Stored};
use crate::store::{Origin, Ticket, WriteBase};
use crate::watch::bare;

/// Requests the metadata of an object instead of the whole.
const ONLY_METADATA: HeaderValue =
    HeaderValue::from_static("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");

/// The object that a request is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) kind: Kind,
    pub(super) key: &'a Key,
}

impl Target<'_> {
    pub(super) fn id(self) -> (Kind, Key) {
        (self.kind, self.key.clone())
    }
}

/// How a whole object is sent.
#[derive(Debug, Clone, Copy)]
enum Whole {
    Create,
    Replace,
}

impl Writer {
    /// Creates an object.
    pub(super) async fn create(&self, target: Target<'_>, way: Way, object: Value) -> Result<Arc<Object>> {
        if way == Way::Apply {
            return self.server_side_apply(target, &object).await;
        }
        let write = self.begin(target, WriteBase::Absence)?;
        let answer = self.send(target, Whole::Create, &self.params(), object).await;
        write.finish("create", answer)
    }

    /// The whole object from the server, if it exists.
    pub async fn get(&self, kind: Kind, key: &Key) -> Result<Option<Arc<Object>>> {
        let target = Target { kind, key };
        let answer = self.api(target).get_opt(&key.name).await;
        let object = answer.map_err(|error| failed("get", target, error))?;
        Ok(object.map(|object| Arc::new(Object::new(object, &kind.resource()))))
    }

    /// The objects of a kind in a namespace with these labels, from the server.
    pub async fn list(&self, kind: Kind, namespace: &str, labels: &str) -> Result<Vec<Arc<Object>>> {
        let target = Target { kind, key: &Key::new(namespace, "") };
        let answer = self.api(target).list(&ListParams::default().labels(labels)).await;
        let objects = answer.map_err(|error| failed("list", target, error))?.items;
        Ok(objects.into_iter().map(|object| Arc::new(Object::new(object, &kind.resource()))).collect())
    }

    /// Whether the server would create this object if there were none of its name.
    pub(super) async fn dry_run(&self, target: Target<'_>, object: &Value) -> Result<()> {
        self.check_fence()?;
        let params = PostParams { dry_run: true, ..self.params() };
        match self.send(target, Whole::Create, &params, object.clone()).await {
            Ok(_) => Ok(()),
            // The server checks the name last, so the object is valid.
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
            Err(error) => Err(failed("create", target, error)),
        }
    }

    /// Writes a whole object with the version that we know.
    pub(super) async fn replace(&self, target: Target<'_>, object: Value) -> Result<Arc<Object>> {
        let write = self.begin(target, base(&object))?;
        let answer = self.send(target, Whole::Replace, &self.params(), object).await;
        write.finish("replace", answer)
    }

    /// Sends a whole object. If only the metadata of a kind is watched, only metadata is requested in return: the object may
    /// be large, and the rest is known.
    async fn send(
        &self,
        target: Target<'_>,
        how: Whole,
        params: &PostParams,
        object: Value,
    ) -> kube::Result<DynamicObject> {
        let Target { kind, key } = target;
        let namespace = Some(&*key.namespace).filter(|namespace| !namespace.is_empty());
        let requests = Request::new(DynamicObject::url_path(&kind.resource(), namespace));
        let body = serde_json::to_vec(&object).map_err(kube::Error::SerdeError)?;
        let request = match how {
            Whole::Create => requests.create(params, body),
            Whole::Replace => requests.replace(&key.name, params, body),
        };
        let mut request = request.map_err(kube::Error::BuildRequest)?;
        if self.stores.detail(kind) == Detail::Full {
            return self.client.request(request).await;
        }
        request.headers_mut().insert(ACCEPT, ONLY_METADATA);
        let answer: PartialObjectMeta = self.client.request(request).await?;
        Ok(with_metadata(object, answer.metadata))
    }

    /// Applies an object. The fields become ours, by force.
    pub(super) async fn server_side_apply(&self, target: Target<'_>, object: &Value) -> Result<Arc<Object>> {
        let params = PatchParams::apply(self.manager).force();
        self.begin(target, base(object))?.patch(None, &Patch::Apply(object), &params).await
    }

    /// Takes over fields from earlier field managers, if the object still has the version that we know. The stores hold only
    /// a part of the field ownership, so the object is read first.
    pub(super) async fn take_over(
        &self,
        target: Target<'_>,
        known: &Object,
        ownership: &Ownership<'_>,
    ) -> Result<Arc<Object>> {
        self.check_fence()?;
        let live = self.api(target).get(&target.key.name).await;
        let live = Object::new(live.map_err(|error| failed("get", target, error))?, &target.kind.resource());
        let value = live.value();
        let Some(entries) = fields::take_over(&value, ownership.manager, ownership.predecessors) else {
            return Err(WriteError::Outdated { kind: target.kind.kind, key: target.key.clone() });
        };
        let Identity { uid, version, .. } = known.identity();
        let state = json!({ "uid": uid, "resourceVersion": version.to_string(), "managedFields": entries });
        let body = json!({ "metadata": state });
        let write = self.begin(target, base(&body))?;
        write.patch(None, &Patch::Merge(&body), &PatchParams::default()).await
    }

    /// Patches the resource itself, its status, or an object of others. The body names the version that we know, or the
    /// unique id.
    pub(super) async fn merge(
        &self,
        target: Target<'_>,
        subresource: Option<&str>,
        body: &Value,
    ) -> Result<Arc<Object>> {
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        self.begin(target, base(body))?.patch(subresource, &Patch::Merge(body), &params).await
    }

    /// Patches an object that is not watched. Whether it existed.
    pub(super) async fn merge_unseen(&self, target: Target<'_>, body: &Value) -> Result<bool> {
        self.check_fence()?;
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        match self.api(target).patch(&target.key.name, &params, &Patch::Merge(body)).await {
            Ok(_) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(failed("patch", target, error)),
        }
    }

    /// Applies a whole status under a field manager.
    pub(super) async fn apply_status(
        &self,
        target: Target<'_>,
        manager: &str,
        body: &Value,
    ) -> Result<Arc<Object>> {
        let params = PatchParams::apply(manager).force();
        self.begin(target, base(body))?.patch(Some("status"), &Patch::Apply(body), &params).await
    }

    /// Deletes this object and no other of its name.
    pub async fn delete(
        &self,
        kind: Kind,
        object: &Object,
        policy: PropagationPolicy,
        applied: &mut Applied,
    ) -> Result<()> {
        if object.is_deleting() {
            return Ok(());
        }
        let target = Target { kind, key: object.key() };
        let write = self.begin(target, WriteBase::Version(object.identity().version))?;
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
                // An object that is being deleted is stored as such at once, and not deleted again. The watch delivers when
                // it is gone, which causes a pass.
                match answer.left().filter(|object| object.metadata.deletion_timestamp.is_some()) {
                    Some(leaving) => write.finish("delete", Ok(leaving)).map(drop),
                    None => Ok(()),
                }
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(failed("delete", target, error)),
        }
    }

    /// Fails if this process may not write. Called before every write.
    pub fn check_fence(&self) -> Result<()> {
        if (self.fence)() { Ok(()) } else { Err(WriteError::Fenced) }
    }

    fn begin<'a>(&'a self, target: Target<'a>, base: WriteBase) -> Result<Write<'a>> {
        self.check_fence()?;
        let partition = self.stores.partition(target.kind, &target.key.namespace);
        let ticket = partition.map(|partition| partition.write().begin(target.key, base));
        Ok(Write { writer: self, target, ticket })
    }

    pub(super) fn api(&self, target: Target<'_>) -> Api<DynamicObject> {
        let resource = target.kind.resource();
        if target.key.namespace.is_empty() {
            Api::all_with(self.client.clone(), &resource)
        } else {
            Api::namespaced_with(self.client.clone(), &target.key.namespace, &resource)
        }
    }

    fn params(&self) -> PostParams {
        PostParams { field_manager: Some(self.manager.into()), ..PostParams::default() }
    }
}

/// A pending write. A pass may be dropped at any await: then the ticket is given up too.
struct Write<'a> {
    writer: &'a Writer,
    target: Target<'a>,
    ticket: Option<Ticket>,
}

impl Write<'_> {
    async fn patch(
        self,
        subresource: Option<&str>,
        patch: &Patch<&Value>,
        params: &PatchParams,
    ) -> Result<Arc<Object>> {
        let (api, name) = (self.writer.api(self.target), &*self.target.key.name);
        let answer = match subresource {
            Some(subresource) => api.patch_subresource(subresource, name, params, patch).await,
            None => api.patch(name, params, patch).await,
        };
        self.finish("patch", answer)
    }

    fn finish(mut self, verb: &'static str, answer: kube::Result<DynamicObject>) -> Result<Arc<Object>> {
        let Target { kind, key } = self.target;
        let mut answer = answer.map_err(|error| failed(verb, self.target, error))?;
        let is_left_out = self.writer.stores.is_left_out(kind, key);
        let mut written = None;
        if self.writer.stores.detail(kind) == Detail::Metadata {
            let metadata = answer.metadata.clone();
            written = Some(answer);
            answer = bare(metadata);
        }
        let object = self.writer.stores.keep(kind, answer);
        if is_left_out {
            // If the watch covers the object after all, it delivers the object. The ticket is given up with the write.
            return Ok(Arc::new(object));
        }
        if let (Some(partition), Some(ticket)) =
            (self.writer.stores.partition(kind, &key.namespace), self.ticket.take())
        {
            let (origin, changes) = partition.write().wrote(object.clone(), ticket);
            if let Some(written) = written {
                self.writer.note_written(kind, Object::decoded(written, &kind.resource()));
            }
            for change in changes {
                (self.writer.announce)(kind, &change, origin);
            }
        }
        Ok(Arc::new(object))
    }
}

impl Drop for Write<'_> {
    fn drop(&mut self) {
        let Target { kind, key } = self.target;
        if let (Some(partition), Some(ticket)) =
            (self.writer.stores.partition(kind, &key.namespace), self.ticket.take())
        {
            let changes = partition.write().give_up(&ticket);
            for change in changes {
                (self.writer.announce)(kind, &change, Origin::Foreign);
            }
        }
    }
}

/// The state that a body is based on.
fn base(body: &Value) -> WriteBase {
    match body["metadata"]["resourceVersion"].as_str() {
        Some(NEVER) => WriteBase::Absence,
        Some(version) => version.parse().map_or(WriteBase::Unsaid, WriteBase::Version),
        None => WriteBase::Unsaid,
    }
}

/// The error of a request.
pub(super) fn failed(verb: &'static str, target: Target<'_>, error: kube::Error) -> WriteError {
    let (kind, key) = (target.kind.kind, target.key.clone());
    if is_outdated(&error) {
        return WriteError::Outdated { kind, key };
    }
    WriteError::Server { verb, kind, key, source: Box::new(error) }
}

/// Whether the object has another version, or there is another object with its name. In the latter case the server answers
/// that the field `metadata.uid` cannot be changed.
fn is_outdated(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else { return false };
    let mut causes = status.details.iter().flat_map(|details| &details.causes);
    status.code == 409 || (status.code == 422 && causes.any(|cause| cause.field == "metadata.uid"))
}

/// Whether the object no longer exists.
pub(super) fn is_gone(error: &kube::Error) -> bool {
    is_outdated(error) || matches!(error, kube::Error::Api(status) if status.code == 404)
}

/// The object that was sent, with its present metadata.
fn with_metadata(sent: Value, metadata: ObjectMeta) -> DynamicObject {
    let sent = serde_json::from_value(sent).unwrap_or_else(|_| bare(ObjectMeta::default()));
    DynamicObject { metadata, ..sent }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use kube::Client;
    use kube::client::Body;
    use kube::core::Status;

    use super::super::{Deletion, Desired, Tools, Work};
    use super::*;
    use crate::declare::{Declaration, Owned, Prune, keep_nothing};
    use crate::store::Event;
    use crate::stores::{Namespaces, Stores};

    const KIND: Kind = Kind::of::<ConfigMap>();

    static DECLARATION: Declaration = Declaration {
        name: "test",
        primary: KIND,
        finalizer: "test",
        owned: &[],
        watched: &[],
        permissions: &[],
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
    async fn an_object_that_is_being_deleted_is_not_deleted_again() {
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        let server = tower::service_fn(move |_: http::Request<Body>| {
            counted.fetch_add(1, Ordering::Relaxed);
            let leaving = config_map("2", Some("2026-01-01T00:00:00Z")).to_string();
            async move { Ok::<_, Infallible>(http::Response::new(Body::from(leaving.into_bytes()))) }
        });
        let stores = Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
        let known = Object::new(serde_json::from_value(config_map("1", None)).unwrap(), &KIND.resource());
        for event in [Event::Begin, Event::Listed(known.clone()), Event::Complete] {
            stores.partition(KIND, "n").unwrap().write().see(event);
        }
        let tools = Tools {
            client: Client::new(server, "n"),
            stores: stores.clone(),
            manager: "test",
            fence: Arc::new(|| true),
        };
        let writer = Writer::new(&DECLARATION, tools);
        for _ in 0..2 {
            let object = stores.get(KIND, known.key()).unwrap();
            let work = Work { deletions: vec![Deletion { kind: KIND, object }], ..Work::default() };
            writer.carry_out(&work, &known).await.unwrap();
        }
        assert_eq!(requests.load(Ordering::Relaxed), 1);
        assert!(stores.get(KIND, known.key()).unwrap().is_deleting());
    }

    static OUTLINED: Declaration = Declaration {
        name: "outlined",
        owned: &[Owned {
            kind: Kind::of::<Secret>(),
            way: Way::Replace,
            selector: None,
            detail: Detail::Metadata,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "test",
        }],
        ..DECLARATION
    };

    #[tokio::test]
    async fn only_metadata_is_requested_for_metadata_watches_and_the_written_object_is_remembered() {
        let seen: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let recorded = Arc::clone(&seen);
        let server = tower::service_fn(move |request: http::Request<Body>| {
            let recorded = Arc::clone(&recorded);
            async move {
                let accepted = request.headers()[ACCEPT].to_str().unwrap().to_owned();
                let what = format!("{} {} {accepted}", request.method(), request.uri().path());
                let body = request.into_body().collect_bytes().await.unwrap();
                let version = {
                    let mut recorded = recorded.lock().unwrap();
                    recorded.push((what, serde_json::from_slice(&body).unwrap()));
                    recorded.len().to_string()
                };
                let metadata =
                    json!({ "name": "a", "namespace": "n", "uid": "1", "resourceVersion": version });
                let answer = json!({ "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
                    "metadata": metadata });
                Ok::<_, Infallible>(http::Response::new(Body::from(answer.to_string().into_bytes())))
            }
        });
        let stores = Stores::new(&[&OUTLINED], "test", &Namespaces::AllBut(Vec::new()).into());
        let kind = Kind::of::<Secret>();
        for event in [Event::Begin, Event::Complete] {
            stores.partition(kind, "n").unwrap().write().see(event);
        }
        let client = Client::new(server, "n");
        let tools = Tools { client, stores, manager: "test", fence: Arc::new(|| true) };
        let writer = Writer::new(&OUTLINED, tools);
        let owner = Object::new(serde_json::from_value(config_map("1", None)).unwrap(), &KIND.resource());
        for content in ["b25l", "b25l", "dHdv"] {
            let object = json!({ "apiVersion": "v1", "kind": "Secret", "data": { "key": content },
                "metadata": { "name": "a", "namespace": "n" } });
            let desired = Desired { kind, object, way: Way::Replace, looks_after_pods: false };
            let work = Work { waves: vec![vec![desired]], ..Work::default() };
            writer.carry_out(&work, &owner).await.unwrap();
        }
        let seen = seen.lock().unwrap();
        let requests: Vec<&str> = seen.iter().map(|(what, _)| what.as_str()).collect();
        let only = ONLY_METADATA.to_str().unwrap().to_owned();
        // Nothing is sent for what did not change, and nothing that was sent before is read.
        let secrets = "/api/v1/namespaces/n/secrets";
        assert_eq!(requests, [format!("POST {secrets} {only}"), format!("PUT {secrets}/a {only}")]);
        let [(_, created), (_, replaced)] = &seen[..] else { panic!("{seen:?}") };
        assert_eq!((&created["data"]["key"], &replaced["data"]["key"]), (&"b25l".into(), &"dHdv".into()));
        assert_eq!(replaced["metadata"]["resourceVersion"], "1");
    }

    #[test]
    fn another_version_or_another_object_is_outdated() {
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
