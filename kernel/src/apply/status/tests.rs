//! Where the status of a resource is written, with and without a status subresource.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;

use super::*;
use crate::apply::Tools;
use crate::declare::{Declaration, Kind, Scope};
use crate::store::Event;
use crate::stores::{Namespaces, Stores};

const GADGET: Kind =
    Kind { group: "example.com", version: "v1", kind: "Gadget", plural: "gadgets", scope: Scope::Namespaces };

static DECLARATION: Declaration = Declaration {
    name: "test",
    primary: GADGET,
    finalizer: "test",
    owned: &[],
    watched: &[],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

const RESOURCE: &str = "PATCH /apis/example.com/v1/namespaces/n/gadgets/a";
const SUBRESOURCE: &str = "PATCH /apis/example.com/v1/namespaces/n/gadgets/a/status";
const DISCOVERY: &str = "GET /apis/example.com/v1";

/// A server with one resource.
#[derive(Debug)]
struct Server {
    object: Value,
    has_subresource: bool,
    requests: Vec<String>,
}

impl Server {
    fn answer(&mut self, method: &Method, path: &str, body: &Value) -> (u16, Value) {
        self.requests.push(format!("{method} {path}"));
        let failure = |code: u16| (code, json!({"kind": "Status", "status": "Failure", "code": code}));
        if method == Method::GET {
            let names = ["gadgets", "gadgets/status"].into_iter().take(1 + usize::from(self.has_subresource));
            let resources: Vec<Value> = names
                .map(|name| json!({"name": name, "singularName": "", "namespaced": true, "kind": "Gadget", "verbs": []}))
                .collect();
            return (200, json!({"groupVersion": "example.com/v1", "resources": resources}));
        }
        let is_subresource = path.ends_with("/status");
        if self.object.is_null() || is_subresource && !self.has_subresource {
            return failure(404);
        }
        if body["metadata"]["resourceVersion"] != self.object["metadata"]["resourceVersion"] {
            return failure(409);
        }
        if is_subresource || !self.has_subresource {
            let status = merged(self.object["status"].take(), &body["status"]);
            self.object["status"] = status;
            self.change(!self.has_subresource);
        }
        (200, self.object.clone())
    }

    fn change(&mut self, is_generation: bool) {
        let number = |value: &Value| value.as_str().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let version = number(&self.object["metadata"]["resourceVersion"]) + 1;
        self.object["metadata"]["resourceVersion"] = version.to_string().into();
        if is_generation {
            let generation = self.object["metadata"]["generation"].as_i64().unwrap_or(0) + 1;
            self.object["metadata"]["generation"] = generation.into();
        }
    }
}

struct Fixture {
    server: Arc<Mutex<Server>>,
    writer: Writer,
}

impl Fixture {
    fn new(has_subresource: bool) -> Self {
        let metadata =
            json!({"name": "a", "namespace": "n", "uid": "1", "resourceVersion": "5", "generation": 1});
        let object = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": metadata, "spec": {"size": 3}});
        let server = Arc::new(Mutex::new(Server { object, has_subresource, requests: Vec::new() }));
        let shared = Arc::clone(&server);
        let service = tower::service_fn(move |request: Request<Body>| {
            let shared = Arc::clone(&shared);
            async move {
                let (head, body) = request.into_parts();
                let body = serde_json::from_slice(&body.collect_bytes().await.unwrap()).unwrap_or_default();
                let (code, answer) = shared.lock().unwrap().answer(&head.method, head.uri.path(), &body);
                let answer = Body::from(answer.to_string().into_bytes());
                Ok::<_, Infallible>(Response::builder().status(code).body(answer).unwrap())
            }
        });
        let stores = Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
        let tools =
            Tools { client: Client::new(service, "n"), stores, manager: "test", fence: Arc::new(|| true) };
        let fixture = Self { server, writer: Writer::new(&DECLARATION, tools) };
        fixture.see(Event::Begin);
        fixture.see(Event::Listed(fixture.live()));
        fixture.see(Event::Complete);
        fixture
    }

    fn see(&self, event: Event<Object>) {
        self.writer.stores().partition(GADGET, "n").unwrap().write().see(event);
    }

    fn live(&self) -> Object {
        let object = self.server.lock().unwrap().object.clone();
        Object::new(serde_json::from_value(object).unwrap(), &GADGET.resource())
    }

    /// One pass: writes the phase of the stored resource, and the generation that it was observed at.
    async fn report(&self, phase: &str) -> Result<(), WriteError> {
        let known = self.writer.stores().get(GADGET, self.live().key()).unwrap();
        let generation = known.generation();
        let conditions = json!([{"type": "Ready", "observedGeneration": generation}]);
        let new = json!({"phase": phase, "observedGeneration": generation, "conditions": conditions});
        self.writer.write_status(&known, &known.value()["status"].clone(), &new).await
    }

    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.server.lock().unwrap().requests)
    }
}

