//! A stand-in for the HTTP API of the instances. One server implements all of them and distinguishes them by the host of a
//! request, `NAME-0.SERVICE.NAMESPACE.svc`.

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

/// An instance: its namespace and the name of its pod.
type Name = (String, String);

/// One instance and its data.
#[derive(Debug, Clone, Default)]
struct Instance {
    /// The UID of the running pod, if any.
    running: Option<String>,
    /// The version of the data.
    data: String,
    /// The version of the data when the instance started.
    opened: String,
    /// Whether writes wait.
    held: bool,
}

/// A fault of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFault {
    /// It fails, and nothing is done.
    Refused,
    /// It is executed, and the response says that it failed.
    AnswerLost,
}

/// The calls to the instances of one namespace.
#[derive(Debug, Clone, Copy, Default)]
struct Calls {
    count: u64,
    fault: Option<(u64, CallFault)>,
    /// Whether the fault occurred.
    disturbed: bool,
}

/// The state of all instances, shared by the server and the stand-in for the kubelet. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Instances {
    /// The address of all of them.
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
            // An error shows as plans that fail.
            let _ = axum::serve(listener, router).await;
        };
        Ok((instances, serving))
    }

    /// The number of calls to the instances of a namespace.
    pub fn calls(&self, namespace: &str) -> u64 {
        self.counted().get(namespace).map_or(0, |calls| calls.count)
    }

    /// Makes the n-th call from now on to the instances of a namespace fail.
    pub fn disturb(&self, namespace: &str, nth: u64, fault: CallFault) {
        let mut counted = self.counted();
        let calls = counted.entry(namespace.into()).or_default();
        (calls.fault, calls.disturbed) = (Some((calls.count + nth, fault)), false);
    }

    /// Whether the call that was to fail did.
    pub fn was_disturbed(&self, namespace: &str) -> bool {
        self.counted().get(namespace).is_some_and(|calls| calls.disturbed)
    }

    fn counted(&self) -> MutexGuard<'_, HashMap<String, Calls>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call to a namespace, and returns its fault.
    fn count(&self, namespace: &str) -> Option<CallFault> {
        let mut counted = self.counted();
        let calls = counted.entry(namespace.into()).or_default();
        calls.count += 1;
        let fault = calls.fault.filter(|(nth, _)| *nth == calls.count).map(|(_, fault)| fault);
        calls.disturbed |= fault.is_some();
        fault
    }

    /// A pod got its status.
    pub(super) fn pod_started(&self, pod: &Value, status: &Value) {
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

    /// A pod was deleted.
    pub(super) fn pod_deleted(&self, pod: &Value) {
        if let Some(instance) = self.known().get_mut(&name(pod))
            && instance.running.as_deref() == pod["metadata"]["uid"].as_str()
        {
            instance.running = None;
        }
    }

    /// A Job has migrated the data of the claim that it mounts, `VOLUME-POD`, to another version.
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
            Some(CallFault::Refused) => failure,
            Some(CallFault::AnswerLost) => {
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
