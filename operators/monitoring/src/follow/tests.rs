//! What is read for a workload, how often, and whether its readers are known by then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::loaded::operand::Operand;
use crate::loaded::pace;
use crate::loaded::subject::{Kind as Subjects, Subject};
use crate::loaded::verdicts::{ANNOTATION, Refusal, Stamp, Verdicts};
use crate::rollout::Policy;
use crate::workload::operator::OperatorConfig;
use http::{Request, Response};
use k8s_openapi::ByteString;
use kernel::object::Object;
use kernel::store::Event;
use kernel::stores::Namespaces;
use kube::Client;
use kube::client::Body;
use monitoring_assets::Source;
use monitoring_scrape::Offers;
use serde_json::json;
use tower::BoxError;

use super::*;
use crate::OfAlertmanager;
use crate::bindings::Found;
use crate::settings::Settings;
use crate::shared::{Readers, Shared};

/// A server, and what it was asked for: the name of each Secret, and who was known to read it.
#[derive(Default)]
struct Server {
    /// What is written beside the configuration about what is refused.
    refused: Option<String>,
    /// Whether a Secret is another one whenever it is looked at.
    is_restless: bool,
    looks: AtomicU64,
    readers: Arc<Readers>,
    asked: Mutex<Vec<(String, Vec<Key>)>>,
}

impl Server {
    fn answer(&self, path: &str) -> Option<Value> {
        let name = path.strip_prefix("/api/v1/namespaces/a/secrets/")?;
        let reference = Reference { source: Source::Secret, namespace: "a".into(), name: name.into() };
        held(&self.asked).push((name.to_owned(), self.readers.of(&reference)));
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let version = if self.is_restless { look.to_string() } else { "1".to_owned() };
        let mut metadata = json!({"namespace": "a", "name": name, "resourceVersion": version});
        if name == "alertmanager-w-generated" {
            metadata["annotations"] = json!({ANNOTATION: self.refused.as_ref()?});
        } else if !name.starts_with("url-") {
            return None;
        }
        Some(
            json!({"metadata": metadata, "data": {"url": ByteString(format!("http://{name}").into_bytes())}}),
        )
    }

    /// What it was asked for since it was last looked at.
    fn asked(&self) -> Vec<(String, Vec<Key>)> {
        let mut asked = std::mem::take(&mut *held(&self.asked));
        asked.sort();
        asked
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
        repair: Policy::Careful,
    };
    let client = Client::new(service, "default");
    let shared = Shared { client, settings: Arc::new(settings), monitored: None };
    WorkloadOperator::new(shared, Arc::clone(&server.readers), Arc::new(Found::default()))
}

/// All that is known: one AlertmanagerConfig that tells so many, each in a Secret. Nobody tells of Secrets.
fn stores(secrets: usize) -> Stores {
    let tells: Vec<Value> =
        (0..secrets).map(|at| json!({"urlSecret": {"name": format!("url-{at}"), "key": "url"}})).collect();
    let config = json!({
        "metadata": {"namespace": "a", "name": "c", "uid": "c", "generation": secrets + 1},
        "spec": {"route": {"receiver": "r"}, "receivers": [{"name": "r", "webhookConfigs": tells}]},
    });
    let stores = Stores::new(&[&crate::ALERTMANAGER], "test", &Namespaces::AllBut(Vec::new()).into());
    see(&stores, kinds::ALERTMANAGER_CONFIG, &config);
    stores
}

fn see(stores: &Stores, kind: Kind, object: &Value) {
    let object = Object::new(serde_json::from_value(object.clone()).unwrap(), &kind.resource());
    let mut partition = stores.partition(kind, "a").unwrap().write();
    for event in [Event::Begin, Event::Listed(object), Event::Complete] {
        partition.see(event);
    }
}

fn key() -> Key {
    Key::new("a", "w")
}

/// Whom an Alertmanager tells after a pass.
async fn told(
    operator: &WorkloadOperator<OfAlertmanager>,
    stores: &Stores,
) -> Result<Vec<String>, PassError> {
    let resource =
        json!({"metadata": {"namespace": "a", "name": "w"}, "spec": {"alertmanagerConfigSelector": {}}});
    let resource = serde_json::from_value(resource).unwrap();
    let (planned, _) = operator.follow(&resource, &key(), stores).await?;
    let text = planned.unwrap().configuration.unwrap().text();
    Ok(text.lines().filter_map(|line| line.trim().strip_prefix("- url: ")).map(str::to_owned).collect())
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

#[tokio::test]
async fn the_first_plan_is_whole_and_each_secret_is_read_once_in_a_pass() {
    let server = Arc::new(Server::default());
    let (operator, stores) = (operator(&server), stores(12));
    assert_eq!(told(&operator, &stores).await.unwrap(), urls(12));
    let mut first = server.asked();
    // What an earlier process knew is asked for once, and nobody reads it.
    first.retain(|(name, readers)| (name.as_str(), readers.len()) != ("alertmanager-w-generated", 0));
    assert_eq!(first, once(12));
    // Nobody tells of them, so the next pass asks again.
    assert_eq!(told(&operator, &stores).await.unwrap(), urls(12));
    assert_eq!(server.asked(), once(12));
}

#[tokio::test]
async fn what_is_no_longer_pointed_to_has_no_readers() {
    let server = Arc::new(Server::default());
    let operator = operator(&server);
    told(&operator, &stores(2)).await.unwrap();
    told(&operator, &stores(1)).await.unwrap();
    let readers = |name: &str| {
        server.readers.of(&Reference { source: Source::Secret, namespace: "a".into(), name: name.into() })
    };
    assert_eq!([readers("url-0"), readers("url-1")], [vec![key()], vec![]]);
}

#[tokio::test]
async fn a_refused_one_that_was_mended_is_taken_again_though_nobody_tells_of_secrets() {
    let stamp = Stamp { uid: "c".into(), generation: 1, read: String::new() };
    let refusal = Refusal { stamp, operand: Operand::default(), words: "bad".into() };
    let refused: Verdicts =
        [(Subject::new(Subjects::AlertmanagerConfig, "a", "c"), refusal)].into_iter().collect();
    let server = Arc::new(Server { refused: refused.annotation(), ..Server::default() });
    let operator = operator(&server);
    assert_eq!(told(&operator, &stores(1)).await.unwrap(), urls(1));
    assert_eq!(*held(&operator.places.of(&key())).doubt.verdicts(), Verdicts::default());
}

#[tokio::test]
async fn a_plan_that_does_not_come_to_an_end_is_not_used() {
    let server = Arc::new(Server { is_restless: true, ..Server::default() });
    let stores = stores(1);
    see(
        &stores,
        kinds::SECRET,
        &json!({"metadata": {"namespace": "a", "name": "url-0", "resourceVersion": "of old"}}),
    );
    let trouble = told(&operator(&server), &stores).await.unwrap_err();
    let words = "Alertmanager a/w points to what cannot be read to its end: it changes all the time, or one object names \
                 more than 1000 others";
    assert_eq!(trouble.words(), words);
}
