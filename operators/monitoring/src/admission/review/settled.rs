//! What was there before a webhook was.

use serde_json::Value;

/// Whether a write leaves an object in peace: it changes nothing in its spec, or the object is on its way out, which takes
/// writes too while it has finalizers. Whatever is wrong with such an object must not keep anybody from labelling or
/// deleting it. What was not there before is never settled.
pub fn is_settled(object: &Value, before: Option<&Value>) -> bool {
    let Some(before) = before.filter(|before| before.is_object() && object.is_object()) else { return false };
    let is_leaving = object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null());
    is_leaving || object.get("spec") == before.get("spec")
}

/// The same for a request.
pub(super) fn asks_nothing(request: &Value) -> bool {
    request.get("object").is_some_and(|object| is_settled(object, request.get("oldObject")))
}
