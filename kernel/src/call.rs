//! A request to the API server, parsed: which verb on which object. Pure; used for metrics, dry runs and fault injection.

use std::collections::BTreeMap;

use http::{Method, Uri};
use serde_json::Value;

/// The verb of a request, as in roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Reads many.
    List,
    /// Follows changes.
    Watch,
    /// Creates one.
    Create,
    /// Replaces one.
    Update,
    /// Changes part of one.
    Patch,
    /// Deletes one.
    Delete,
    /// Deletes many.
    DeleteCollection,
    /// A method that the API does not use.
    Other,
}

impl Verb {
    /// Whether it may change something.
    pub fn writes(self) -> bool {
        match self {
            Self::Create | Self::Update | Self::Patch | Self::Delete | Self::DeleteCollection => true,
            Self::Get | Self::List | Self::Watch | Self::Other => false,
        }
    }

    /// As a role spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Other => "other",
        }
    }
}

/// The purpose of a request: a test harness counts work and ignores the rest, because how often a lease is renewed depends
/// on the duration of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Purpose {
    /// The work of an operator.
    Work,
    /// A lease.
    Election,
    /// An event.
    Event,
    /// A review of permissions or identity: it is created and not persisted.
    Review,
    /// Not about a kind: `/version`, `/readyz`, discovery.
    Discovery,
}

/// A parsed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What it does.
    pub verb: Verb,
    /// Group; empty for the core.
    pub group: String,
    /// Version.
    pub version: String,
    /// Plural of the kind; empty if it is not about a kind.
    pub resource: String,
    /// Status, scale, eviction and so on.
    pub subresource: Option<String>,
    /// Namespace.
    pub namespace: Option<String>,
    /// Name, if it is about one object. For a create the name is in the body; there is none if the server generates it.
    pub name: Option<String>,
    /// The query parameters.
    pub query: BTreeMap<String, String>,
    /// Whether it is a dry run.
    pub dry_run: bool,
    /// Its purpose.
    pub purpose: Purpose,
}

impl Call {
    /// Parses a request; `body` is its body, if that is JSON.
    pub fn of(method: &Method, uri: &Uri, body: Option<&Value>) -> Self {
        let query: BTreeMap<String, String> =
            form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let path = Path::of(uri.path());
        let watches = path.watches || query.get("watch").is_some_and(|value| value == "true" || value == "1");
        let verb = verb(method, path.name.is_some() || path.resource.is_empty(), watches);
        let in_body = |pointer: &str| body.and_then(|body| body.pointer(pointer));
        let written = in_body("/metadata/name").and_then(Value::as_str).filter(|_| verb == Verb::Create);
        let name = path.name.or(written);
        let dry_run = query.contains_key("dryRun")
            || (matches!(verb, Verb::Delete | Verb::DeleteCollection)
                && in_body("/dryRun").and_then(Value::as_array).is_some_and(|values| !values.is_empty()));
        Self {
            verb,
            group: path.group.into(),
            version: path.version.into(),
            resource: path.resource.into(),
            subresource: path.subresource,
            namespace: path.namespace.map(Into::into),
            name: name.map(Into::into),
            query,
            dry_run,
            purpose: purpose(path.group, path.resource),
        }
    }

    /// The kind, as `kubectl` takes it: `configmaps`, `statefulsets.apps`.
    pub fn kind(&self) -> String {
        if self.group.is_empty() {
            self.resource.clone()
        } else {
            format!("{}.{}", self.resource, self.group)
        }
    }

    /// Whether it is work that may change a persisted object.
    pub fn is_write(&self) -> bool {
        self.verb.writes() && !self.dry_run && self.purpose == Purpose::Work
    }

    /// One line for a person: `update statefulsets.apps/status default/app`.
    pub fn describe(&self) -> String {
        let part = self.subresource.as_ref().map(|part| format!("/{part}")).unwrap_or_default();
        let object = match (&self.namespace, &self.name) {
            (Some(namespace), Some(name)) => format!(" {namespace}/{name}"),
            (Some(namespace), None) => format!(" {namespace}/"),
            (None, Some(name)) => format!(" {name}"),
            (None, None) => String::new(),
        };
        format!("{} {}{part}{object}", self.verb.as_str(), self.kind())
    }
}

/// The parts of a path. Empty where it names no kind.
#[derive(Default)]
struct Path<'a> {
    group: &'a str,
    version: &'a str,
    watches: bool,
    namespace: Option<&'a str>,
    resource: &'a str,
    name: Option<&'a str>,
    subresource: Option<String>,
}

