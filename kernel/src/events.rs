//! Kubernetes events. An event that is repeated soon is counted as a series. What is remembered for that is bounded.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use parking_lot::Mutex;
use serde_json::json;

use crate::clock;
use crate::declare::Kind;
use crate::object::Object;
use crate::reconciler::Recorder;
use crate::report::{Note, RelatedNote};

/// A repetition within this time belongs to the same series.
const AGAIN: Duration = Duration::from_mins(6);
/// The minimum number of events that are remembered.
const REMEMBERED: usize = 2048;
/// The longest note that is recorded, in bytes: the server accepts 1024.
const LONGEST_NOTE: usize = 1000;
/// The longest part of a name of an event that comes from its object: the server accepts 253 characters in all.
const LONGEST_STEM: usize = 200;
/// The longest name of a reporting instance that the server accepts. Names of pods can be longer.
const LONGEST_INSTANCE: usize = 128;

/// Records events. A failure is logged: nothing depends on it.
#[derive(Clone)]
pub struct Events {
    client: Client,
    program: &'static str,
    instance: String,
    kind: Kind,
    recent: Arc<Mutex<Recent>>,
}

impl Events {
    /// About resources of a kind, reported by one instance of a program.
    pub fn new(client: Client, program: &'static str, mut instance: String, kind: Kind) -> Self {
        instance.truncate(instance.floor_char_boundary(LONGEST_INSTANCE));
        Self { client, program, instance, kind, recent: Arc::default() }
    }

    /// The subject of an event about a resource of ours.
    fn resource<'o>(&self, object: &'o Object) -> About<'o> {
        About { kind: self.kind, object, related: None, action: "Reconcile" }
    }

    #[expect(clippy::disallowed_methods, reason = "events")]
    async fn post(&self, about: About<'_>, note: &Note) -> kube::Result<()> {
        let (key, now) = (about.object.key(), clock::timestamp());
        let events: Api<Event> = Api::namespaced(self.client.clone(), event_namespace(&key.namespace));
        let fingerprint = fingerprint(about.object, note);
        let known = self.recent.lock().recall(fingerprint, now);
        if let Some(Posted { name, count, .. }) = known {
            let count = count + 1;
            let series = EventSeries { count, last_observed_time: MicroTime(now) };
            let patch = Patch::Merge(json!({ "series": series }));
            match events.patch(&name, &PatchParams::default(), &patch).await {
                Ok(_) => {
                    self.recent.lock().keep(fingerprint, Posted { name, count, last: now });
                    return Ok(());
                }
                // It was deleted: a new one is created.
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                Err(error) => return Err(error),
            }
        }
        let name = event_name(&key.name, now);
        events.create(&PostParams::default(), &self.event(&name, about, note, now)).await?;
        self.recent.lock().keep(fingerprint, Posted { name: name.into(), count: 1, last: now });
        Ok(())
    }

    fn event(&self, name: &str, about: About<'_>, note: &Note, now: Timestamp) -> Event {
        let key = about.object.key();
        Event {
            metadata: ObjectMeta {
                name: Some(name.into()),
                namespace: Some(event_namespace(&key.namespace).into()),
                ..ObjectMeta::default()
            },
            action: Some(about.action.into()),
            event_time: Some(MicroTime(now)),
            note: Some(note.message[..note.message.floor_char_boundary(LONGEST_NOTE)].to_owned()),
            reason: Some(note.reason.into()),
            regarding: Some(reference(about.kind, about.object)),
            related: about.related.map(|(kind, object)| reference(kind, object)),
            reporting_controller: Some(self.program.into()),
            reporting_instance: Some(self.instance.clone()),
            type_: Some(if note.alarming { "Warning" } else { "Normal" }.into()),
            ..Event::default()
        }
    }
}

impl Recorder for Events {
    async fn record(&self, about: &Object, notes: Vec<Note>) {
        for note in notes {
            if let Err(error) = self.post(self.resource(about), &note).await {
                tracing::warn!(reason = note.reason, "cannot record an event: {error}");
            }
        }
    }

    async fn record_about(&self, resource: &Object, remarks: Vec<RelatedNote>) {
        for RelatedNote { kind, object, action, note } in &remarks {
            let about = About { kind: *kind, object, related: Some((self.kind, resource)), action };
            if let Err(error) = self.post(about, note).await {
                tracing::warn!(kind = kind.kind, key = %object.key(), "cannot record an event: {error}");
            }
        }
    }
}

/// What an event is about.
#[derive(Clone, Copy)]
struct About<'o> {
    kind: Kind,
    object: &'o Object,
    related: Option<(Kind, &'o Object)>,
    action: &'static str,
}

