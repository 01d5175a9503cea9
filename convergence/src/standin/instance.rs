//! What instances say about themselves: a stand-in for the HTTP API of the instance that takes the writes. One server
//! plays all of them and tells them apart by the host that is asked for, `NAME-0.SERVICE.NAMESPACE.svc`.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::pod;

/// An instance: namespace and the name of its pod.
type Name = (String, String);

/// One instance and its data.
#[derive(Debug, Clone, Default)]
struct Instance {
    /// The pod that runs; nothing if none does.
    running: Option<String>,
    /// The version of the data.
    data: String,
    /// The version of the data when the instance started.
    opened: String,
    /// Writes wait.
    held: bool,
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// It is refused, and nothing is done.
    Refused,
    /// It is done, and the answer says that it was not.
    AnswerLost,
}

/// The calls to the instances of one namespace.
#[derive(Debug, Clone, Copy, Default)]
struct Calls {
    count: u64,
    mishap: Option<(u64, Mishap)>,
    /// Whether that happened.
    struck: bool,
}

/// The state of all instances, shared by the server and the stand-in for the kubelet. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Instances {
    /// Where all of them answer.
    pub address: SocketAddr,
    known: Arc<Mutex<HashMap<Name, Instance>>>,
    calls: Arc<Mutex<HashMap<String, Calls>>>,
}

impl Instances {
    pub(super) async fn listen() -> Result<(Self, impl Future<Output = ()> + Send + 'static)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let instances =
            Self { address: listener.local_addr()?, known: Arc::default(), calls: Arc::default() };
        let router = Router::new().fallback(answer).with_state(instances.clone());
        let serving = async move {
            // It ends with the run; until then plans would say what it does not answer.
            let _ = axum::serve(listener, router).await;
        };
        Ok((instances, serving))
    }

    /// How many calls there were to the instances of a namespace.
    pub fn calls(&self, namespace: &str) -> u64 {
        self.counted().get(namespace).map_or(0, |calls| calls.count)
    }

    /// The n-th call from now on to the instances of a namespace meets this.
    pub fn disturb(&self, namespace: &str, nth: u64, mishap: Mishap) {
        let mut counted = self.counted();
        let calls = counted.entry(namespace.into()).or_default();
        (calls.mishap, calls.struck) = (Some((calls.count + nth, mishap)), false);
    }

    /// Whether the call that was to be disturbed was.
    pub fn struck(&self, namespace: &str) -> bool {
        self.counted().get(namespace).is_some_and(|calls| calls.struck)
    }

    fn counted(&self) -> MutexGuard<'_, HashMap<String, Calls>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call to a namespace, and says what happens to it.
    fn count(&self, namespace: &str) -> Option<Mishap> {
        let mut counted = self.counted();
        let calls = counted.entry(namespace.into()).or_default();
        calls.count += 1;
        let mishap = calls.mishap.filter(|(nth, _)| *nth == calls.count).map(|(_, mishap)| mishap);
        calls.struck |= mishap.is_some();
        mishap
    }

    /// A pod got a new status.
    pub(super) fn became(&self, pod: &Value, status: &Value) {
        if pod::is_of_job(pod) {
            if status["phase"] == "Succeeded" {
                self.migrated(pod);
            }
            return;
        }
        let (_, tag) = pod::image(pod).rsplit_once(':').unwrap_or_default();
        let mut known = self.known();
        let instance = known.entry(name(pod)).or_default();
        if instance.data.is_empty() {
            instance.data = tag.into();
        }
        instance.opened.clone_from(&instance.data);
        instance.held = false;
        instance.running = pod["metadata"]["uid"].as_str().map(String::from);
    }

    /// A pod is gone.
    pub(super) fn ended(&self, pod: &Value) {
        if let Some(instance) = self.known().get_mut(&name(pod))
            && instance.running.as_deref() == pod["metadata"]["uid"].as_str()
        {
            instance.running = None;
        }
    }

    /// A Job has taken data to another version. Which data: those of the claim that it mounts, `VOLUME-POD`.
    fn migrated(&self, pod: &Value) {
        let claim = pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"].as_str();
        let Some((_, instance)) = claim.and_then(|claim| claim.split_once('-')) else { return };
        let Some(to) = pod::arguments(pod).skip_while(|argument| *argument != "--to").nth(1) else { return };
        let (namespace, _) = name(pod);
        if let Some(instance) = self.known().get_mut(&(namespace, instance.to_owned())) {
            instance.data = to.into();
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Name, Instance>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, host: &str, path: &str) -> (StatusCode, Value) {
        let mut parts = host.split('.');
        let (pod, _service, namespace) = (parts.next(), parts.next(), parts.next());
        let name = (namespace.unwrap_or_default().to_owned(), pod.unwrap_or_default().to_owned());
        let failure = (StatusCode::INTERNAL_SERVER_ERROR, json!({"error": "disturbed by a plan"}));
        match self.count(&name.0) {
            None => self.act(host, &name, path),
            Some(Mishap::Refused) => failure,
            Some(Mishap::AnswerLost) => {
                self.act(host, &name, path);
                failure
            }
        }
    }

    fn act(&self, host: &str, name: &Name, path: &str) -> (StatusCode, Value) {
        let mut known = self.known();
        let Some(instance) = known.get_mut(name).filter(|instance| instance.running.is_some()) else {
            return (StatusCode::BAD_GATEWAY, json!({"error": format!("no pod runs behind {host}")}));
        };
        let moved = instance.opened != instance.data;
        match path {
            "/v1/version" => {
                let writes = match (moved, instance.held) {
                    (true, _) => "moved",
                    (false, true) => "held",
                    (false, false) => "open",
                };
                (StatusCode::OK, json!({"version": instance.opened, "writes": writes}))
            }
            "/internal/hold" | "/internal/release" if moved => (StatusCode::CONFLICT, json!({})),
            "/internal/hold" => {
                instance.held = true;
                (StatusCode::OK, json!({}))
            }
            "/internal/release" => {
                instance.held = false;
                (StatusCode::OK, json!({}))
            }
            _ => (StatusCode::NOT_FOUND, json!({})),
        }
    }
}

fn name(pod: &Value) -> Name {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&pod["metadata"]["namespace"]), text(&pod["metadata"]["name"]))
}

async fn answer(State(instances): State<Instances>, headers: HeaderMap, uri: Uri) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let (status, body) = instances.answer(host, uri.path());
    (status, body.to_string()).into_response()
}
