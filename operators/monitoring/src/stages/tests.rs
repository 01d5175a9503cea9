//! What a pass reads for a workload, how often, and whether its reads are in the index by then.

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
use crate::loaded::pace;
use crate::rejections::operand::OperandState;
use crate::rejections::record::{ANNOTATION, Rejection, Rejections, ResourceState};
use crate::rejections::resource::ResourceRef;
use crate::workload::operator::OperatorConfig;

/// A server, and what it was asked for: the name of each Secret, and which workloads the index knew to read it.
struct Server {
    /// The annotation of the configuration Secret about rejections.
    recorded: Option<String>,
    /// A Secret that is not there.
    absent: Option<&'static str>,
    /// Whether a Secret is another one whenever it is looked at.
    is_restless: bool,
    looks: AtomicU64,
    index: Index,
    /// The index needs some to look through.
    stores: Stores,
    asked: Mutex<Vec<(String, Vec<Key>)>>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            recorded: None,
            absent: None,
            is_restless: false,
            looks: AtomicU64::default(),
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
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let version = if self.is_restless { look.to_string() } else { "1".to_owned() };
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

    /// The workloads that the index knows to read a Secret.
    fn readers(&self, secret: &str) -> Vec<Key> {
        let secret = object(kinds::SECRET, &json!({"metadata": {"namespace": "a", "name": secret}}));
        self.index.concerned(kinds::SECRET, &secret, &self.stores)
    }

    /// What it was asked for since it was last looked at.
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

    /// Whom the Alertmanager notifies after a pass.
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
        let gone = || json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"});
        let found = answers.answer(request.uri().path());
        let code = if found.is_some() { 200 } else { 404 };
        let body = Body::from(found.unwrap_or_else(gone).to_string().into_bytes());
        std::future::ready(Response::builder().status(code).body(body).map_err(BoxError::from))
    });
    let settings = Settings {
        operator: OperatorConfig::default(),
        offers: Offers::default(),
        unmanaged: true,
        daemon_sets: false,
        bindings: false,
        reloader_at_once: false,
        controller_id: String::new(),
        pace: pace::Settings::default(),
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

/// An Alertmanager without pods, and one AlertmanagerConfig that notifies so many, each named in a Secret. No watch tells
/// of Secrets.
fn stores(secrets: usize) -> Stores {
    let webhooks: Vec<Value> =
        (0..secrets).map(|at| json!({"urlSecret": {"name": format!("url-{at}"), "key": "url"}})).collect();
    let config = json!({
        "metadata": {"namespace": "a", "name": "c", "uid": "c", "generation": secrets + 1},
        "spec": {"route": {"receiver": "r"}, "receivers": [{"name": "r", "webhookConfigs": webhooks}]},
    });
    let stores = no_stores();
    see(&stores, kinds::ALERTMANAGER, Some(&alertmanager()));
    see(&stores, kinds::ALERTMANAGER_CONFIG, Some(&config));
    see(&stores, kinds::POD, None);
    stores
}

fn object(kind: Kind, object: &Value) -> Object {
    Object::new(serde_json::from_value(object.clone()).unwrap(), &kind.resource())
}

/// All that there is of a kind is listed.
fn see(stores: &Stores, kind: Kind, all: Option<&Value>) {
    let listed = all.map(|one| Event::Listed(object(kind, one)));
    let mut partition = stores.partition(kind, "a").unwrap().write();
    for event in [Event::Begin].into_iter().chain(listed).chain([Event::Complete]) {
        partition.see(event);
    }
}

fn urls(secrets: usize) -> Vec<String> {
    (0..secrets).map(|at| format!("http://url-{at}")).collect()
}

/// What a pass asks for, each once.
fn once(secrets: usize) -> Vec<(String, Vec<Key>)> {
    let names = (0..secrets).map(|at| format!("url-{at}")).chain(["alertmanager-w".to_owned()]);
    let mut all: Vec<(String, Vec<Key>)> = names.map(|name| (name, vec![key()])).collect();
    all.sort();
    all
}

/// What the first pass asks for: also what was written last is looked at, and no reader is known for that.
fn at_first(secrets: usize) -> Vec<(String, Vec<Key>)> {
    let mut all = once(secrets);
    all.push(("alertmanager-w-generated".to_owned(), Vec::new()));
    all.sort();
    all
}

#[tokio::test]
async fn the_first_plan_is_whole_and_each_secret_is_read_once_in_a_pass() {
    let (mut passes, stores) = (Passes::new(Server::default()), stores(12));
    assert_eq!(passes.notified(&stores).await, urls(12));
    assert_eq!(passes.server.asked(), at_first(12));
    // No watch tells of them, so the next pass asks again.
    assert_eq!(passes.notified(&stores).await, urls(12));
    assert_eq!(passes.server.asked(), once(12));
}

#[tokio::test]
async fn what_comes_after_a_missing_secret_is_read_in_the_same_pass() {
    let server = Server { absent: Some("url-0"), ..Server::default() };
    let (mut passes, stores) = (Passes::new(server), stores(12));
    assert_eq!(passes.notified(&stores).await, Vec::<String>::new());
    assert_eq!(passes.server.asked(), at_first(12));
}

#[tokio::test]
async fn what_is_no_longer_pointed_to_has_no_readers() {
    let mut passes = Passes::new(Server::default());
    passes.notified(&stores(2)).await;
    passes.notified(&stores(1)).await;
    let readers = ["url-0", "url-1"].map(|name| passes.server.readers(name));
    assert_eq!(readers, [vec![key()], vec![]]);
}

#[tokio::test]
async fn a_refused_one_that_was_mended_is_taken_again_though_no_watch_tells_of_secrets() {
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
    let mut passes = Passes::new(Server { is_restless: true, ..Server::default() });
    let stores = stores(1);
    let outline = json!({"metadata": {"namespace": "a", "name": "url-0", "resourceVersion": "of old"}});
    see(&stores, kinds::SECRET, Some(&outline));
    assert_eq!(passes.notified(&stores).await, urls(1));
    assert_eq!(passes.server.asked(), at_first(1));
}
