//! Validation and mutation of PrometheusRules.

use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use api_monitoring::prometheus_rule::shape::{ENVELOPE, RULE};
use api_monitoring::strict::{self, Unknown};
use serde_json::{Value, json};

use super::patch;
use super::request::{self, Resource};
use super::response::{Rejection, admission, allowed};
use crate::admission::json_text::END;

const NAME: &str = "prometheusrules";
const VERSION: &str = "v1";
const UNREADABLE: &str = "Cannot unmarshal rules from spec";

/// Answers an `AdmissionReview` for a PrometheusRule with the problems that `check` finds in its rules.
pub fn validate(review: &Value, check: &dyn Fn(&PrometheusRuleSpec) -> Vec<String>) -> Value {
    admission(review, |request| {
        check_resource(request)?;
        if request::is_request_exempt(request) {
            return Ok(allowed());
        }
        let spec = read(request).map_err(|cause| Rejection::new(UNREADABLE, NAME, cause))?;
        let causes = check(&spec);
        if causes.is_empty() {
            return Ok(allowed());
        }
        Err(Rejection { message: "Rules are not valid", resource: NAME, causes })
    })
}

/// Answers an `AdmissionReview` for a PrometheusRule with a patch that turns all values of labels and annotations into
/// strings, and records that the rule was checked.
pub fn mutate(review: &Value) -> Value {
    admission(review, |request| {
        check_resource(request)?;
        let unreadable = |cause: String| Rejection::new("Cannot unmarshal admission request", NAME, cause);
        let object = request::object(request).ok_or_else(|| unreadable(END.to_owned()))?;
        let read = strict::read(&ENVELOPE, &object, Unknown::Dropped)
            .map_err(|mismatch| unreadable(mismatch.to_string()))?;
        let patch = patch::write(&read).map_err(|cause| Rejection::new(UNREADABLE, NAME, cause))?;
        Ok(json!({"allowed": true, "patchType": "JSONPatch", "patch": patch}))
    })
}

fn check_resource(request: &Value) -> Result<(), Rejection> {
    let resource = Resource::of(request);
    if resource.is(NAME) && resource.version == VERSION {
        return Ok(());
    }
    let cause = format!("expected resource to be {NAME}, but received {resource}");
    Err(Rejection::new("Unexpected resource kind", NAME, cause))
}

fn read(request: &Value) -> Result<PrometheusRuleSpec, String> {
    let object = request::object(request).ok_or(END)?;
    let mut read = strict::read(&RULE, &object, Unknown::Dropped).map_err(|mismatch| mismatch.to_string())?;
    let spec = read.get_mut("spec").map(Value::take);
    spec.map_or_else(|| Ok(PrometheusRuleSpec::default()), serde_json::from_value)
        .map_err(|error| error.to_string())
}
