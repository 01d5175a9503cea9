//! What becomes of touches, evictions and statuses of other objects that the server grants, forbids or denies.

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

/// What was asked, with the body.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// A hand that no watch tells anything, and a server that always answers so.
fn hand(code: u16, answer: &Value) -> (Writer, Asked) {
    let (asked, answer) = (Asked::default(), answer.to_string());
    let diary = Arc::clone(&asked);
    let server = tower::service_fn(move |request: http::Request<Body>| {
        let (diary, answer) = (Arc::clone(&diary), answer.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect_bytes().await.unwrap();
            let content =
                head.headers.get(http::header::CONTENT_TYPE).and_then(|content| content.to_str().ok());
            let words = format!("{} {} {}", head.method, head.uri.path(), content.unwrap_or_default());
            diary.lock().unwrap().push((words, serde_json::from_slice(&body).unwrap()));
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
    (Writer::new(&DECLARATION, tools), asked)
}

fn failure(code: u16, message: &str, cause: &Value) -> Value {
    json!({"status": "Failure", "code": code, "reason": "", "message": message, "details": {"causes": [cause]}})
}

fn denial(what: &str) -> Value {
    let message =
        format!("x is forbidden: User \"u\" cannot {what} in API group \"\" in the namespace \"n\"");
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
async fn what_nobody_tells_us_of_is_touched_by_its_unique_id() {
    let (writer, asked) = hand(200, &json!({"metadata": {"name": "a", "namespace": "n", "uid": "1"}}));
    for _ in 0..2 {
        let applied = carry_out(&writer, &touch(POD)).await.unwrap();
        assert_eq!(applied.written, ["patched Pod n/a"]);
        assert_eq!(applied.done, BTreeSet::from([(POD, Key::new("n", "a"))]));
    }
    let said = json!({"metadata": {"uid": "1", "labels": {"b": "c"}}});
    let request = ("PATCH /api/v1/namespaces/n/pods/a application/merge-patch+json".to_owned(), said);
    assert_eq!(*asked.lock().unwrap(), [request.clone(), request]);
    assert_eq!(writer.stores().get(POD, &Key::new("n", "a")), None, "nobody would tell that it is gone");
}

#[tokio::test]
async fn what_nobody_tells_us_of_may_be_gone() {
    for (code, field) in [(404, ""), (409, ""), (422, "metadata.uid")] {
        let (writer, _) = hand(code, &failure(code, "", &json!({"field": field})));
        let applied = carry_out(&writer, &touch(POD)).await.unwrap();
        assert_eq!((applied.written, applied.done), (Vec::new(), BTreeSet::new()), "{code}");
    }
    let (writer, _) = hand(503, &failure(503, "", &json!({})));
    assert!(matches!(carry_out(&writer, &touch(POD)).await, Err(WriteError::Server { .. })));
}

#[tokio::test]
async fn a_right_that_we_can_do_without_is_asked_for_once_in_a_while_and_fails_nothing() {
    for (what, work) in [
        ("patch resource \"persistentvolumeclaims\"", touch(CLAIM)),
        ("create resource \"pods/eviction\"", eviction()),
    ] {
        let (writer, asked) = hand(403, &denial(what));
        for _ in 0..2 {
            let applied = carry_out(&writer, &work).await.unwrap();
            let done = (applied.written, applied.done, applied.kept);
            assert_eq!(done, (Vec::new(), BTreeSet::new(), BTreeMap::new()), "{what}");
        }
        assert_eq!(asked.lock().unwrap().len(), 1, "{what}");
    }
}

#[tokio::test]
async fn what_is_merged_names_no_field_of_another_touch() {
    let (writer, asked) = hand(200, &json!({"metadata": {"name": "a", "namespace": "n", "uid": "1"}}));
    let mut work = touch(POD);
    let annotation =
        Touch { fields: json!({"metadata": {"annotations": {"d": "e"}}}), ..work.touches[0].clone() };
    work.touches.push(annotation);
    carry_out(&writer, &work).await.unwrap();
    let asked = asked.lock().unwrap();
    assert_eq!(
        asked.iter().map(|(words, _)| words.as_str()).collect::<Vec<_>>(),
        [
            "PATCH /api/v1/namespaces/n/pods/a application/merge-patch+json",
            "PATCH /api/v1/namespaces/n/pods/a application/merge-patch+json",
        ]
    );
    assert_eq!(asked[1].1, json!({"metadata": {"uid": "1", "annotations": {"d": "e"}}}));
}

#[tokio::test]
async fn what_the_server_refuses_is_told_and_not_asked_again_at_once() {
    let quota =
        "persistentvolumeclaims \"a\" is forbidden: exceeded quota: q, requested: requests.storage=1Gi";
    let rigid = "persistentvolumeclaims \"a\" is forbidden: only dynamically provisioned pvc can be resized and the \
                 storageclass that provisions the pvc must support resize";
    let less = "PersistentVolumeClaim \"a\" is invalid: spec.resources.requests.storage: Forbidden: field can not be \
                less than previous value";
    let webhook = "admission webhook \"w\" denied the request: no";
    for (code, words) in [(403, quota), (403, rigid), (422, less), (400, webhook)] {
        let (writer, asked) = hand(code, &failure(code, &format!("{words}\n  more of it"), &json!({})));
        let work = Work { evictions: eviction().evictions, ..touch(CLAIM) };
        for _ in 0..2 {
            let mut applied = Applied::default();
            // The server refuses the eviction too, and that is an error: so it was asked for.
            writer.carry_out_into(&mut applied, &work, &object(CONFIG_MAP)).await.unwrap_err();
            assert_eq!((&applied.written, applied.done.len()), (&Vec::new(), 0), "{words}");
            assert_eq!(applied.refused, [(work.touches[0].clone(), words.to_owned())]);
        }
        let patches = |asked: &Asked| {
            asked.lock().unwrap().iter().filter(|(words, _)| words.starts_with("PATCH")).count()
        };
        assert_eq!(patches(&asked), 1, "{words}");
        let other = Touch { fields: json!({"spec": {}}), ..work.touches[0].clone() };
        let applied = carry_out(&writer, &Work { touches: vec![other], ..Work::default() }).await.unwrap();
        assert_eq!((applied.refused.len(), patches(&asked)), (1, 2), "another wish is tried at once");
    }
}

#[tokio::test]
async fn what_we_cannot_do_without_is_an_error_after_the_rest_is_done() {
    let (writer, asked) = hand(403, &failure(403, "no", &json!({})));
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
    let asked: Vec<String> = asked.lock().unwrap().iter().map(|(words, _)| words.clone()).collect();
    let path = "/api/v1/namespaces/n";
    let merge = "application/merge-patch+json";
    assert_eq!(
        asked,
        [
            format!("PATCH {path}/configmaps/a {merge}"),
            format!("PATCH {path}/configmaps/b {merge}"),
            format!("DELETE {path}/pods/a application/json"),
        ]
    );
}

#[tokio::test]
async fn an_eviction_is_done_only_if_it_is_granted() {
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
        let (writer, asked) = hand(code, &answer);
        let applied = carry_out(&writer, &eviction()).await.unwrap();
        assert_eq!(applied.done, BTreeSet::from_iter(done), "{answer}");
        assert_eq!(applied.kept, BTreeMap::from_iter(kept), "{answer}");
        assert_eq!(asked.lock().unwrap()[0].1["deleteOptions"]["preconditions"], json!({"uid": "1"}));
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
async fn one_status_that_the_server_refuses_keeps_no_other_from_being_said() {
    for (code, is_error, asked_in_two_passes) in [(422, false, 2), (413, false, 2), (500, true, 4)] {
        let (writer, asked) = hand(code, &failure(code, "no", &json!({})));
        for _ in 0..2 {
            assert_eq!(carry_out(&writer, &foreign_statuses()).await.is_err(), is_error, "{code}");
        }
        let asked: Vec<String> = asked.lock().unwrap().iter().map(|(words, _)| words.clone()).collect();
        assert_eq!(asked.len(), asked_in_two_passes, "{code}: {asked:?}");
        let both = ["a", "b"].map(|name| {
            let path = format!("/api/v1/namespaces/n/persistentvolumeclaims/{name}/status");
            format!("PATCH {path} application/merge-patch+json")
        });
        assert!(both.iter().all(|one| asked.contains(one)), "{code}: {asked:?}");
    }
}

#[test]
fn what_was_refused_has_changed_nothing_and_what_nobody_answered_may_have() {
    let key = Key::new("n", "a");
    let said = |code: u16| {
        let status = serde_json::from_value(failure(code, "no", &json!({}))).unwrap();
        let source = Box::new(kube::Error::Api(Box::new(status)));
        Err(WriteError::Server { verb: "replace", kind: "ConfigMap", key: Key::new("n", "a"), source })
    };
    let outdated = Err(WriteError::Outdated { kind: "ConfigMap", key: key.clone() });
    let done = Ok(Arc::new(object(CONFIG_MAP)));
    for (outcome, changed, written) in
        [(done, 1, 1), (said(403), 0, 0), (said(422), 0, 0), (outdated, 0, 0), (said(504), 1, 0)]
    {
        let mut applied = Applied::default();
        let words = format!("{outcome:?}");
        let target = Target { kind: CONFIG_MAP, key: &key };
        let _ = applied.wrote(target, outcome, || "replaced".into());
        assert_eq!((applied.changed.len(), applied.written.len()), (changed, written), "{words}");
    }
}
