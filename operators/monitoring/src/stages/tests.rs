//! Tests of what a pass reads for a workload, how often, and whether the index has the references before they are read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use capability::rollout::RepairPolicy;
use http::{Request, Response};
use k8s_openapi::ByteString;
use kernel::declare::Kind;
use kernel::flow::Cluster;
use kernel::index::Index;
use kernel::object::Key;
use kernel::store::Event;
use kernel::stores::{Namespaces, Stores};
use kube::client::Body;
use monitoring_scrape::Offers;
use monitoring_select::SelectableKind;
use serde_json::{Value, json};
use tower::BoxError;

use super::*;
use crate::OfAlertmanager;
use crate::kinds;
use crate::loaded::pace::PaceSettings;
use crate::rejections::operand::OperandState;
use crate::rejections::record::{ANNOTATION, Rejection, Rejections, ResourceState};
use crate::rejections::resource::ResourceRef;
use crate::workload::operator::OperatorConfig;

/// An API server that records its requests: the name of each Secret, and the workloads that read it according to the index.
struct Server {
    /// The annotation of the configuration Secret about rejections.
    recorded: Option<String>,
    /// A Secret that does not exist.
    absent: Option<&'static str>,
    /// Whether a Secret has another version in each answer.
    changes_always: bool,
    answers: AtomicU64,
    index: Index,
    /// The stores of the index.
    stores: Stores,
    asked: Mutex<Vec<(String, Vec<Key>)>>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            recorded: None,
            absent: None,
            changes_always: false,
            answers: AtomicU64::default(),
            index: Index::new(OfAlertmanager::DECLARATION, None),
            stores: no_stores(),
            asked: Mutex::default(),
        }
    }
}

impl Server {
    fn answer(&self, path: &str) -> Option<Value> {
        let name = path.strip_prefix("/api/v1/namespaces/a/secrets/")?;
        self.asked.lock().unwrap().push((name.to_owned(), self.readers(name)));
        let number = self.answers.fetch_add(1, Ordering::Relaxed);
        let version = if self.changes_always { number.to_string() } else { "1".to_owned() };
        let mut metadata = json!({"namespace": "a", "name": name, "resourceVersion": version});
        if name == "alertmanager-w-generated" {
            metadata["annotations"] = json!({ANNOTATION: self.recorded.as_ref()?});
        } else if !name.starts_with("url-") || self.absent == Some(name) {
            return None;
        }
        Some(
            json!({"metadata": metadata, "data": {"url": ByteString(format!("http://{name}").into_bytes())}}),
        )
    }

    /// The workloads that read a Secret according to the index.
    fn readers(&self, secret: &str) -> Vec<Key> {
        let secret = object(kinds::SECRET, &json!({"metadata": {"namespace": "a", "name": secret}}));
        self.index.concerned(kinds::SECRET, &secret, &self.stores)
    }

    /// The requests since the last call.
    fn asked(&self) -> Vec<(String, Vec<Key>)> {
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.sort();
        asked
    }
}

/// Passes of one Alertmanager.
struct Passes {
    server: Arc<Server>,
    operator: WorkloadOperator<OfAlertmanager>,
    memory: Memory,
}

impl Passes {
    fn new(server: Server) -> Self {
        let server = Arc::new(server);
        Self { operator: operator(&server), server, memory: Memory::default() }
    }

    /// The URLs that the Alertmanager notifies after a pass.
    async fn notified(&mut self, stores: &Stores) -> Vec<String> {
        let (key, now) = (key(), Timestamp::UNIX_EPOCH);
        let resource = serde_json::from_value(alertmanager()).unwrap();
        let cluster = Cluster::new(stores, &key, &self.server.index);
        let gathering = self.operator.gather(&resource, cluster, &mut self.memory, now);
        let inputs = Box::pin(gathering).await.unwrap();
        let valid = self.operator.validate(&resource, &inputs).unwrap();
        let plan = self.operator.plan(&valid, &inputs, &mut self.memory, now).unwrap();
        let text = plan.course.planned.unwrap().configuration.unwrap().text();
        text.lines().filter_map(|line| line.trim().strip_prefix("- url: ")).map(str::to_owned).collect()
    }
}

fn operator(server: &Arc<Server>) -> WorkloadOperator<OfAlertmanager> {
    let answers = Arc::clone(server);
    let service = tower::service_fn(move |request: Request<Body>| {
        let not_found = || json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"});
        let found = answers.answer(request.uri().path());
        let code = if found.is_some() { 200 } else { 404 };
        let body = Body::from(found.unwrap_or_else(not_found).to_string().into_bytes());
        std::future::ready(Response::builder().status(code).body(body).map_err(BoxError::from))
    });
    let settings = MonitoringSettings {
        operator: OperatorConfig::default(),
        offers: Offers::default(),
        unmanaged: true,
        daemon_sets: false,
        bindings: false,
        reloader_at_once: false,
        controller_id: String::new(),
        pace: PaceSettings::default(),
        repair: RepairPolicy::Failing,
    };
    WorkloadOperator::new(Client::new(service, "default"), Arc::new(settings))
}

