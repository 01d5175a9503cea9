//! An observer receives all occurrences in the kernel.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use e2e::wait::{self, holds};
use futures::future::BoxFuture;
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use kernel::apply::{Way, Work, Writer, desired};
use kernel::declare::{Declaration, Detail, Kind, Owned, Prune, keep_nothing};
use kernel::hub::{Controller, Hub, Registration};
use kernel::metrics::{Catalogue, Metrics, Observer, Occurrence};
use kernel::object::{Key, Object};
use kernel::queue::{Outcome, QueueSettings};
use kernel::stores::{Namespaces, Scopes, Stores};
use kube::api::{Api, Patch, PatchParams};
use lab::ControlPlane;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::create;
use crate::apply::fixture::{MANAGER, tools};

const DEPLOYMENT: Kind = Kind::of::<Deployment>();
const STATEFUL_SET: Kind = Kind::of::<StatefulSet>();

static DECLARATION: Declaration = Declaration {
    name: "toy",
    primary: DEPLOYMENT,
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[Owned {
        kind: STATEFUL_SET,
        way: Way::Replace,
        selector: None,
        detail: Detail::Full,
        prune: Prune::Unnamed,
        keeps: keep_nothing,
        optional: false,
        why: "a test",
    }],
    watched: &[],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// Records each occurrence once.
#[derive(Debug, Default)]
struct Recorder(Mutex<BTreeSet<String>>);

impl Observer for Recorder {
    fn sees(&self, occurrence: &Occurrence<'_>) {
        let line = match occurrence {
            Occurrence::Ready { controller } => format!("{controller} is ready"),
            Occurrence::Changed { kind, .. } => format!("{} changed", kind.kind),
            Occurrence::Triggered { controller, kind, action } => {
                format!("{controller} because {} {action:?}", kind.kind)
            }
            Occurrence::Added { controller } => format!("{controller} added"),
            Occurrence::Due { controller, keys } => format!("{controller} has {keys} due"),
            Occurrence::Started { controller, latency, .. } => {
                format!("{controller} started, waited for: {}", latency.is_some())
            }
            Occurrence::Ended { controller, outcome, .. } => format!("{controller} ended {outcome:?}"),
            Occurrence::Reconciled { controller, resource, reconciled } => {
                format!("{controller} reconciled {resource}: {reconciled:?}")
            }
            Occurrence::Selected { controller, resource, count } => {
                format!("{controller} selects for {resource}: {count:?}")
            }
            Occurrence::StatusWritten { controller, failed } => {
                format!("{controller} wrote a status, failed: {failed}")
            }
            Occurrence::Recreated { controller, kind } => format!("{controller} recreated {}", kind.kind),
            Occurrence::Answered { call, .. } => call.describe(),
        };
        self.0.lock().expect("no writer panics").insert(line);
    }
}

/// Creates a `StatefulSet` for every `Deployment`, and reports it in its status.
struct Toy(Writer);

impl Toy {
    async fn reconcile(&self, owner: &Object) -> Result<(), kernel::apply::WriteError> {
        let (name, value) = (&*owner.key().name, owner.value());
        let labels = json!({"app": name});
        let object = json!({
            "metadata": {"name": name, "namespace": *owner.key().namespace, "ownerReferences": [{
                "apiVersion": DEPLOYMENT.api_version(), "kind": DEPLOYMENT.kind, "name": name,
                "uid": owner.uid(), "controller": true,
            }]},
            "spec": {
                "serviceName": value["metadata"]["labels"]["service"],
                "selector": {"matchLabels": labels},
                "template": value["spec"]["template"],
            },
        });
        let set: StatefulSet = serde_json::from_value(object).expect("a StatefulSet");
        let work = Work { waves: vec![vec![desired(&set, Way::Replace)]], ..Work::default() };
        self.0.carry_out(&work, owner).await?;
        let status = json!({"observedGeneration": value["metadata"]["generation"]});
        if value["status"]["observedGeneration"] != status["observedGeneration"] {
            self.0.write_status(owner, &json!(null), &status).await?;
        }
        Ok(())
    }
}

impl Controller for Toy {
    fn pass(self: Arc<Self>, key: Key) -> BoxFuture<'static, Outcome> {
        Box::pin(async move {
            let Some(owner) = self.0.stores().get(DEPLOYMENT, &key) else { return Outcome::Settled };
            self.reconcile(&owner).await.map_or(Outcome::Failed, |()| Outcome::Settled)
        })
    }
}

#[tokio::test]
async fn an_observer_receives_all_occurrences() -> Result<()> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    let container = json!({"name": "a", "image": "a"});
    let deployment = json!({"metadata": {"name": "a", "labels": {"service": "first"}}, "spec": {
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [container]}},
    }});
    let (recorder, scopes) = (Arc::new(Recorder::default()), Scopes::from(Namespaces::AllBut(Vec::new())));
    let metrics = Metrics::register(&mut Catalogue::default(), "", "");
    let hub = Hub {
        tools: tools(&client, Stores::new(&[&DECLARATION], MANAGER, &scopes), Arc::new(|| true)),
        scopes,
        queue: QueueSettings::default(),
        grace: Duration::from_secs(5),
        metrics: metrics.observed_by(Arc::<Recorder>::clone(&recorder)),
        watch_states: watch::channel(Vec::new()).0,
    };
    let new_toy = Box::new(|writer, _| -> Arc<dyn Controller> { Arc::new(Toy(writer)) });
    let registration = Registration { declaration: &DECLARATION, make: new_toy, interests: None };
    let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
    let (leading, token) = (CancellationToken::new(), stop.clone());
    let lead = leading.clone().cancelled_owned();
    tasks.spawn(async move {
        hub.run(vec![registration], lead, token).await;
    });
    let received = async |lines: &'static [&'static str]| {
        wait::until(&format!("{lines:?}"), async || {
            let recorded = recorder.0.lock().expect("no writer panics").clone();
            Ok(holds(lines.iter().all(|line| recorded.contains(*line)), format!("{recorded:?}")))
        })
        .await
    };
    // A controller is ready also without the leadership.
    received(&["toy is ready"]).await?;
    leading.cancel();
    create(&client, "default", DEPLOYMENT, &deployment).await?;
    received(&[
        "Deployment changed",
        "toy because Deployment Added",
        "toy added",
        "toy has 1 due",
        "toy has 0 due",
        "toy started, waited for: true",
        "toy wrote a status, failed: false",
        "toy ended Settled",
    ])
    .await?;
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let patch = json!({"metadata": {"labels": {"service": "second"}}});
    deployments.patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    received(&["toy because Deployment Updated", "toy recreated StatefulSet"]).await?;
    deployments.delete("a", &kube::api::DeleteParams::default()).await?;
    received(&["toy because Deployment Deleted"]).await?;
    stop.cancel();
    while tasks.join_next().await.is_some() {}
    Ok(())
}