impl<'a> Path<'a> {
    fn of(path: &'a str) -> Self {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let (group, version, rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return Self::default(),
        };
        let (watches, rest) = match rest {
            // The old form of a watch; servers still answer it.
            ["watch", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (namespace, object) = match rest {
            // These two are subresources of the Namespace, and not kinds in it.
            ["namespaces", _, "status" | "finalize", ..] => (None, rest),
            ["namespaces", namespace, object @ ..] if !object.is_empty() => (Some(*namespace), object),
            rest => (None, rest),
        };
        let Some(resource) = object.first() else { return Self::default() };
        let subresource = object.get(2..).filter(|rest| !rest.is_empty()).map(|rest| rest.join("/"));
        Self { group, version, watches, namespace, resource, name: object.get(1).copied(), subresource }
    }
}

fn verb(method: &Method, one: bool, watches: bool) -> Verb {
    match method.as_str() {
        "GET" | "HEAD" if one => Verb::Get,
        "GET" | "HEAD" if watches => Verb::Watch,
        "GET" | "HEAD" => Verb::List,
        "POST" => Verb::Create,
        "PUT" => Verb::Update,
        "PATCH" => Verb::Patch,
        "DELETE" if one => Verb::Delete,
        "DELETE" => Verb::DeleteCollection,
        _ => Verb::Other,
    }
}

fn purpose(group: &str, resource: &str) -> Purpose {
    match (group, resource) {
        (_, "") => Purpose::Discovery,
        ("coordination.k8s.io", "leases") => Purpose::Election,
        ("" | "events.k8s.io", "events") => Purpose::Event,
        ("authorization.k8s.io" | "authentication.k8s.io", _) => Purpose::Review,
        _ => Purpose::Work,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(method: &str, uri: &str, body: &Value) -> Call {
        let body = Some(body).filter(|body| !body.is_null());
        Call::of(&Method::from_bytes(method.as_bytes()).unwrap(), &uri.parse().unwrap(), body)
    }

    #[test]
    fn every_form_of_url_is_parsed() {
        let cases = [
            ("GET", "/api/v1/pods", "list pods"),
            ("GET", "/api/v1/namespaces/default/pods", "list pods default/"),
            ("GET", "/api/v1/namespaces/default/pods/a", "get pods default/a"),
            ("HEAD", "/api/v1/namespaces/default/pods/a", "get pods default/a"),
            ("GET", "/api/v1/pods?watch=true&resourceVersion=5", "watch pods"),
            ("GET", "/api/v1/namespaces/default/pods?&watch=1", "watch pods default/"),
            ("GET", "/api/v1/watch/namespaces/default/pods", "watch pods default/"),
            ("GET", "/api/v1/namespaces", "list namespaces"),
            ("GET", "/api/v1/namespaces/default", "get namespaces default"),
            ("PUT", "/api/v1/namespaces/default/finalize", "update namespaces/finalize default"),
            ("PATCH", "/api/v1/namespaces/default/status", "patch namespaces/status default"),
            ("GET", "/api/v1/namespaces/default/pods/a/log?follow=true", "get pods/log default/a"),
            ("GET", "/api/v1/namespaces/d/pods/a/proxy/x/y", "get pods/proxy/x/y d/a"),
            ("POST", "/api/v1/namespaces/d/pods/a/eviction", "create pods/eviction d/a"),
            ("GET", "/apis/apps/v1/statefulsets", "list statefulsets.apps"),
            ("PATCH", "/apis/apps/v1/namespaces/d/statefulsets/a?", "patch statefulsets.apps d/a"),
            ("PUT", "/apis/apps/v1/namespaces/d/statefulsets/a/scale", "update statefulsets.apps/scale d/a"),
            ("DELETE", "/apis/apps/v1/namespaces/d/statefulsets/a", "delete statefulsets.apps d/a"),
            ("DELETE", "/apis/apps/v1/namespaces/d/statefulsets", "deletecollection statefulsets.apps d/"),
            (
                "DELETE",
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:x",
                "delete clusterroles.rbac.authorization.k8s.io system:x",
            ),
            ("GET", "/apis/apps/v1", "get "),
            ("GET", "/apis", "get "),
            ("GET", "/version?", "get "),
            ("OPTIONS", "/api/v1/pods", "other pods"),
        ];
        for (method, uri, expected) in cases {
            assert_eq!(call(method, uri, &Value::Null).describe(), expected, "{method} {uri}");
        }
    }

    #[test]
    fn the_name_of_a_create_is_in_its_body() {
        let named = call("POST", "/api/v1/namespaces/d/pods?", &json!({"metadata": {"name": "a"}}));
        assert_eq!(named.describe(), "create pods d/a");
        let generated =
            call("POST", "/api/v1/namespaces/d/pods", &json!({"metadata": {"generateName": "a-"}}));
        assert_eq!(generated.name, None);
        assert_eq!((named.group.as_str(), named.version.as_str()), ("", "v1"));
    }

    #[test]
    fn requests_that_change_nothing_are_not_writes() {
        let pods = "/api/v1/namespaces/d/pods";
        let cases = [
            ("POST", pods, Value::Null, true),
            ("DELETE", pods, Value::Null, true),
            ("GET", pods, Value::Null, false),
            ("POST", "/api/v1/namespaces/d/pods?dryRun=All", Value::Null, false),
            ("DELETE", "/api/v1/namespaces/d/pods/a", json!({"dryRun": ["All"]}), false),
            ("DELETE", "/api/v1/namespaces/d/pods/a", json!({"preconditions": {"uid": "1"}}), true),
            ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", Value::Null, false),
            ("PUT", "/apis/coordination.k8s.io/v1/namespaces/d/leases/a", Value::Null, false),
            ("POST", "/apis/events.k8s.io/v1/namespaces/d/events", Value::Null, false),
            ("PATCH", "/api/v1/namespaces/d/events/a", Value::Null, false),
        ];
        for (method, uri, body, expected) in cases {
            assert_eq!(call(method, uri, &body).is_write(), expected, "{method} {uri} {body}");
        }
    }
}
