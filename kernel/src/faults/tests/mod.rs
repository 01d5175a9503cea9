//! The layer, with a stand-in for the server.

#![expect(clippy::disallowed_methods, reason = "a test plays the caller")]

mod watches;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt, stream};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, PostParams, Preconditions};
use kube::client::Body;
use kube::{Api, Client, Config};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower::{BoxError, Layer, service_fn};

use super::stream::Answer;
use super::*;
use crate::call::{Call, Verb};

/// A server that records requests. The test sends the events of its watches.
#[derive(Clone, Default)]
struct Server {
    seen: Arc<Mutex<Vec<String>>>,
    watches: Arc<Mutex<Vec<mpsc::UnboundedSender<Bytes>>>>,
}

impl Server {
    fn answer(&self, call: &Call) -> Response<Answer> {
        self.seen.lock().unwrap().push(call.describe());
        if call.verb == Verb::Watch {
            let (sender, receiver) = mpsc::unbounded_channel();
            self.watches.lock().unwrap().push(sender);
            let events = stream::unfold(receiver, |mut receiver| async move {
                Some((Ok::<_, BoxError>(http_body::Frame::data(receiver.recv().await?)), receiver))
            });
            return Response::new(BodyExt::boxed_unsync(http_body_util::StreamBody::new(events)));
        }
        let list = json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "5"}, "items": []});
        let object = if call.verb == Verb::List { list } else { config("a", "5") };
        let body = Full::new(Bytes::from(object.to_string())).map_err(|never| match never {});
        Response::new(body.boxed_unsync())
    }

    fn client(&self, script: &Script) -> Client {
        let server = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let call = Call::of(request.method(), request.uri(), None);
            let answer = server.answer(&call);
            async move { Ok::<_, BoxError>(answer) }
        });
        Client::new(script.layer().layer(service), "d")
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// Sends an event to every watch.
    fn send(&self, name: &str, version: &str) {
        let line = format!("{}\n", json!({"type": "ADDED", "object": config(name, version)}));
        for watch in self.watches.lock().unwrap().iter() {
            let _ = watch.send(Bytes::from(line.clone()));
        }
    }
}

fn config(name: &str, version: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "d", "resourceVersion": version},
    })
}

fn start() -> (Server, Script, Api<ConfigMap>) {
    let (server, script) = (Server::default(), Script::default());
    let api = Api::default_namespaced(server.client(&script));
    (server, script, api)
}

fn one(name: &str) -> ConfigMap {
    serde_json::from_value(config(name, "")).unwrap()
}

fn on_write(number: u64, fault: Fault) -> FaultRule {
    FaultRule { calls: Calls::writes(), hits: Hits::Nth(number), fault }
}

async fn create(api: &Api<ConfigMap>) -> Result<ConfigMap, kube::Error> {
    api.create(&PostParams::default(), &one("a")).await
}

/// The status code of an error; 0 if the request succeeded.
fn code<T>(result: &Result<T, kube::Error>) -> u16 {
    match result {
        Ok(_) => 0,
        Err(kube::Error::Api(status)) => status.code,
        Err(other) => panic!("not an answer of the server: {other}"),
    }
}

#[tokio::test]
async fn a_refusal_reaches_the_caller_and_not_the_server() {
    let (server, script, api) = start();
    for (index, refusal) in (1..).zip(Refusal::ALL) {
        script.add(on_write(index, Fault::Refused(refusal)));
    }
    for refusal in Refusal::ALL {
        assert_eq!(code(&create(&api).await), refusal.code());
    }
    assert_eq!(server.seen().len(), 0);
    assert_eq!(code(&create(&api).await), 0);
    let trace = script.trace();
    assert_eq!(trace.0.len(), 8);
    assert_eq!(
        (trace.0[0].status, trace.0[0].fault, trace.0[0].sent),
        (Some(403), Some("refused-403"), false)
    );
    assert_eq!(trace.writes().map(|entry| entry.number).collect::<Vec<_>>(), [8]);
}

