//! The fixture of these tests: a control plane, an operator whose writer is used, and another client.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use e2e::wait;
use futures::future::BoxFuture;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kernel::apply::{Applied, Desired, Fence, Tools, Way, Work, WriteError, Writer};
use kernel::declare::{Declaration, Detail, Kind, Owned, Prune, Watched, keep_nothing};
use kernel::hub::{Controller, Hub, Registration};
use kernel::metrics::{Catalogue, Metrics};
use kernel::object::{Identity, Key, Object, Stored};
use kernel::queue::{Outcome, QueueSettings};
use kernel::stores::{Namespaces, Scopes, Stores};
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use lab::ControlPlane;
use lab::args::Extent;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::record::Record;

pub(crate) const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
pub(crate) const CONFIG_MAP: Kind = Kind::of::<ConfigMap>();
pub(crate) const DAEMON_SET: Kind = Kind::of::<DaemonSet>();
pub(crate) const DEPLOYMENT: Kind = Kind::of::<Deployment>();
pub(crate) const DISRUPTION_BUDGET: Kind = Kind::of::<PodDisruptionBudget>();
pub(crate) const JOB: Kind = Kind::of::<Job>();
pub(crate) const LEASE: Kind = Kind::of::<Lease>();
pub(crate) const POD: Kind = Kind::of::<Pod>();
pub(crate) const SECRET: Kind = Kind::of::<Secret>();
pub(crate) const SERVICE: Kind = Kind::of::<Service>();
/// Not declared.
pub(crate) const SERVICE_ACCOUNT: Kind = Kind::of::<ServiceAccount>();
pub(crate) const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();

/// Our field manager.
pub(crate) const MANAGER: &str = "mainstay";

/// The field manager of a predecessor.
pub(crate) const PREDECESSOR: &str = "before";

const fn owned(kind: Kind) -> Owned {
    Owned {
        kind,
        way: Way::Apply,
        selector: None,
        detail: Detail::Full,
        prune: Prune::Unnamed,
        keeps: keep_nothing,
        optional: false,
        why: "a test",
    }
}

pub(crate) static DECLARATION: Declaration = Declaration {
    name: "toy",
    primary: LEASE,
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[
        owned(CLAIM),
        owned(CONFIG_MAP),
        owned(DAEMON_SET),
        owned(DEPLOYMENT),
        owned(DISRUPTION_BUDGET),
        owned(JOB),
        owned(SECRET),
        owned(SERVICE),
        owned(STATEFUL_SET),
    ],
    watched: &[Watched {
        kind: POD,
        concerns: |pod| Some(pod.key().clone()),
        selector: None,
        detail: Detail::Full,
        trim: |_| (),
        optional: false,
        why: "a test",
    }],
    permissions: &[],
    predecessors: &[PREDECESSOR],
    status_manager: None,
};

/// Counts passes and does nothing else.
struct PassCounter(watch::Sender<u64>);

impl Controller for PassCounter {
    fn pass(self: Arc<Self>, _: Key) -> BoxFuture<'static, Outcome> {
        self.0.send_modify(|passes| *passes += 1);
        Box::pin(std::future::ready(Outcome::Settled))
    }
}

/// One process of the operator.
pub(crate) struct Process {
    pub(crate) writer: Writer,
    passes: watch::Receiver<u64>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Process {
    async fn start(client: &Client) -> Result<Self> {
        let (counter, passes) = watch::channel(0);
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let scopes = Scopes::from(Namespaces::AllBut(Vec::new()));
        let settings = QueueSettings { window: Duration::from_millis(1), ..QueueSettings::default() };
        let hub = Hub {
            tools: tools(client, Stores::new(&[&DECLARATION], MANAGER, &scopes), Arc::new(|| true)),
            scopes,
            queue: settings,
            grace: Duration::from_secs(5),
            metrics: Metrics::register(&mut Catalogue::default(), "", ""),
            watch_states: watch::channel(Vec::new()).0,
        };
        let (sender, receiver) = oneshot::channel();
        let make = Box::new(move |writer, _| {
            // The receiver is gone if the test has ended.
            let _ = sender.send(writer);
            let controller: Arc<dyn Controller> = Arc::new(PassCounter(counter));
            controller
        });
        let registration = Registration { declaration: &DECLARATION, make, interests: None };
        let token = stop.clone();
        tasks.spawn(async move {
            hub.run(vec![registration], std::future::ready(()), token).await;
        });
        let writer = receiver.await.context("the operator ended before it started")?;
        Ok(Self { writer, passes, stop, tasks })
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }

    /// Waits for a state of an object in the cache. It is checked after each pass, and from time to time.
    async fn wait_for(&self, kind: Kind, key: &Key, fits: impl Fn(Option<&Identity>) -> bool) -> Result<()> {
        let known = || fits(self.writer.stores().get(kind, key).as_deref().map(Stored::identity));
        let mut passes = self.passes.clone();
        let what = format!("an event of {} {key}", kind.kind);
        let polled = wait::until(&what, async || Ok(wait::holds(known(), "not yet")));
        tokio::select! {
            passed = passes.wait_for(|_| known()) => passed.map(drop).context("the operator ended"),
            polled = polled => polled,
        }
    }
}

/// The tools of a writer.
pub(crate) fn tools(client: &Client, stores: Stores, fence: Fence) -> Tools {
    Tools { client: client.clone(), stores, manager: MANAGER, fence }
}

/// A control plane, an operator and another client.
pub(crate) struct Fixture {
    _plane: ControlPlane,
    /// The requests of the operator.
    pub(crate) record: Record,
    /// The client of the operator.
    pub(crate) client: Client,
    /// Another client, with all permissions.
    pub(crate) other: Client,
    pub(crate) process: Process,
    /// The owner of all objects.
    pub(crate) owner: Arc<Object>,
}

impl Fixture {
    pub(crate) async fn start() -> Result<Self> {
        Self::start_with(Extent::Api).await
    }