fn key() -> Key {
    Key::new("a", "w")
}

fn alertmanager() -> Value {
    json!({"metadata": {"namespace": "a", "name": "w"}, "spec": {"alertmanagerConfigSelector": {}}})
}

fn no_stores() -> Stores {
    Stores::new(&[OfAlertmanager::DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into())
}

/// An Alertmanager without pods, and one AlertmanagerConfig that notifies so many URLs, each from a Secret. Secrets are not
/// watched.
fn stores(secrets: usize) -> Stores {
    let webhooks: Vec<Value> =
        (0..secrets).map(|at| json!({"urlSecret": {"name": format!("url-{at}"), "key": "url"}})).collect();
    let config = json!({
        "metadata": {"namespace": "a", "name": "c", "uid": "c", "generation": secrets + 1},
        "spec": {"route": {"receiver": "r"}, "receivers": [{"name": "r", "webhookConfigs": webhooks}]},
    });
    let stores = no_stores();
    list(&stores, kinds::ALERTMANAGER, Some(&alertmanager()));
    list(&stores, kinds::ALERTMANAGER_CONFIG, Some(&config));
    list(&stores, kinds::POD, None);
    stores
}

fn object(kind: Kind, object: &Value) -> Object {
    Object::new(serde_json::from_value(object.clone()).unwrap(), &kind.resource())
}

/// Lists all objects of a kind.
fn list(stores: &Stores, kind: Kind, all: Option<&Value>) {
    let listed = all.map(|one| Event::Listed(object(kind, one)));
    let mut partition = stores.partition(kind, "a").unwrap().write();
    for event in [Event::Begin].into_iter().chain(listed).chain([Event::Complete]) {
        partition.see(event);
    }
}

fn urls(secrets: usize) -> Vec<String> {
    (0..secrets).map(|at| format!("http://url-{at}")).collect()
}

/// The requests of a pass: each object once.
fn once(secrets: usize) -> Vec<(String, Vec<Key>)> {
    let names = (0..secrets).map(|at| format!("url-{at}")).chain(["alertmanager-w".to_owned()]);
    let mut all: Vec<(String, Vec<Key>)> = names.map(|name| (name, vec![key()])).collect();
    all.sort();
    all
}

/// The requests of the first pass: it also reads what was written last, which is not in the index.
fn at_first(secrets: usize) -> Vec<(String, Vec<Key>)> {
    let mut all = once(secrets);
    all.push(("alertmanager-w-generated".to_owned(), Vec::new()));
    all.sort();
    all
}

#[tokio::test]
async fn the_first_plan_is_complete_and_each_secret_is_read_once_in_a_pass() {
    let (mut passes, stores) = (Passes::new(Server::default()), stores(12));
    assert_eq!(passes.notified(&stores).await, urls(12));
    assert_eq!(passes.server.asked(), at_first(12));
    // They are not watched, so the next pass reads them again.
    assert_eq!(passes.notified(&stores).await, urls(12));
    assert_eq!(passes.server.asked(), once(12));
}

#[tokio::test]
async fn references_after_a_missing_one_are_read_in_the_same_pass() {
    let server = Server { absent: Some("url-0"), ..Server::default() };
    let (mut passes, stores) = (Passes::new(server), stores(12));
    assert_eq!(passes.notified(&stores).await, Vec::<String>::new());
    assert_eq!(passes.server.asked(), at_first(12));
}

#[tokio::test]
async fn unreferenced_secrets_have_no_readers() {
    let mut passes = Passes::new(Server::default());
    passes.notified(&stores(2)).await;
    passes.notified(&stores(1)).await;
    let readers = ["url-0", "url-1"].map(|name| passes.server.readers(name));
    assert_eq!(readers, [vec![key()], vec![]]);
}

#[tokio::test]
async fn a_corrected_resource_is_included_again_without_a_watch_of_secrets() {
    let state = ResourceState { uid: "c".into(), generation: 1, read: String::new() };
    let rejection = Rejection { state, operand: OperandState::default(), message: "bad".into() };
    let rejected: Rejections =
        [(ResourceRef::new(SelectableKind::AlertmanagerConfig, "a", "c"), rejection)].into_iter().collect();
    let mut passes = Passes::new(Server { recorded: rejected.annotation(), ..Server::default() });
    assert_eq!(passes.notified(&stores(1)).await, urls(1));
    assert_eq!(*passes.memory.rejections.rejections(), Rejections::default());
}

#[tokio::test]
async fn a_secret_that_changes_all_the_time_is_read_once_in_a_pass() {
    let mut passes = Passes::new(Server { changes_always: true, ..Server::default() });
    let stores = stores(1);
    let outline = json!({"metadata": {"namespace": "a", "name": "url-0", "resourceVersion": "of old"}});
    list(&stores, kinds::SECRET, Some(&outline));
    assert_eq!(passes.notified(&stores).await, urls(1));
    assert_eq!(passes.server.asked(), at_first(1));
}
