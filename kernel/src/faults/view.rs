//! A snapshot of a kind: what a server with a stale cache returns. Reads are answered from it, writes are not.

use bytes::Bytes;
use http::Response;
use kube::api::{ApiResource, DynamicObject};
use kube::{Client, Resource};
use serde_json::{Value, json};

use super::refusal::{event_line, failure, json_answer};
use super::selector::{Selector, Unknown};
use crate::call::{Call, Verb};

/// A snapshot of one kind in all namespaces.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    kind: String,
    api_version: String,
    object_kind: String,
    resource_version: String,
    objects: Vec<Value>,
}

impl View {
    /// Records the present state.
    #[expect(clippy::disallowed_methods, reason = "it reads a list")]
    pub async fn record(client: &Client, resource: &ApiResource) -> Result<Self, kube::Error> {
        let request = http::Request::get(DynamicObject::url_path(resource, None))
            .body(Vec::new())
            .map_err(kube::Error::HttpError)?;
        let kind = match resource.group.as_str() {
            "" => resource.plural.clone(),
            group => format!("{}.{group}", resource.plural),
        };
        Ok(Self::of(&kind, client.request(request).await?))
    }

    /// From a list of a server; `kind` as in `statefulsets.apps`.
    pub fn of(kind: &str, mut list: Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let api_version = text(&list["apiVersion"]);
        let object_kind = text(&list["kind"]).trim_end_matches("List").to_owned();
        let mut objects = list["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
        // The items of a list have no kind of their own.
        for object in &mut objects {
            object["apiVersion"] = api_version.clone().into();
            object["kind"] = object_kind.clone().into();
        }
        let resource_version = text(&list["metadata"]["resourceVersion"]);
        Self { kind: kind.into(), api_version, object_kind, resource_version, objects }
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Whether it answers a request: a read of the kind, or of its status.
    pub(super) fn answers(&self, call: &Call) -> bool {
        let part = matches!(call.subresource.as_deref(), None | Some("status"));
        let reads = matches!(call.verb, Verb::Get | Verb::List | Verb::Watch);
        part && reads && call.kind() == self.kind
    }

    /// The answer to a get or a list.
    pub(super) fn answer(&self, call: &Call, metadata_only: bool) -> Response<Bytes> {
        let objects = match self.select(call) {
            Ok(objects) => objects,
            Err(unknown) => return refused(400, "BadRequest", &unknown.to_string()),
        };
        let mut objects = objects.map(|object| as_requested(object, metadata_only));
        if call.verb == Verb::Get {
            let name = call.name.as_deref().unwrap_or_default();
            let missing = || {
                let message = format!("{} \"{name}\" not found", self.kind);
                refused(404, "NotFound", &message)
            };
            let found = objects.find(|object| object["metadata"]["name"] == name);
            return found.map_or_else(missing, |object| json_answer(200, &object));
        }
        let (api_version, kind) = if metadata_only {
            ("meta.k8s.io/v1", "PartialObjectMetadata")
        } else {
            (self.api_version.as_str(), self.object_kind.as_str())
        };
        let list = json!({
            "apiVersion": api_version,
            "kind": format!("{kind}List"),
            "metadata": {"resourceVersion": self.resource_version},
            "items": objects.collect::<Vec<_>>(),
        });
        json_answer(200, &list)
    }

    /// The first events of a watch: all objects if the watch requested them, else none.
    pub(super) fn events(&self, call: &Call, metadata_only: bool) -> Result<Vec<Bytes>, Unknown> {
        if call.query.get("sendInitialEvents").is_none_or(|value| value != "true") {
            return Ok(Vec::new());
        }
        let objects = self.select(call)?;
        let mut lines: Vec<Bytes> =
            objects.map(|object| event_line("ADDED", &as_requested(object, metadata_only))).collect();
        let end = json!({
            "apiVersion": self.api_version,
            "kind": self.object_kind,
            "metadata": {
                "resourceVersion": self.resource_version,
                "annotations": {"k8s.io/initial-events-end": "true"},
            },
        });
        lines.push(event_line("BOOKMARK", &end));
        Ok(lines)
    }

    fn select(&self, call: &Call) -> Result<impl Iterator<Item = &Value>, Unknown> {
        let parameter = |name: &str| call.query.get(name).map(String::as_str).unwrap_or_default();
        let selector = Selector::parse(parameter("labelSelector"), parameter("fieldSelector"))?;
        let namespace = call.namespace.clone();
        Ok(self.objects.iter().filter(move |object| {
            let here =
                namespace.as_ref().is_none_or(|namespace| object["metadata"]["namespace"] == *namespace);
            here && selector.selects(object)
        }))
    }
}

fn as_requested(object: &Value, metadata_only: bool) -> Value {
    if metadata_only {
        json!({
            "apiVersion": "meta.k8s.io/v1",
            "kind": "PartialObjectMetadata",
            "metadata": object["metadata"],
        })
    } else {
        object.clone()
    }
}

fn refused(code: u16, reason: &str, message: &str) -> Response<Bytes> {
    json_answer(code, &failure(code, reason, message))
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    fn view() -> View {
        let object = |namespace: &str, name: &str| json!({"metadata": {"namespace": namespace, "name": name, "labels": {"app": name}}, "data": {"x": "y"}});
        let items = [object("one", "a"), object("one", "b"), object("two", "a")];
        let list = json!({
            "apiVersion": "v1",
            "kind": "ConfigMapList",
            "metadata": {"resourceVersion": "9"},
            "items": items,
        });
        View::of("configmaps", list)
    }

    fn call(path: &str) -> Call {
        Call::of(&Method::GET, &path.parse().unwrap(), None)
    }

    /// Status code, kind, and the objects as `namespace/name`.
    fn answer(path: &str, metadata_only: bool) -> (u16, String, Vec<String>) {
        let answer = view().answer(&call(path), metadata_only);
        let object: Value = serde_json::from_slice(answer.body()).unwrap();
        let name = |object: &Value| {
            let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
            format!("{}/{}", text("namespace"), text("name"))
        };
        let names = match object["items"].as_array() {
            Some(items) => items.iter().map(name).collect(),
            None => vec![name(&object)],
        };
        (answer.status().as_u16(), object["kind"].as_str().unwrap().into(), names)
    }

    #[test]
    fn reads_are_answered_from_the_snapshot() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let list = || "ConfigMapList".to_owned();
        assert_eq!(answer("/api/v1/configmaps", false), (200, list(), names(&["one/a", "one/b", "two/a"])));
        assert_eq!(
            answer("/api/v1/namespaces/one/configmaps?labelSelector=app%3Da", false),
            (200, list(), names(&["one/a"]))
        );
        assert_eq!(
            answer("/api/v1/namespaces/two/configmaps/a", false),
            (200, "ConfigMap".into(), names(&["two/a"]))
        );
        assert_eq!(
            answer("/api/v1/namespaces/two/configmaps/a", true),
            (200, "PartialObjectMetadata".into(), names(&["two/a"]))
        );
        assert_eq!(answer("/api/v1/namespaces/two/configmaps/b", false).0, 404);
        assert_eq!(answer("/api/v1/configmaps?fieldSelector=data.x%3Dy", false).0, 400);
    }

    #[test]
    fn a_watch_gets_initial_events_if_it_requested_them() {
        assert_eq!(view().events(&call("/api/v1/configmaps?watch=true"), false).unwrap().len(), 0);
        let path = "/api/v1/namespaces/two/configmaps?watch=true&sendInitialEvents=true";
        let lines = view().events(&call(path), false).unwrap();
        let events: Vec<Value> = lines.iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
        assert_eq!(events.len(), 2);
        assert_eq!(events[0]["object"]["kind"], "ConfigMap");
        assert_eq!(events[1]["type"], "BOOKMARK");
        assert_eq!(events[1]["object"]["metadata"]["resourceVersion"], "9");
    }

    #[test]
    fn writes_and_other_kinds_are_not_answered() {
        assert!(view().answers(&call("/api/v1/configmaps")));
        assert!(!view().answers(&call("/api/v1/secrets")));
        assert!(!view().answers(&Call::of(&Method::POST, &"/api/v1/configmaps".parse().unwrap(), None)));
    }
}
