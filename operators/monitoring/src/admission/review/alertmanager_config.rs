//! Validation of AlertmanagerConfigs.

use api_monitoring::alertmanager_config::{AlertmanagerConfigSpec, ApiVersion, convert};
use serde_json::Value;

use super::request::{self, Resource};
use super::response::{Rejection, admission, allowed};
use crate::admission::json_text::END;
use crate::admission::validate;

const NAME: &str = "alertmanagerconfigs";

/// Answers an `AdmissionReview` for an AlertmanagerConfig of either version.
pub fn validate(review: &Value) -> Value {
    admission(review, |request| {
        let resource = Resource::of(request);
        if !resource.is(NAME) {
            let cause = format!("expected resource to be {NAME}, but received {resource}");
            return Err(Rejection::new("Unexpected resource kind", NAME, cause));
        }
        let Some(version) = ApiVersion::named(resource.version) else {
            let cause = format!(
                "expected resource version to be 'v1alpha1' or 'v1beta1', but received {}",
                resource.version
            );
            return Err(Rejection::new("Unexpected resource version", NAME, cause));
        };
        if request::is_request_exempt(request) {
            return Ok(allowed());
        }
        let spec = read(request, version)
            .map_err(|cause| Rejection::new("Cannot unmarhsal config from spec", NAME, cause))?;
        validate::check(&spec, version)
            .map_err(|problem| Rejection::new("AlertmanagerConfig is invalid", NAME, problem.to_string()))?;
        Ok(allowed())
    })
}

/// The spec of the object of a request, as it would be stored.
fn read(request: &Value, version: ApiVersion) -> Result<AlertmanagerConfigSpec, String> {
    let object = request::object(request).ok_or(END)?;
    let spec = convert::respelled(object, version).get_mut("spec").map(Value::take);
    spec.map_or_else(|| Ok(AlertmanagerConfigSpec::default()), serde_json::from_value)
        .map_err(|error| error.to_string())
}
