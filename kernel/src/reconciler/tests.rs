//! What a pass writes, in which order, and what is remembered after it.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::client::Body;

use super::*;
use crate::apply::{Tools, Work};
use crate::declare::{Declaration, Kind};
use crate::object::Stored;
use crate::report::Reconciled;
use crate::store::Event;
use crate::stores::{Namespaces, Stores};

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

/// Reports each of its resources as ready, and removes other conditions. It counts the passes of each resource.
#[derive(Default)]
struct Claimant {
    /// What is written before anything else is done.
    intent: Value,
    /// Whether the plan has a step, and whether the step ends.
    step: Option<Result<(), ()>>,
    /// Whether the application does not answer.
    is_down: bool,
    /// Whether `gather` hangs.
    gather_hangs: bool,
    /// The inputs of the steps that were performed.
    performed: Arc<Mutex<Vec<Probe>>>,
}

/// What the application answered.
type Probe = Result<&'static str, &'static str>;

impl Operator for Claimant {
    type Resource = Value;
    type Memory = usize;
    type Inputs = Probe;
    type Valid<'v> = ();
    type Step = ();
    type Course = usize;
    type Health = ();

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn is_ours(&self, resource: &Object) -> bool {
        resource.label("operator") == Some("test")
    }

    async fn gather(
        &self,
        _: &Value,
        _: Cluster<'_>,
        memory: &mut usize,
        _: Timestamp,
    ) -> Result<Probe, PassError> {
        *memory += 1;
        if self.gather_hangs {
            std::future::pending::<()>().await;
        }
        Ok(if self.is_down { Err("no answer") } else { Ok("an answer") })
    }

    fn validate<'v>(&'v self, _: &'v Value, _: &'v Probe) -> Result<(), Invalid> {
        Ok(())
    }

    fn plan(&self, (): &(), _: &Probe, memory: &mut usize, _: Timestamp) -> Result<Plan<Self>, Invalid> {
        Ok(Plan {
            intent: self.intent.clone(),
            work: Work::default(),
            step: self.step.map(drop),
            finalizer: Finalizer::Present,
            requeue_after: Some(Duration::from_secs(1)),
            course: *memory,
        })
    }

    async fn perform(&self, (): &(), inputs: &Probe) -> Result<(), PassError> {
        self.performed.lock().unwrap().push(*inputs);
        match self.step {
            Some(Err(())) => std::future::pending().await,
            Some(Ok(())) | None => Ok(()),
        }
    }

    fn observe(&self, _: &Value, _: &Attempt<'_, Self>, _: &mut usize, _: Timestamp) -> Observed<()> {
        ().into()
    }

    fn report(&self, _: &Value, result: &PassResult<'_, Self>, _: Timestamp) -> Report {
        let (passes, error) = match result {
            PassResult::Applied { plan, error, .. } => (plan.course, error.map(PassError::with_causes)),
            PassResult::Unread(error) => (0, Some(error.with_causes())),
            PassResult::Invalid { .. } => panic!("the spec is never invalid"),
        };
        Report {
            status: json!({"conditions": [{"type": "Ready"}], "passes": passes, "error": error}),
            notes: Vec::new(),
            remarks: Vec::new(),
            reconciled: Reconciled::Done,
            selected: Vec::new(),
        }
    }
}

struct Silent;

impl Recorder for Silent {
    async fn record(&self, _: &Object, _: Vec<Note>) {}

    async fn record_about(&self, _: &Object, _: Vec<RelatedNote>) {}
}

fn resource(operator: &str, version: &str) -> Value {
    json!({
        "metadata": {"name": "a", "namespace": "n", "uid": "1", "resourceVersion": version, "labels": {"operator": operator}},
        "status": {"conditions": [{"type": "Foreign", "status": "True"}]},
    })
}

/// The bodies of the requests, without the unique id and the version of the object.
type Requests = Arc<Mutex<Vec<Value>>>;

/// A reconciler of one resource, and the requests to its server.
fn reconciler(operator: Claimant, label: &'static str) -> (Reconciler<Claimant, Silent>, Key, Requests) {
    let requests = Requests::default();
    let sent = Arc::clone(&requests);
    let server = tower::service_fn(move |request: http::Request<Body>| {
        let sent = Arc::clone(&sent);
        async move {
            let body = request.into_body().collect_bytes().await.unwrap();
            let mut body: Value = serde_json::from_slice(&body).unwrap();
            for field in ["resourceVersion", "uid"] {
                body["metadata"].as_object_mut().unwrap().remove(field);
            }
            let mut sent = sent.lock().unwrap();
            sent.push(body);
            let answer = resource(label, &(1 + sent.len()).to_string()).to_string();
            Ok::<_, Infallible>(http::Response::new(Body::from(answer.into_bytes())))
        }
    });
    let stores = Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
    let object = Object::new(serde_json::from_value(resource(label, "1")).unwrap(), &KIND.resource());
    let key = object.identity().key.clone();
    for event in [Event::Begin, Event::Listed(object), Event::Complete] {
        stores.partition(KIND, "n").unwrap().write().see(event);
    }
    let tools = Tools { client: Client::new(server, "n"), stores, manager: "test", fence: Arc::new(|| true) };
    let writer = Writer::new(&DECLARATION, tools);
    let index = Arc::new(Index::new(&DECLARATION, None));
    (Reconciler::new(operator, writer, Silent, index), key, requests)
}