#[tokio::test]
async fn without_a_subresource_the_resource_is_patched_if_its_status_changed() {
    let fixture = Fixture::new(false);
    fixture.report("Running").await.unwrap();
    assert_eq!(fixture.requests(), [SUBRESOURCE, DISCOVERY, RESOURCE]);
    let live = fixture.live();
    let expected =
        json!({"phase": "Running", "conditions": [{"type": "Ready"}], OBSERVED_SPEC: live.spec_hash()});
    assert_eq!((&live.value()["status"], live.generation()), (&expected, 2));
    for _ in 0..100 {
        fixture.report("Running").await.unwrap();
    }
    assert_eq!(fixture.requests(), Vec::<String>::new());
    fixture.report("Failed").await.unwrap();
    assert_eq!(fixture.requests(), [RESOURCE]);
}

#[tokio::test]
async fn with_a_subresource_no_other_request_is_sent() {
    let fixture = Fixture::new(true);
    fixture.report("Running").await.unwrap();
    fixture.report("Running").await.unwrap();
    assert_eq!(fixture.requests(), [SUBRESOURCE]);
    assert_eq!(fixture.live().value()["status"]["observedGeneration"], 1);
}

#[tokio::test]
async fn a_missing_resource_does_not_prove_that_its_definition_has_no_subresource() {
    let fixture = Fixture::new(true);
    let known = fixture.live();
    fixture.server.lock().unwrap().object = Value::Null;
    let error = fixture.writer.write_status(&known, &Value::Null, &json!({"phase": "x"})).await.unwrap_err();
    assert_eq!(error.code(), Some(404));
    assert_eq!(fixture.requests(), [SUBRESOURCE, DISCOVERY]);
}

#[tokio::test]
async fn a_subresource_that_is_added_later_is_used() {
    let fixture = Fixture::new(false);
    fixture.report("Running").await.unwrap();
    fixture.requests();
    fixture.server.lock().unwrap().has_subresource = true;
    assert!(matches!(fixture.report("Failed").await, Err(WriteError::Outdated { .. })));
    fixture.report("Failed").await.unwrap();
    assert_eq!(fixture.requests(), [RESOURCE, SUBRESOURCE]);
    assert_eq!(fixture.live().value()["status"]["phase"], "Failed");
}

#[tokio::test]
async fn a_status_is_written_into_the_known_version() {
    let fixture = Fixture::new(false);
    fixture.report("Running").await.unwrap();
    fixture.server.lock().unwrap().change(true);
    assert!(matches!(fixture.report("Failed").await, Err(WriteError::Outdated { .. })));
    fixture.see(Event::Applied(fixture.live()));
    fixture.report("Failed").await.unwrap();
}

#[tokio::test]
async fn a_hash_says_whether_a_status_describes_the_present_spec() {
    for has_subresource in [false, true] {
        let fixture = Fixture::new(has_subresource);
        assert!(!fixture.live().is_observed(), "there is no status yet");
        fixture.report("Running").await.unwrap();
        fixture.report("Failed").await.unwrap();
        assert!(fixture.live().is_observed(), "{has_subresource}");
        {
            let mut server = fixture.server.lock().unwrap();
            server.object["spec"]["size"] = 5.into();
            server.change(true);
        }
        assert!(!fixture.live().is_observed(), "{has_subresource}");
    }
}
