//! The status of a resource whose CRD has no status subresource: it is patched into the resource itself, identifies the
//! spec by a hash, and is not written while nothing changes. When the CRD gets the subresource, it is used.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use e2e::wait::{self, Look, holds};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::{Tools, Work};
use kernel::declare::{Declaration, Kind, Scope};
use kernel::flow::{Attempt, Cluster, Finalizer, Invalid, Observed, Operator, PassError, PassResult, Plan};
use kernel::hub::Hub;
use kernel::metrics::{Catalogue, Metrics};
use kernel::object::OBSERVED_SPEC;
use kernel::queue::QueueSettings;
use kernel::report::{Reconciled, Report};
use kernel::stores::{Namespaces, Scopes, Stores};
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use lab::ControlPlane;
use product::Setup;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::record::{Record, Request};

const GADGET: Kind = Kind {
    group: "test.mainstay.dev",
    version: "v1",
    kind: "Gadget",
    plural: "gadgets",
    scope: Scope::Namespaces,
};

static DECLARATION: Declaration = Declaration {
    name: "gadgets",
    primary: GADGET,
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[],
    watched: &[],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// How often the operator reconciles a resource although nothing changed.
const AGAIN: Duration = Duration::from_millis(50);

/// Reports the size of each gadget, and counts its passes.
struct Sizes(watch::Sender<usize>);

impl Operator for Sizes {
    type Resource = Value;
    type Memory = ();
    type Inputs = ();
    type Valid<'v> = ();
    type Step = ();
    type Course = ();
    type Health = ();

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    async fn gather(&self, _: &Value, _: Cluster<'_>, (): &mut (), _: Timestamp) -> Result<(), PassError> {
        self.0.send_modify(|passes| *passes += 1);
        Ok(())
    }

    fn validate<'v>(&'v self, _: &'v Value, (): &'v ()) -> Result<(), Invalid> {
        Ok(())
    }

    fn plan(&self, (): &(), (): &(), (): &mut (), _: Timestamp) -> Result<Plan<Self>, Invalid> {
        Ok(Plan {
            intent: Value::Null,
            work: Work::default(),
            step: None,
            finalizer: Finalizer::Unchanged,
            requeue_after: Some(AGAIN),
            course: (),
        })
    }

    async fn perform(&self, (): &(), (): &()) -> Result<(), PassError> {
        Ok(())
    }

    fn observe(&self, _: &Value, _: &Attempt<'_, Self>, (): &mut (), _: Timestamp) -> Observed<()> {
        ().into()
    }

    fn report(&self, resource: &Value, _: &PassResult<'_, Self>, _: Timestamp) -> Report {
        let generation = &resource["metadata"]["generation"];
        let status = json!({
            "size": resource["spec"]["size"],
            "observedGeneration": generation,
            "conditions": [{"type": "Ready", "observedGeneration": generation}],
        });
        let (notes, remarks, selected) = (Vec::new(), Vec::new(), Vec::new());
        Report { status, notes, remarks, reconciled: Reconciled::Done, selected }
    }
}

