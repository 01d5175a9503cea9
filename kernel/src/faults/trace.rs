//! The requests of an operator, in order, for a test harness. Pure.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::call::{Call, Verb};

/// The preconditions of a write: the server rejects it if the object has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preconditions {
    /// The unique id: no other object with the same name.
    pub uid: Option<String>,
    /// The version.
    pub resource_version: Option<String>,
}

impl Preconditions {
    /// Those in the body of a write: of an object, of the options of a delete, or of a JSON patch.
    pub fn of(body: &Value) -> Self {
        let find = |field: &str| {
            let tested = format!("/metadata/{field}");
            let tests = body.as_array().into_iter().flatten();
            let test = tests.filter(|step| step["op"] == "test" && step["path"] == tested.as_str());
            let found = body
                .pointer(&format!("/preconditions/{field}"))
                .or_else(|| body.pointer(&tested))
                .or_else(|| test.map(|step| &step["value"]).next());
            found.and_then(Value::as_str).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        Self { uid: find("uid"), resource_version: find("resourceVersion") }
    }

    /// Whether there is any.
    pub fn any(&self) -> bool {
        self.uid.is_some() || self.resource_version.is_some()
    }
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceEntry {
    /// Its number, from 1, over all lives.
    pub number: u64,
    /// In which life of the process: the first is 1.
    pub life: u64,
    /// The request.
    pub call: Call,
    /// Its body, if it may write.
    pub body: Option<Value>,
    /// Its preconditions.
    pub preconditions: Preconditions,
    /// Whether it reached the server.
    pub sent: bool,
    /// The injected fault.
    pub fault: Option<&'static str>,
    /// The status code of its answer: that of the server if it was sent, also when it was lost.
    pub status: Option<u16>,
}

impl TraceEntry {
    /// Whether the server accepted it.
    pub fn succeeded(&self) -> bool {
        self.sent && self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// Whether something may have changed by it.
    pub fn wrote(&self) -> bool {
        self.call.is_write() && self.succeeded()
    }
}

/// The name of an object that was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WrittenObject {
    /// `configmaps`, `statefulsets.apps`.
    pub kind: String,
    /// Namespace; empty if there is none.
    pub namespace: String,
    /// Name; empty for a collection, or if the server generated it.
    pub name: String,
}

/// How often an object was written successfully.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteCounts {
    /// Creates of the object itself.
    pub creates: u64,
    /// Updates and patches, also of its parts, and creates of parts (an eviction).
    pub changes: u64,
    /// Deletes.
    pub deletes: u64,
}

/// A sequence of requests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace(pub Vec<TraceEntry>);

impl Trace {
    /// The writes that succeeded.
    pub fn writes(&self) -> impl Iterator<Item = &TraceEntry> {
        self.0.iter().filter(|entry| entry.wrote())
    }

    /// How often each object was written.
    pub fn counts(&self) -> BTreeMap<WrittenObject, WriteCounts> {
        let mut all: BTreeMap<WrittenObject, WriteCounts> = BTreeMap::new();
        for TraceEntry { call, .. } in self.writes() {
            let object = WrittenObject {
                kind: call.kind(),
                namespace: call.namespace.clone().unwrap_or_default(),
                name: call.name.clone().unwrap_or_default(),
            };
            let counts = all.entry(object).or_default();
            match call.verb {
                Verb::Create if call.subresource.is_none() => counts.creates += 1,
                Verb::Delete | Verb::DeleteCollection => counts.deletes += 1,
                Verb::Create | Verb::Update | Verb::Patch => counts.changes += 1,
                Verb::Get | Verb::List | Verb::Watch | Verb::Other => {}
            }
        }
        all
    }

    /// A line for each request, for the report of a failed plan.
    pub fn describe(&self) -> String {
        let line = |entry: &TraceEntry| {
            let fault = entry.fault.map(|fault| format!(" [{fault}]")).unwrap_or_default();
            let status = entry.status.map_or_else(|| "no answer".into(), |status| status.to_string());
            let TraceEntry { number, life, call, .. } = entry;
            format!("{number} (life {life}) {} -> {status}{fault}\n", call.describe())
        };
        self.0.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::json;

    use super::*;

    fn entry(method: &Method, path: &str, sent: bool, status: u16) -> TraceEntry {
        TraceEntry {
            number: 1,
            life: 1,
            call: Call::of(method, &path.parse().unwrap(), Some(&json!({"metadata": {"name": "a"}}))),
            body: None,
            preconditions: Preconditions::default(),
            sent,
            fault: None,
            status: Some(status),
        }
    }

    #[test]
    fn preconditions_are_found_in_every_form_of_write() {
        let both = Preconditions { uid: Some("u".into()), resource_version: Some("7".into()) };
        let bodies = [
            json!({"metadata": {"uid": "u", "resourceVersion": "7"}}),
            json!({"kind": "DeleteOptions", "preconditions": {"uid": "u", "resourceVersion": "7"}}),
            json!([
                {"op": "test", "path": "/metadata/uid", "value": "u"},
                {"op": "test", "path": "/metadata/resourceVersion", "value": "7"},
                {"op": "remove", "path": "/metadata/finalizers/0"},
            ]),
        ];
        for body in bodies {
            assert_eq!(Preconditions::of(&body), both, "{body}");
        }
        assert!(!Preconditions::of(&json!({"metadata": {"resourceVersion": ""}})).any());
        assert!(!Preconditions::of(&json!([{"op": "replace", "path": "/metadata/uid", "value": "u"}])).any());
    }

    #[test]
    fn only_successful_writes_are_counted() {
        let (all, one) = ("/api/v1/namespaces/d/pods", "/api/v1/namespaces/d/pods/a");
        let trace = Trace(vec![
            entry(&Method::POST, all, true, 201),
            entry(&Method::POST, all, true, 409),
            entry(&Method::POST, all, false, 500),
            entry(&Method::PATCH, one, true, 200),
            entry(&Method::POST, "/api/v1/namespaces/d/pods/a/eviction", true, 201),
            entry(&Method::GET, one, true, 200),
            entry(&Method::DELETE, one, true, 200),
        ]);
        let object = WrittenObject { kind: "pods".into(), namespace: "d".into(), name: "a".into() };
        let counts = WriteCounts { creates: 1, changes: 2, deletes: 1 };
        assert_eq!(trace.counts(), BTreeMap::from([(object, counts)]));
        assert_eq!(trace.describe().lines().next(), Some("1 (life 1) create pods d/a -> 201"));
    }
}