fn reference(kind: Kind, object: &Object) -> ObjectReference {
    let key = object.key();
    ObjectReference {
        api_version: Some(kind.api_version()),
        kind: Some(kind.kind.into()),
        name: Some(key.name.to_string()),
        namespace: Some(key.namespace.to_string()).filter(|name| !name.is_empty()),
        uid: Some(object.uid().into()),
        ..ObjectReference::default()
    }
}

/// The namespace of events about objects of a namespace. Cluster-scoped objects have none, but their events must.
fn event_namespace(namespace: &str) -> &str {
    if namespace.is_empty() { "default" } else { namespace }
}

/// The name of an event. It is unique: there are no two events about an object in one nanosecond.
fn event_name(object: &str, now: Timestamp) -> String {
    let stem = object[..object.floor_char_boundary(LONGEST_STEM)].trim_end_matches(['-', '.']);
    format!("{stem}.{:x}", now.as_nanosecond())
}

/// A hash of an event and its object.
fn fingerprint(about: &Object, note: &Note) -> u64 {
    let mut hasher = DefaultHasher::new();
    (about.uid(), note.alarming, note.reason, &note.message).hash(&mut hasher);
    hasher.finish()
}

/// An event that was posted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Posted {
    name: Box<str>,
    count: i32,
    last: Timestamp,
}

/// Recent events. When there are many young ones they become the old ones, and the old ones are forgotten.
#[derive(Debug, Default)]
struct Recent {
    young: HashMap<u64, Posted>,
    old: HashMap<u64, Posted>,
}

impl Recent {
    /// The same event, if it was recorded a short while ago.
    fn recall(&self, fingerprint: u64, now: Timestamp) -> Option<Posted> {
        let known = self.young.get(&fingerprint).or_else(|| self.old.get(&fingerprint))?;
        (now.duration_since(known.last).unsigned_abs() < AGAIN).then(|| known.clone())
    }

    fn keep(&mut self, fingerprint: u64, posted: Posted) {
        if self.young.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(fingerprint, posted);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use kube::client::Body;
    use serde_json::Value;

    use super::*;

    const KIND: Kind = Kind::of::<k8s_openapi::api::core::v1::ConfigMap>();

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn recent_events_are_bounded_and_expire() {
        let mut memory = Recent::default();
        for fingerprint in 0..5_000 {
            memory.keep(fingerprint, Posted { name: "a".into(), count: 1, last: at(0) });
        }
        assert!(memory.young.len() + memory.old.len() <= 2 * REMEMBERED);
        assert!(memory.recall(5_000 - REMEMBERED as u64, at(359)).is_some());
        assert_eq!(memory.recall(4_999, at(360)), None);
        assert_eq!(memory.recall(0, at(0)), None);
    }

    #[test]
    fn names_of_events_have_a_limit() {
        assert_eq!(event_name("a", at(1)), "a.3b9aca00");
        let long = format!("{}-b", "a".repeat(LONGEST_STEM - 1));
        assert_eq!(event_name(&long, at(1)), format!("{}.3b9aca00", "a".repeat(LONGEST_STEM - 1)));
    }

    fn note(message: &str) -> Note {
        Note { alarming: true, reason: "Broken", message: message.into() }
    }

    /// The methods of the requests for these messages; the server answers patches with this code.
    async fn methods(messages: &[&str], code: u16) -> Vec<String> {
        let methods = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&methods);
        let server = tower::service_fn(move |request: http::Request<Body>| {
            let patches = request.method() == http::Method::PATCH;
            recorded.lock().push(request.method().to_string());
            let code = if patches { code } else { 201 };
            let body =
                if code < 300 { json!({"metadata": {}}) } else { json!({"kind": "Status", "code": code}) };
            let answer =
                http::Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
            async move { Ok::<_, Infallible>(answer.unwrap()) }
        });
        let events = Events::new(Client::new(server, "n"), "test", "one".into(), KIND);
        let about: Value = json!({"metadata": {"name": "a", "namespace": "n", "uid": "1"}});
        let about = Object::new(serde_json::from_value(about).unwrap(), &KIND.resource());
        for message in messages {
            events.record(&about, vec![note(message)]).await;
        }
        std::mem::take(&mut methods.lock())
    }

    #[tokio::test]
    async fn a_repeated_event_is_counted_and_a_new_one_is_created() {
        assert_eq!(methods(&["x", "x", "x"], 200).await, ["POST", "PATCH", "PATCH"]);
        assert_eq!(methods(&["x", "y"], 200).await, ["POST", "POST"]);
        assert_eq!(methods(&["x", "x"], 404).await, ["POST", "PATCH", "POST"], "the event was deleted");
        assert_eq!(methods(&["x", "x"], 403).await, ["POST", "PATCH"]);
    }
}
