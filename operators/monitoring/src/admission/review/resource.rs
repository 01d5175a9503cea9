//! What a request is about.

use std::fmt;

use serde_json::Value;

/// The group of the resources.
const GROUP: &str = "monitoring.coreos.com";

/// A kind of resource, as requests name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resource<'r> {
    group: &'r str,
    pub(super) version: &'r str,
    name: &'r str,
}

impl<'r> Resource<'r> {
    /// What a request is about.
    pub(super) fn of(request: &'r Value) -> Self {
        let part =
            |name| request.pointer(&format!("/resource/{name}")).and_then(Value::as_str).unwrap_or_default();
        Self { group: part("group"), version: part("version"), name: part("resource") }
    }

    /// Whether this is a resource of ours, in any version.
    pub(super) fn is(&self, name: &str) -> bool {
        self.group == GROUP && self.name == name
    }
}

impl fmt::Display for Resource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{} {} {}}}", self.group, self.version, self.name)
    }
}

/// The object of a request without nulls: those say nothing, except in child routes, which are read later and strictly. A
/// deleted object is not there.
pub(super) fn object(request: &Value) -> Option<Value> {
    request.get("object").filter(|object| !object.is_null()).cloned().map(without_nulls)
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            let keep = |name: &str| name == "routes";
            fields
                .map(|(name, value)| if keep(&name) { (name, value) } else { (name, without_nulls(value)) })
                .collect()
        }
        Value::Array(values) => values.into_iter().map(without_nulls).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
