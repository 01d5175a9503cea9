//! Resources that are for somebody else.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;

use super::*;
use crate::apply::Tools;
use crate::declare::Kind;
use crate::object::Kept;
use crate::store::Event;
use crate::stores::Namespaces;

const KIND: Kind = Kind::of::<ConfigMap>();

static DECLARATION: Declaration = Declaration {
    name: "test",
    primary: KIND,
    finalizer: "test.mainstay.dev/cleanup",
    owned: &[],
    watched: &[],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// Says of every resource that is its own that it is ready, and takes away what others said.
struct Claimant;

impl Operator for Claimant {
    type Resource = Value;
    type Inputs = ();
    type Valid = ();
    type Step = ();
    type Course = ();

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn is_ours(&self, resource: &Object) -> bool {
        resource.label("operator") == Some("test")
    }

    async fn gather(&self, _: &Value, _: &Stores, _: Timestamp) -> Result<(), PassError> {
        Ok(())
    }

    fn validate(&self, _: &Value, (): &()) -> Result<(), Invalid> {
        Ok(())
    }

    fn plan(&self, (): &(), (): &(), _: Timestamp) -> Plan<Self> {
        Plan {
            work: Work::default(),
            step: None,
            finalizer: Finalizer::Present,
            requeue_after: Some(Duration::from_secs(1)),
            course: (),
        }
    }

    async fn perform(&self, (): &()) -> Result<(), PassError> {
        Ok(())
    }

    fn report(&self, _: &Value, _: &Verdict<'_, Self>, _: Timestamp) -> Report {
        Report { status: json!({"conditions": [{"type": "Ready"}]}), notes: Vec::new(), remarks: Vec::new() }
    }
}

struct Silent;

impl Recorder for Silent {
    async fn record(&self, _: &Object, _: Vec<Note>) {}

    async fn record_about(&self, _: &Object, _: Vec<Remark>) {}
}

fn resource(operator: &str, version: &str) -> Value {
    json!({
        "metadata": {"name": "a", "namespace": "n", "uid": "1", "resourceVersion": version, "labels": {"operator": operator}},
        "status": {"conditions": [{"type": "Foreign", "status": "True"}]},
    })
}

/// What a pass comes to, and how many requests it makes.
async fn pass(operator: &'static str) -> (Outcome, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let server = tower::service_fn(move |_: http::Request<Body>| {
        let version = 2 + counted.fetch_add(1, Ordering::Relaxed);
        let answer = resource(operator, &version.to_string()).to_string();
        async move { Ok::<_, Infallible>(http::Response::new(Body::from(answer.into_bytes()))) }
    });
    let stores = Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
    let object = serde_json::from_value(resource(operator, "1")).unwrap();
    let object = Object::new(object, &KIND.resource());
    let key = object.identity().key.clone();
    for event in [Event::Begin, Event::Listed(object), Event::Complete] {
        stores.partition(KIND, "n").unwrap().write().see(event);
    }
    let tools = Tools { client: Client::new(server, "n"), stores, manager: "test", fence: Arc::new(|| true) };
    let writer = Writer::new(&DECLARATION, tools, Arc::new(|_, _, _| {}));
    let reconciler = Reconciler { operator: Claimant, writer, recorder: Silent };
    let outcome = reconciler.pass(&key, || Timestamp::UNIX_EPOCH).await;
    (outcome, asked.load(Ordering::Relaxed))
}

#[tokio::test]
async fn the_status_of_a_resource_that_is_not_ours_is_left_alone_and_costs_nothing() {
    assert_eq!(pass("another").await, (Outcome::Settled, 0));
    let ours = (Outcome::Waiting(Duration::from_secs(1)), 2);
    assert_eq!(pass("test").await, ours, "the finalizer and the status");
}
