//! Conversion of AlertmanagerConfigs.

use api_monitoring::alertmanager_config::ApiVersion;
use api_monitoring::alertmanager_config::convert::{from_v1beta1, to_v1beta1};
use serde_json::{Value, json};

use super::response;

const KIND: &str = "AlertmanagerConfig";

/// A `ConversionReview` without a request cannot be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the review has no request")]
pub struct NoRequest;

/// Answers a `ConversionReview`. If one object cannot be converted, none is.
pub fn convert(review: &Value) -> Result<Value, NoRequest> {
    let request = response::request(review).ok_or(NoRequest)?;
    let wanted = request["desiredAPIVersion"].as_str().unwrap_or_default();
    let objects = request["objects"].as_array().into_iter().flatten();
    let converted: Result<Vec<Value>, String> =
        objects.map(|object| convert_object(object, wanted)).collect();
    let response = match converted {
        Ok(objects) => {
            json!({"convertedObjects": objects, "result": {"metadata": {}, "status": "Success"}})
        }
        Err(message) => {
            let result = json!({"metadata": {}, "status": "Failure", "message": message});
            json!({"convertedObjects": null, "result": result})
        }
    };
    Ok(response::answer(review, response))
}

fn convert_object(object: &Value, wanted: &str) -> Result<Value, String> {
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    for (field, value) in [("Kind", kind), ("apiVersion", version)] {
        if value.is_empty() {
            return Err(format!("Object '{field}' is missing in '{object}'"));
        }
    }
    let known = |version: &str| {
        ApiVersion::of_group_version(version)
            .filter(|_| kind == KIND)
            .ok_or_else(|| format!("no kind {kind:?} is registered for version {version:?}"))
    };
    let converted = match (known(version)?, known(wanted)?) {
        (ApiVersion::V1Alpha1, ApiVersion::V1Beta1) => to_v1beta1(object.clone()),
        (ApiVersion::V1Beta1, ApiVersion::V1Alpha1) => from_v1beta1(object.clone()),
        (from @ ApiVersion::V1Alpha1, ApiVersion::V1Alpha1)
        | (from @ ApiVersion::V1Beta1, ApiVersion::V1Beta1) => {
            return Err(format!("conversion is not allowed between same type *{}.{KIND}", from.name()));
        }
    };
    converted.map_err(|error| error.to_string())
}