fn definition() -> Value {
    json!({
        "metadata": {"name": "gadgets.test.mainstay.dev"},
        "spec": {
            "group": GADGET.group,
            "scope": "Namespaced",
            "names": {"plural": GADGET.plural, "singular": "gadget", "kind": GADGET.kind},
            "versions": [{
                "name": GADGET.version,
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

struct Fixture {
    _plane: ControlPlane,
    client: Client,
    record: Record,
    passes: watch::Receiver<usize>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Fixture {
    async fn start() -> Result<Self> {
        let plane = ControlPlane::start().await?;
        let client = plane.client().await?;
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        definitions.create(&PostParams::default(), &serde_json::from_value(definition())?).await?;
        let gadget = json!({
            "apiVersion": GADGET.api_version(), "kind": GADGET.kind,
            "metadata": {"name": "one"}, "spec": {"size": 1},
        });
        let gadget: DynamicObject = serde_json::from_value(gadget)?;
        wait::until("the definition", async || {
            Ok(match gadgets(&client).create(&PostParams::default(), &gadget).await {
                Ok(_) => Look::Found(()),
                Err(error) => Look::NotYet(error.to_string()),
            })
        })
        .await?;
        let (record, stop, mut tasks) = (Record::default(), CancellationToken::new(), JoinSet::new());
        let (counter, passes) = watch::channel(0);
        let scopes = Scopes::from(Namespaces::AllBut(Vec::new()));
        let recorded = record.around(client.clone());
        let setup = Setup { client: recorded.clone(), manager: "mainstay", identity: "test".to_owned() };
        let registration = setup.controller(Sizes(counter), None);
        let stores = Stores::new(&[&DECLARATION], "mainstay", &scopes);
        let hub = Hub {
            tools: Tools { client: recorded, stores, manager: "mainstay", fence: Arc::new(|| true) },
            scopes,
            queue: QueueSettings { window: Duration::from_millis(1), ..QueueSettings::default() },
            grace: Duration::from_secs(5),
            metrics: Metrics::register(&mut Catalogue::default(), "", ""),
            watch_states: watch::channel(Vec::new()).0,
        };
        let token = stop.clone();
        tasks.spawn(async move {
            hub.run(vec![registration], std::future::ready(()), token).await;
        });
        Ok(Self { _plane: plane, client, record, passes, stop, tasks })
    }

    /// Waits until the status has this size, and returns the gadget.
    async fn reports(&self, size: i64) -> Result<DynamicObject> {
        let what = format!("to report size {size}");
        let fits = |gadget: &DynamicObject| gadget.data["status"]["size"] == size;
        wait::until(&what, async || {
            let gadget = gadgets(&self.client).get("one").await?;
            let seen = gadget.data["status"].to_string();
            Ok(if fits(&gadget) { Look::Found(gadget) } else { Look::NotYet(seen) })
        })
        .await
    }

    async fn resize(&self, size: i64) -> Result<()> {
        let patch = Patch::Merge(json!({"spec": {"size": size}}));
        gadgets(&self.client).patch("one", &PatchParams::default(), &patch).await?;
        Ok(())
    }

    /// Waits for a number of passes. Returns the writes in the meantime.
    async fn writes_in(&self, passes: usize) -> Result<Vec<String>> {
        self.record.take();
        let before = *self.passes.borrow();
        wait::until("some more passes", async || {
            let seen = *self.passes.borrow() - before;
            Ok(holds(seen >= passes, seen.to_string()))
        })
        .await?;
        Ok(self.record.take().iter().filter(|one| one.is_write()).map(Request::line).collect())
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

fn gadgets(client: &Client) -> Api<DynamicObject> {
    Api::default_namespaced_with(client.clone(), &GADGET.resource())
}

#[tokio::test]
async fn a_status_without_a_subresource_is_patched_into_the_resource_and_left_alone_while_idle() -> Result<()>
{
    let fixture = Fixture::start().await?;
    let first = fixture.reports(1).await?.data["status"].clone();
    assert_eq!(first["conditions"], json!([{"type": "Ready"}]));
    assert_eq!(first["observedGeneration"], Value::Null, "every status write increments the generation here");
    assert!(first[OBSERVED_SPEC].is_string(), "{first}");
    assert_eq!(fixture.writes_in(40).await?, Vec::<String>::new());

    fixture.record.take();
    fixture.resize(2).await?;
    let second = fixture.reports(2).await?.data["status"].clone();
    assert_ne!(first[OBSERVED_SPEC], second[OBSERVED_SPEC]);
    let writes = fixture.record.take().into_iter().filter(Request::is_write);
    assert!(writes.map(|one| one.line()).all(|line| line == "PATCH gadgets/one"), "there are other writes");
    assert_eq!(fixture.writes_in(40).await?, Vec::<String>::new());

    // The CRD gets the subresource: patches of the resource no longer change its status.
    let definitions: Api<CustomResourceDefinition> = Api::all(fixture.client.clone());
    let step = json!([{"op": "add", "path": "/spec/versions/0/subresources", "value": {"status": {}}}]);
    let patch = Patch::Json::<()>(serde_json::from_value(step)?);
    definitions.patch("gadgets.test.mainstay.dev", &PatchParams::default(), &patch).await?;
    wait::until("the subresource", async || {
        Ok(match gadgets(&fixture.client).get_status("one").await {
            Ok(_) => Look::Found(()),
            Err(error) => Look::NotYet(error.to_string()),
        })
    })
    .await?;
    fixture.resize(3).await?;
    let third = fixture.reports(3).await?;
    assert_eq!(third.data["status"]["observedGeneration"].as_i64(), third.metadata.generation);
    fixture.end().await;
    Ok(())
}