/// The outcome of a pass, and what it writes.
async fn pass(operator: Claimant, label: &'static str) -> (Outcome, Vec<Value>) {
    let (reconciler, key, requests) = reconciler(operator, label);
    let outcome = reconciler.pass(&key, || Timestamp::UNIX_EPOCH).await;
    let requests = requests.lock().unwrap().clone();
    (outcome, requests)
}

fn finalizer() -> Value {
    json!({"metadata": {"finalizers": [DECLARATION.finalizer]}})
}

fn status(fields: &Value) -> Value {
    json!({"metadata": {}, "status": fields})
}

fn ready() -> Value {
    json!([{"type": "Ready"}])
}

#[tokio::test]
async fn a_resource_that_is_not_ours_is_left_alone_without_any_request() {
    assert_eq!(pass(Claimant::default(), "another").await, (Outcome::Settled, Vec::new()));
    let writes = vec![finalizer(), status(&json!({"conditions": ready(), "passes": 1}))];
    let ours = (Outcome::Waiting(Duration::from_secs(1)), writes);
    assert_eq!(pass(Claimant::default(), "test").await, ours);
}

#[tokio::test]
async fn the_intent_is_written_first_and_not_repeated_by_the_report() {
    let intent = json!({"phase": "Joining", "passes": 1});
    let operator = Claimant { intent: intent.clone(), step: Some(Ok(())), ..Claimant::default() };
    // The report has no phase, so the phase is removed.
    let report = json!({"conditions": ready(), "phase": null});
    let writes = vec![finalizer(), status(&intent), status(&report)];
    assert_eq!(
        pass(operator, "test").await,
        (Outcome::Waiting(Duration::ZERO), writes),
        "the next pass follows at once"
    );
}

#[tokio::test(start_paused = true)]
async fn a_step_that_hangs_is_ended_at_its_deadline_and_its_intent_was_written_before() {
    let intent = json!({"phase": "Joining"});
    let operator = Claimant { intent: intent.clone(), step: Some(Err(())), ..Claimant::default() };
    let error = "a step took longer than 120 seconds and was ended";
    let report = json!({"conditions": ready(), "passes": 1, "error": error, "phase": null});
    let writes = vec![finalizer(), status(&intent), status(&report)];
    assert_eq!(pass(operator, "test").await, (Outcome::Failed, writes));
}

#[tokio::test(start_paused = true)]
async fn a_gather_that_hangs_is_ended_at_its_deadline() {
    let operator = Claimant { gather_hangs: true, ..Claimant::default() };
    let error = "reading the inputs took longer than 120 seconds and was ended";
    let report = json!({"conditions": ready(), "passes": 0, "error": error});
    assert_eq!(pass(operator, "test").await, (Outcome::Failed, vec![status(&report)]));
}

#[tokio::test]
async fn a_step_gets_the_inputs_even_if_the_application_did_not_answer() {
    for (is_down, expected) in [(false, Ok("an answer")), (true, Err("no answer"))] {
        let performed = Arc::<Mutex<Vec<Probe>>>::default();
        let operator = Claimant {
            step: Some(Ok(())),
            is_down,
            performed: Arc::clone(&performed),
            ..Claimant::default()
        };
        assert_eq!(pass(operator, "test").await.0, Outcome::Waiting(Duration::ZERO));
        assert_eq!(*performed.lock().unwrap(), [expected]);
    }
}

#[tokio::test]
async fn what_is_remembered_of_a_resource_is_forgotten_with_it() {
    let (reconciler, key, _) = reconciler(Claimant::default(), "test");
    let secrets = |name: &str| [(Kind::of::<Secret>(), [Key::new("n", name)].into())].into();
    for _ in 0..2 {
        reconciler.pass(&key, || Timestamp::UNIX_EPOCH).await;
    }
    assert_eq!(reconciler.memories.take(&known(&reconciler, &key)), 2);
    let partition = reconciler.writer.stores().partition(KIND, "n").unwrap().clone();
    for number in 0..10_000 {
        let name = format!("r{number}");
        let mut value = resource("test", "5");
        value["metadata"]["name"] = name.clone().into();
        value["metadata"]["uid"] = name.clone().into();
        let object = Object::new(serde_json::from_value(value).unwrap(), &KIND.resource());
        let (identity, key) = (object.identity().clone(), object.key().clone());
        partition.write().see(Event::Applied(object));
        reconciler.index.reads(&key, &secrets(&name));
        let memory = reconciler.memories.take(&known(&reconciler, &key));
        reconciler.memories.keep(&known(&reconciler, &key), memory + 1);
        assert!(reconciler.memories.len() > 0 && reconciler.index.len() > 0);
        partition.write().see(Event::Deleted(identity));
        assert_eq!(reconciler.pass(&key, || Timestamp::UNIX_EPOCH).await, Outcome::Settled);
    }
    assert_eq!((reconciler.memories.len(), reconciler.index.len()), (0, 0));
}

#[tokio::test]
async fn nothing_is_remembered_of_an_earlier_resource_with_the_same_name() {
    let (reconciler, key, _) = reconciler(Claimant::default(), "test");
    reconciler.pass(&key, || Timestamp::UNIX_EPOCH).await;
    let mut value = resource("test", "9");
    value["metadata"]["uid"] = "2".into();
    let other = Object::new(serde_json::from_value(value).unwrap(), &KIND.resource());
    assert_eq!(reconciler.memories.take(&other), 0);
}

fn known(reconciler: &Reconciler<Claimant, Silent>, key: &Key) -> Arc<Object> {
    reconciler.writer.stores().get(KIND, key).unwrap()
}