#[tokio::test]
async fn a_lost_answer_is_an_error_after_the_write() {
    let (server, script, api) = start();
    script.add(on_write(1, Fault::AnswerLost));
    assert!(matches!(create(&api).await, Err(kube::Error::Service(_))));
    assert_eq!(server.seen(), ["create configmaps d/"]);
    let trace = script.trace();
    assert!(trace.0[0].wrote());
    assert_eq!(trace.0[0].body.as_ref().unwrap()["metadata"]["name"], "a");
    assert_eq!(code(&create(&api).await), 0);
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_no_request_is_answered() {
    for (fault, sent) in [(Fault::CrashBefore, 1), (Fault::CrashAfter, 2)] {
        let (server, script, api) = start();
        script.add(on_write(2, fault));
        create(&api).await.unwrap();
        let other = api.clone();
        let process = async { drop(create(&other).await) };
        tokio::select! {
            () = process => panic!("a crashed process got an answer"),
            () = script.crashed() => {}
        }
        let reading = tokio::time::timeout(Duration::from_hours(1), api.get("a")).await;
        assert!(reading.is_err(), "a crashed process gets no answer");
        assert_eq!(server.seen().len(), sent);

        script.restart();
        let next: Api<ConfigMap> = Api::default_namespaced(server.client(&script));
        next.get("a").await.unwrap();
        assert!(api.get("a").now_or_never().is_none(), "the old client gets no answers");
        let lives: Vec<u64> = script.trace().0.iter().map(|entry| entry.life).collect();
        assert_eq!(lives, [1, 1, 2]);
    }
}

#[tokio::test]
async fn an_answer_can_be_truncated() {
    let (_, script, api) = start();
    script.add(FaultRule { calls: Calls::matching(|_| true), hits: Hits::Nth(1), fault: Fault::Truncated });
    assert!(matches!(api.get("a").await, Err(kube::Error::SerdeError(_))));
    assert!(api.get("a").await.is_ok());
}

#[tokio::test]
async fn preconditions_are_in_the_trace() {
    let (_, script, api) = start();
    let uid = Preconditions { uid: Some("u".into()), resource_version: None };
    let _ = api.delete("a", &DeleteParams { preconditions: Some(uid), ..DeleteParams::default() }).await;
    let _ =
        api.replace("a", &PostParams::default(), &serde_json::from_value(config("a", "3")).unwrap()).await;
    let trace = script.trace();
    assert_eq!(trace.0[0].preconditions.uid.as_deref(), Some("u"));
    assert_eq!(trace.0[1].preconditions.resource_version.as_deref(), Some("3"));
}

#[tokio::test]
async fn the_client_does_not_retry() {
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    // Busy three times.
    let server = move || {
        let busy = count.fetch_add(1, Ordering::SeqCst) < 3;
        let status = json!({"kind": "Status", "status": "Failure", "message": "busy", "code": 503});
        let (code, body) = if busy { (503, status) } else { (200, config("a", "5")) };
        let code = StatusCode::from_u16(code).unwrap();
        async move { (code, body.to_string()) }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut running = tokio::task::JoinSet::new();
    running.spawn(async move { axum::serve(listener, axum::Router::new().fallback(server)).await });
    let config = Config::new(format!("http://{address}").parse().unwrap());
    assert!(config.default_retry, "kube retries by default");

    let script = Script::default();
    let api: Api<ConfigMap> = Api::default_namespaced(client(config.clone(), &script).unwrap());
    assert_eq!(code(&api.get("a").await), 503);
    assert_eq!((requests.load(Ordering::SeqCst), script.trace().0.len()), (1, 1));

    let retrying: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config).unwrap());
    assert_eq!(code(&retrying.get("a").await), 0);
    assert_eq!(requests.load(Ordering::SeqCst), 4, "one call sends three requests");
}
