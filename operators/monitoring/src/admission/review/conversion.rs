//! AlertmanagerConfig: converted.

use api_monitoring::alertmanager_config::ApiVersion;
use api_monitoring::alertmanager_config::convert::{from_v1beta1, to_v1beta1};
use serde_json::{Value, json};

const KIND: &str = "AlertmanagerConfig";

/// A `ConversionReview` without a request: nobody could use an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the review has no request")]
pub struct NotAReview;

/// Answers a `ConversionReview`. If one object cannot be converted, none is.
pub fn convert(review: &Value) -> Result<Value, NotAReview> {
    let request = review.get("request").filter(|request| request.is_object()).ok_or(NotAReview)?;
    let wanted = request.get("desiredAPIVersion").and_then(Value::as_str).unwrap_or_default();
    let objects = request.get("objects").and_then(Value::as_array).into_iter().flatten();
    let converted: Result<Vec<Value>, String> =
        objects.map(|object| convert_object(object, wanted)).collect();
    let mut response = match converted {
        Ok(objects) => {
            json!({"convertedObjects": objects, "result": {"metadata": {}, "status": "Success"}})
        }
        Err(words) => {
            json!({"convertedObjects": null, "result": {"metadata": {}, "status": "Failure", "message": words}})
        }
    };
    response["uid"] = request.get("uid").cloned().unwrap_or_else(|| "".into());
    let mut answer = json!({"response": response});
    for name in ["apiVersion", "kind"] {
        if let Some(value) = review.get(name) {
            answer[name] = value.clone();
        }
    }
    Ok(answer)
}

fn convert_object(object: &Value, wanted: &str) -> Result<Value, String> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let known = |version: &str| {
        ApiVersion::of_group_version(version)
            .filter(|_| kind == KIND)
            .ok_or_else(|| format!("no kind {kind:?} is registered for version {version:?}"))
    };
    let object_text = || object.to_string();
    if kind.is_empty() {
        return Err(format!("Object 'Kind' is missing in '{}'", object_text()));
    }
    if version.is_empty() {
        return Err(format!("Object 'apiVersion' is missing in '{}'", object_text()));
    }
    let (from, to) = (known(version)?, known(wanted)?);
    let converted = match (from, to) {
        (ApiVersion::V1Alpha1, ApiVersion::V1Beta1) => to_v1beta1(object.clone()),
        (ApiVersion::V1Beta1, ApiVersion::V1Alpha1) => from_v1beta1(object.clone()),
        (ApiVersion::V1Alpha1, ApiVersion::V1Alpha1) | (ApiVersion::V1Beta1, ApiVersion::V1Beta1) => {
            return Err(format!("conversion is not allowed between same type *{}.{KIND}", from.name()));
        }
    };
    converted.map_err(|error| error.to_string())
}