    pub(crate) async fn start_with(extent: Extent) -> Result<Self> {
        let plane = ControlPlane::start_with(extent).await?;
        let (other, record) = (plane.client().await?, Record::default());
        let client = record.around(other.clone());
        let owner = create(&other, LEASE, &json!({"metadata": {"name": "owner"}}), "somebody").await?;
        let process = Process::start(&client).await?;
        record.take();
        let owner = Arc::new(Object::new(owner, &LEASE.resource()));
        Ok(Self { _plane: plane, record, client, other, process, owner })
    }

    /// Replaces the process of the operator by another one.
    pub(crate) async fn restart(mut self) -> Result<Self> {
        self.process.end().await;
        self.process = Process::start(&self.client).await?;
        self.record.take();
        Ok(self)
    }

    /// An object of the owner.
    pub(crate) fn wanted(&self, kind: Kind, object: &Value, way: Way) -> Desired {
        owned_by(&self.owner, kind, object, way)
    }

    /// Writes these objects in one wave.
    pub(crate) async fn carry_out(&self, wanted: &[Desired]) -> Result<Applied, WriteError> {
        let work = Work { waves: vec![wanted.to_vec()], ..Work::default() };
        self.process.writer.carry_out(&work, &self.owner).await
    }

    /// The requests of the operator since the last call, as text.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.record.take().iter().map(crate::record::Request::line).collect()
    }

    /// Reads an object.
    pub(crate) async fn read(&self, kind: Kind, name: &str) -> Result<DynamicObject> {
        Ok(api(&self.other, kind).get(name).await?)
    }

    /// The names of all objects of a kind.
    pub(crate) async fn names(&self, kind: Kind) -> Result<Vec<String>> {
        let listed = api(&self.other, kind).list(&ListParams::default()).await?;
        Ok(listed.items.iter().map(ResourceExt::name_any).collect())
    }

    /// Changes an object with the other client, and waits until the operator has received the event.
    pub(crate) async fn edit(&self, kind: Kind, name: &str, change: &Value) -> Result<DynamicObject> {
        let params = PatchParams { field_manager: Some("somebody".into()), ..PatchParams::default() };
        let changed = api(&self.other, kind).patch(name, &params, &Patch::Merge(change)).await?;
        self.wait_for(kind, &changed).await?;
        Ok(changed)
    }

    /// Waits until the cache of the operator contains this state of an object, or a later one.
    pub(crate) async fn wait_for(&self, kind: Kind, object: &DynamicObject) -> Result<()> {
        let identity = Identity::of(&object.metadata);
        let fits = |known: Option<&Identity>| known.is_some_and(|known| known.version >= identity.version);
        self.process.wait_for(kind, &identity.key, fits).await
    }

    /// Waits until the cache of the operator no longer contains this object.
    pub(crate) async fn wait_until_gone(&self, kind: Kind, object: &DynamicObject) -> Result<()> {
        let identity = Identity::of(&object.metadata);
        let fits = |known: Option<&Identity>| known.is_none_or(|known| known.uid != identity.uid);
        self.process.wait_for(kind, &identity.key, fits).await
    }
}

/// An object of an owner.
pub(crate) fn owned_by(owner: &Object, kind: Kind, object: &Value, way: Way) -> Desired {
    let mut object = typed(kind, object);
    object["metadata"]["namespace"] = (*owner.key().namespace).into();
    object["metadata"]["ownerReferences"] = json!([{
        "apiVersion": LEASE.api_version(),
        "kind": LEASE.kind,
        "name": *owner.key().name,
        "uid": *owner.identity().uid,
        "controller": true,
    }]);
    Desired { kind, object, way, looks_after_pods: false }
}

fn typed(kind: Kind, object: &Value) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.kind.into();
    object
}

/// Creates an object with a field manager.
pub(crate) async fn create(client: &Client, kind: Kind, object: &Value, by: &str) -> Result<DynamicObject> {
    let params = PostParams { field_manager: Some(by.into()), ..PostParams::default() };
    let object = serde_json::from_value(typed(kind, object))?;
    Ok(api(client, kind).create(&params, &object).await?)
}

/// The API of a kind.
pub(crate) fn api(client: &Client, kind: Kind) -> Api<DynamicObject> {
    Api::default_namespaced_with(client.clone(), &kind.resource())
}

/// The content of an object without its identity and without the metadata that the API server maintains.
pub(crate) fn content(object: &DynamicObject) -> Result<Value> {
    let mut value = serde_json::to_value(object)?;
    let metadata = value["metadata"].as_object_mut().context("the object has no metadata")?;
    let kept = ["labels", "annotations", "finalizers", "ownerReferences"];
    metadata.retain(|field, _| kept.contains(&field.as_str()));
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove("deprecated.daemonset.template.generation");
    }
    Ok(value)
}

/// The field managers of an object: name, operation and subresource.
pub(crate) fn managers(object: &DynamicObject) -> Vec<String> {
    let line = |entry: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry| {
        let [manager, operation, subresource] =
            [&entry.manager, &entry.operation, &entry.subresource].map(|part| part.as_deref().unwrap_or(""));
        format!("{manager} {operation} {subresource}").trim().to_owned()
    };
    let mut managers: Vec<String> = object.managed_fields().iter().map(line).collect();
    managers.sort();
    managers
}
