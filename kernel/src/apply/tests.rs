//! Patches, evictions and statuses of other objects that the server accepts, rejects or denies.

use std::convert::Infallible;
use std::sync::Mutex;

use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Pod};
use kube::client::Body;

use super::*;
use crate::declare::Watched;
use crate::store::Event;
use crate::stores::Namespaces;

const CONFIG_MAP: Kind = Kind::of::<ConfigMap>();
const CLAIM: Kind = Kind::of::<PersistentVolumeClaim>();
const POD: Kind = Kind::of::<Pod>();

const fn watched(kind: Kind, optional: bool) -> Watched {
    Watched {
        kind,
        concerns: |_| None,
        selector: None,
        detail: Detail::Full,
        trim: |_| (),
        optional,
        why: "a test",
    }
}

static DECLARATION: Declaration = Declaration {
    name: "test",
    primary: CONFIG_MAP,
    finalizer: "test",
    owned: &[],
    watched: &[watched(POD, true), watched(CLAIM, true)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

/// The requests, with their bodies.
type Requests = Arc<Mutex<Vec<(String, Value)>>>;

/// A writer whose watches deliver nothing, and a server with only this answer.
fn writer(code: u16, answer: &Value) -> (Writer, Requests) {
    let (requests, answer) = (Requests::default(), answer.to_string());
    let log = Arc::clone(&requests);
    let server = tower::service_fn(move |request: http::Request<Body>| {
        let (log, answer) = (Arc::clone(&log), answer.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect_bytes().await.unwrap();
            let content =
                head.headers.get(http::header::CONTENT_TYPE).and_then(|content| content.to_str().ok());
            let request = format!("{} {} {}", head.method, head.uri.path(), content.unwrap_or_default());
            log.lock().unwrap().push((request, serde_json::from_slice(&body).unwrap()));
            let answer = Body::from(answer.into_bytes());
            Ok::<_, Infallible>(http::Response::builder().status(code).body(answer).unwrap())
        }
    });
    let tools = Tools {
        client: Client::new(server, "n"),
        stores: Stores::new(&[&DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into()),
        manager: "test",
        fence: Arc::new(|| true),
    };
    (Writer::new(&DECLARATION, tools), requests)
}

fn failure(code: u16, message: &str, cause: &Value) -> Value {
    json!({"status": "Failure", "code": code, "reason": "", "message": message, "details": {"causes": [cause]}})
}

fn denial(action: &str) -> Value {
    let message =
        format!("x is forbidden: User \"u\" cannot {action} in API group \"\" in the namespace \"n\"");
    failure(403, &message, &json!({}))
}

fn object(kind: Kind) -> Object {
    named(kind, "a")
}

fn named(kind: Kind, name: &str) -> Object {
    known(kind, name, "1")
}

fn known(kind: Kind, name: &str, uid: &str) -> Object {
    let metadata = json!({"name": name, "namespace": "n", "uid": uid, "resourceVersion": "5"});
    Object::new(serde_json::from_value(json!({"metadata": metadata})).unwrap(), &kind.resource())
}

fn touch(kind: Kind) -> Work {
    let fields = json!({"metadata": {"labels": {"b": "c"}}});
    let touch = Touch { kind, key: Key::new("n", "a"), uid: "1".into(), fields };
    Work { touches: vec![touch], ..Work::default() }
}

fn eviction() -> Work {
    let pod = Deletion { kind: POD, object: Arc::new(object(POD)) };
    Work { evictions: vec![pod], ..Work::default() }
}

async fn carry_out(writer: &Writer, work: &Work) -> Result<Applied, WriteError> {
    writer.carry_out(work, &object(CONFIG_MAP)).await
}

#[tokio::test]
async fn an_unwatched_object_is_patched_by_its_unique_id() {
    let (writer, requests) = writer(200, &json!({"metadata": {"name": "a", "namespace": "n", "uid": "1"}}));
    for _ in 0..2 {
        let applied = carry_out(&writer, &touch(POD)).await.unwrap();
        assert_eq!(applied.written, ["patched Pod n/a"]);
        assert_eq!(applied.done, BTreeSet::from([(POD, Key::new("n", "a"))]));
    }
    let body = json!({"metadata": {"uid": "1", "labels": {"b": "c"}}});
    let request = ("PATCH /api/v1/namespaces/n/pods/a application/merge-patch+json".to_owned(), body);
    assert_eq!(*requests.lock().unwrap(), [request.clone(), request]);
    assert_eq!(writer.stores().get(POD, &Key::new("n", "a")), None, "no event would report that it is gone");
}

#[tokio::test]
async fn an_unwatched_object_may_be_gone() {
    for (code, field) in [(404, ""), (409, ""), (422, "metadata.uid")] {
        let (writer, _) = writer(code, &failure(code, "", &json!({"field": field})));
        let applied = carry_out(&writer, &touch(POD)).await.unwrap();
        assert_eq!((applied.written, applied.done), (Vec::new(), BTreeSet::new()), "{code}");
    }
    let (writer, _) = writer(503, &failure(503, "", &json!({})));
    assert!(matches!(carry_out(&writer, &touch(POD)).await, Err(WriteError::Server { .. })));
}

#[tokio::test]
async fn an_optional_action_without_permission_is_retried_later_and_fails_nothing() {
    for (action, work) in [
        ("patch resource \"persistentvolumeclaims\"", touch(CLAIM)),
        ("create resource \"pods/eviction\"", eviction()),
    ] {
        let (writer, requests) = writer(403, &denial(action));
        for _ in 0..2 {
            let applied = carry_out(&writer, &work).await.unwrap();
            let done = (applied.written, applied.done, applied.kept);
            assert_eq!(done, (Vec::new(), BTreeSet::new(), BTreeMap::new()), "{action}");
        }
        assert_eq!(requests.lock().unwrap().len(), 1, "{action}");
    }
}

#[tokio::test]
async fn a_patch_does_not_contain_the_fields_of_another_patch() {
    let (writer, requests) = writer(200, &json!({"metadata": {"name": "a", "namespace": "n", "uid": "1"}}));
    let mut work = touch(POD);
    let annotation =
        Touch { fields: json!({"metadata": {"annotations": {"d": "e"}}}), ..work.touches[0].clone() };
    work.touches.push(annotation);
    carry_out(&writer, &work).await.unwrap();
    let requests = requests.lock().unwrap();
    assert_eq!(
        requests.iter().map(|(request, _)| request.as_str()).collect::<Vec<_>>(),
        [
            "PATCH /api/v1/namespaces/n/pods/a application/merge-patch+json",
            "PATCH /api/v1/namespaces/n/pods/a application/merge-patch+json",
        ]
    );
    assert_eq!(requests[1].1, json!({"metadata": {"uid": "1", "annotations": {"d": "e"}}}));
}

#[tokio::test]
async fn a_rejected_patch_is_reported_and_not_retried_at_once() {
    let quota =
        "persistentvolumeclaims \"a\" is forbidden: exceeded quota: q, requested: requests.storage=1Gi";
    let fixed = "persistentvolumeclaims \"a\" is forbidden: only dynamically provisioned pvc can be resized and the \
                 storageclass that provisions the pvc must support resize";
    let less = "PersistentVolumeClaim \"a\" is invalid: spec.resources.requests.storage: Forbidden: field can not be \
                less than previous value";
    let webhook = "admission webhook \"w\" denied the request: no";
    for (code, message) in [(403, quota), (403, fixed), (422, less), (400, webhook)] {
        let answer = failure(code, &format!("{message}\n  more of it"), &json!({}));
        let (writer, requests) = writer(code, &answer);
        let work = Work { evictions: eviction().evictions, ..touch(CLAIM) };
        for _ in 0..2 {
            let mut applied = Applied::default();
            // The server rejects the eviction too, which is an error: so the eviction was requested.
            writer.carry_out_into(&mut applied, &work, &object(CONFIG_MAP)).await.unwrap_err();
            assert_eq!((&applied.written, applied.done.len()), (&Vec::new(), 0), "{message}");
            assert_eq!(applied.refused, [(work.touches[0].clone(), message.to_owned())]);
        }
        let patches = |requests: &Requests| {
            requests.lock().unwrap().iter().filter(|(request, _)| request.starts_with("PATCH")).count()
        };
        assert_eq!(patches(&requests), 1, "{message}");
        let other = Touch { fields: json!({"spec": {}}), ..work.touches[0].clone() };
        let applied = carry_out(&writer, &Work { touches: vec![other], ..Work::default() }).await.unwrap();
        assert_eq!((applied.refused.len(), patches(&requests)), (1, 2), "another patch is sent at once");
    }
}

#[tokio::test]
async fn a_rejected_patch_that_is_required_is_an_error_after_the_rest_is_done() {
    let (writer, requests) = writer(403, &failure(403, "no", &json!({})));
    let mut work = touch(CONFIG_MAP);
    work.touches.push(Touch { key: Key::new("n", "b"), ..work.touches[0].clone() });
    for event in [
        Event::Begin,
        Event::Listed(object(CONFIG_MAP)),
        Event::Listed(named(CONFIG_MAP, "b")),
        Event::Complete,
    ] {
        writer.stores().partition(CONFIG_MAP, "n").unwrap().write().see(event);
    }
    work.deletions = vec![Deletion { kind: POD, object: Arc::new(object(POD)) }];
    let refused = carry_out(&writer, &work).await;
    assert!(matches!(refused, Err(WriteError::Server { .. })), "{refused:?}");
    let requests: Vec<String> = requests.lock().unwrap().iter().map(|(request, _)| request.clone()).collect();
    let path = "/api/v1/namespaces/n";
    let merge = "application/merge-patch+json";
    assert_eq!(
        requests,
        [
            format!("PATCH {path}/configmaps/a {merge}"),
            format!("PATCH {path}/configmaps/b {merge}"),
            format!("DELETE {path}/pods/a application/json"),
        ]
    );
}

#[tokio::test]
async fn only_a_granted_eviction_is_done() {
    let needs = "The disruption budget b needs 2 healthy pods and has 2 currently";
    let budget = failure(429, "no", &json!({"reason": "DisruptionBudget", "message": needs}));
    let busy = failure(429, "too many requests", &json!({}));
    let granted = json!({"kind": "Status", "status": "Success", "code": 201});
    let key = || Key::new("n", "a");
    for (code, answer, done, kept) in [
        (201, granted, vec![(POD, key())], vec![]),
        (429, budget, vec![], vec![(key(), needs.to_owned())]),
        (429, busy, vec![], vec![]),
        (404, failure(404, "", &json!({})), vec![], vec![]),
    ] {
        let (writer, requests) = writer(code, &answer);
        let applied = carry_out(&writer, &eviction()).await.unwrap();
        assert_eq!(applied.done, BTreeSet::from_iter(done), "{answer}");
        assert_eq!(applied.kept, BTreeMap::from_iter(kept), "{answer}");
        assert_eq!(requests.lock().unwrap()[0].1["deleteOptions"]["preconditions"], json!({"uid": "1"}));
    }
}

fn foreign_statuses() -> Work {
    let foreign_status = |name: &str| ForeignStatus {
        kind: CLAIM,
        object: Arc::new(known(CLAIM, name, name)),
        status: json!({"phase": "x"}),
    };
    Work { foreign_statuses: vec![foreign_status("a"), foreign_status("b")], ..Work::default() }
}

#[tokio::test]
async fn a_rejected_status_does_not_affect_other_statuses() {
    for (code, is_error, requests_in_two_passes) in [(422, false, 2), (413, false, 2), (500, true, 4)] {
        let (writer, requests) = writer(code, &failure(code, "no", &json!({})));
        for _ in 0..2 {
            assert_eq!(carry_out(&writer, &foreign_statuses()).await.is_err(), is_error, "{code}");
        }
        let requests: Vec<String> =
            requests.lock().unwrap().iter().map(|(request, _)| request.clone()).collect();
        assert_eq!(requests.len(), requests_in_two_passes, "{code}: {requests:?}");
        let both = ["a", "b"].map(|name| {
            let path = format!("/api/v1/namespaces/n/persistentvolumeclaims/{name}/status");
            format!("PATCH {path} application/merge-patch+json")
        });
        assert!(both.iter().all(|one| requests.contains(one)), "{code}: {requests:?}");
    }
}

#[test]
fn a_rejected_write_changed_nothing_and_an_unanswered_one_may_have() {
    let key = Key::new("n", "a");
    let rejected = |code: u16| {
        let status = serde_json::from_value(failure(code, "no", &json!({}))).unwrap();
        let source = Box::new(kube::Error::Api(Box::new(status)));
        Err(WriteError::Server { verb: "replace", kind: "ConfigMap", key: Key::new("n", "a"), source })
    };
    let outdated = Err(WriteError::Outdated { kind: "ConfigMap", key: key.clone() });
    let done = Ok(Arc::new(object(CONFIG_MAP)));
    for (outcome, changed, written) in
        [(done, 1, 1), (rejected(403), 0, 0), (rejected(422), 0, 0), (outdated, 0, 0), (rejected(504), 1, 0)]
    {
        let mut applied = Applied::default();
        let message = format!("{outcome:?}");
        let target = Target { kind: CONFIG_MAP, key: &key };
        let _ = applied.wrote(target, outcome, || "replaced".into());
        assert_eq!((applied.changed.len(), applied.written.len()), (changed, written), "{message}");
    }
}
