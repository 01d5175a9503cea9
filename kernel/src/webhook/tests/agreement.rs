//! Replicas that share a Secret and registrations. A stand-in for the API server detects write conflicts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base64::Engine;
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use kube::client::Body;
use kube::{Api, Client};
use tokio::task::yield_now;
use tower::{BoxError, service_fn};

use super::*;

/// Objects by path, each with a version.
#[derive(Clone, Default)]
struct Objects(Arc<Mutex<BTreeMap<String, (u64, Value)>>>);

impl Objects {
    fn client(&self) -> Client {
        let objects = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let objects = objects.clone();
            async move {
                let (parts, body) = request.into_parts();
                let bytes = body.collect().await?.to_bytes();
                // Another replica may write in between.
                yield_now().await;
                let object = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
                let (code, answer) = objects.answer(&parts.method, parts.uri.path(), object);
                let mut response = Response::new(Full::new(Bytes::from(answer.to_string())));
                *response.status_mut() = StatusCode::from_u16(code)?;
                Ok::<_, BoxError>(response)
            }
        });
        Client::new(service, "d")
    }

    fn answer(&self, method: &Method, path: &str, mut object: Value) -> (u16, Value) {
        let failure = |code: u16| {
            let reason = if code == 404 { "NotFound" } else { "Conflict" };
            (code, json!({"kind": "Status", "status": "Failure", "reason": reason, "code": code}))
        };
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let key = if *method == Method::POST { format!("{path}/{name}") } else { path.to_owned() };
        let read = object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned();
        let mut objects = self.0.lock().unwrap();
        let present = objects.get(&key).cloned();
        match (method.as_str(), present) {
            ("GET", Some((_, object))) => (200, object),
            ("GET", None) => failure(404),
            ("POST", Some(_)) => failure(409),
            (_, Some((version, _))) if read != version.to_string() => failure(409),
            (_, present) => {
                let version = present.map_or(1, |(version, _)| version + 1);
                object["metadata"]["resourceVersion"] = version.to_string().into();
                objects.insert(key, (version, object.clone()));
                (200, object)
            }
        }
    }

    fn writes(&self) -> u64 {
        self.0.lock().unwrap().values().map(|(version, _)| version).sum()
    }

    fn put(&self, path: &str, object: Value) {
        self.0.lock().unwrap().insert(path.into(), (0, object));
    }
}

fn store(objects: &Objects) -> CertificateStore {
    CertificateStore {
        api: Api::default_namespaced(objects.client()),
        name: "certificates".into(),
        wanted: wanted(),
    }
}

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(day * 24 * 3600).unwrap()
}

#[tokio::test]
async fn replicas_agree_on_one_bundle() {
    let objects = Objects::default();
    let (one, other) = (store(&objects), store(&objects));
    let (first, second) = tokio::join!(one.settle(at(20_000)), other.settle(at(20_000)));
    let ((first, until), (second, _)) = (first.unwrap(), second.unwrap());
    assert_eq!(first, second);
    assert_eq!(objects.writes(), 1);
    assert_eq!(one.settle(at(20_030)).await.unwrap(), (first.clone(), until));
    assert_eq!(objects.writes(), 1, "nothing is due, nothing is written");

    let (renewed, again) = tokio::join!(one.settle(at(20_080)), other.settle(at(20_080)));
    let (renewed, again) = (renewed.unwrap().0, again.unwrap().0);
    assert_eq!(renewed, again);
    assert_eq!(renewed.authority, first.authority);
    assert_ne!(renewed.serving, first.serving);
    assert_eq!(objects.writes(), 2);
}

#[tokio::test]
async fn an_empty_or_damaged_secret_is_written_again() {
    for data in [json!(null), json!({"tls.crt": "bm9uc2Vuc2U="})] {
        let objects = Objects::default();
        let metadata = json!({"name": "certificates", "resourceVersion": "0", "labels": {"a": "b"}});
        let path = "/api/v1/namespaces/d/secrets/certificates";
        objects.put(path, json!({"metadata": metadata, "type": "Opaque", "data": data}));
        store(&objects).settle(at(20_000)).await.unwrap();
        let stored = objects.0.lock().unwrap()[path].1.clone();
        assert_eq!(stored["metadata"]["labels"], json!({"a": "b"}), "fields of other writers are kept");
        assert_eq!(stored["data"].as_object().unwrap().len(), 4);
    }
}

#[tokio::test]
async fn registrations_get_an_authority_before_its_certificate_is_presented() {
    let objects = Objects::default();
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ours";
    let webhooks =
        json!([{"name": "a.b.c", "clientConfig": {"url": "https://localhost"}, "unknown": "kept"}]);
    let meta = json!({"name": "ours", "resourceVersion": "0"});
    objects.put(path, json!({"metadata": meta, "webhooks": webhooks}));
    let targets =
        vec![InjectionTarget::Validating("ours".into()), InjectionTarget::Conversion("missing".into())];
    let mut rotation = Rotation::new(objects.client(), store(&objects), targets, Presented::default());
    let mut notices = Vec::new();
    let mut notify = |notice: RotationNotice| notices.push(format!("{notice:?}"));
    rotation.refresh(at(20_000), &mut notify).await.unwrap();
    let writes = objects.writes();
    rotation.refresh(at(20_001), &mut notify).await.unwrap();
    assert_eq!(objects.writes(), writes, "nothing changed, nothing is written");
    let absent = "Absent(Conversion(\"missing\"))";
    assert_eq!(notices, ["Injected(Validating(\"ours\"))", absent, "Presented", absent]);
    let webhook = objects.0.lock().unwrap()[path].1["webhooks"][0].clone();
    assert_eq!(webhook["unknown"], "kept");
    let trusted = store(&objects).settle(at(20_001)).await.unwrap().0.trusted();
    let expected = base64::engine::general_purpose::STANDARD.encode(trusted);
    assert_eq!(webhook["clientConfig"]["caBundle"], expected);
}
