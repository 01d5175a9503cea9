//! The request of an `AdmissionReview`.

use std::fmt;

use serde_json::Value;

/// The API group of the resources.
const GROUP: &str = "monitoring.coreos.com";

/// The resource of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resource<'r> {
    group: &'r str,
    pub(super) version: &'r str,
    name: &'r str,
}

impl<'r> Resource<'r> {
    /// The resource of a request.
    pub(super) fn of(request: &'r Value) -> Self {
        let part = |name: &str| request["resource"][name].as_str().unwrap_or_default();
        Self { group: part("group"), version: part("version"), name: part("resource") }
    }

    /// Whether this is a resource of the group, in any version.
    pub(super) fn is(&self, name: &str) -> bool {
        self.group == GROUP && self.name == name
    }
}

impl fmt::Display for Resource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{} {} {}}}", self.group, self.version, self.name)
    }
}

/// The object of a request; none for a deletion. Nulls are removed, except in child routes, which are read strictly later.
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

/// Whether an update is allowed without a check: it does not change the spec, or the object is being deleted: finalizers
/// must be removable. So an invalid object that already exists can still be labelled and deleted.
pub fn is_exempt(object: &Value, old: Option<&Value>) -> bool {
    let Some(old) = old.filter(|old| old.is_object() && object.is_object()) else { return false };
    let is_deleted = object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null());
    is_deleted || object.get("spec") == old.get("spec")
}

/// The same for a request.
pub(super) fn is_request_exempt(request: &Value) -> bool {
    request.get("object").is_some_and(|object| is_exempt(object, request.get("oldObject")))
}
