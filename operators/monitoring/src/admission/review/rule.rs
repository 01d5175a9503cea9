//! PrometheusRule: checked, and mended before that.

use api_monitoring::prometheus_rule::PrometheusRuleSpec;
use api_monitoring::strict::{self, Shape, Structure, Unknown};
use serde_json::{Value, json};

use super::patch;
use super::resource::{self, Resource};
use super::response::{Refusal, allowed, answer};
use super::settled;

const NAME: &str = "prometheusrules";
const VERSION: &str = "v1";

/// Answers an `AdmissionReview` for a PrometheusRule by what `check` finds wrong with its rules.
pub fn validate(review: &Value, check: &dyn Fn(&PrometheusRuleSpec) -> Vec<String>) -> Value {
    answer(review, |request| {
        check_resource(request)?;
        if settled::asks_nothing(request) {
            return Ok(allowed());
        }
        let spec =
            read(request).map_err(|cause| Refusal::new("Cannot unmarshal rules from spec", NAME, cause))?;
        let causes = check(&spec);
        if causes.is_empty() {
            return Ok(allowed());
        }
        Err(Refusal { message: "Rules are not valid", resource: NAME, causes })
    })
}

/// Answers an `AdmissionReview` for a PrometheusRule with a patch that makes texts of all labels and annotations, and says
/// that the rule has been checked.
pub fn mutate(review: &Value) -> Value {
    answer(review, |request| {
        check_resource(request)?;
        let unreadable = |cause: String| Refusal::new("Cannot unmarshal admission request", NAME, cause);
        let object = resource::object(request).ok_or_else(|| unreadable(END.to_owned()))?;
        let read = strict::read(&ENVELOPE, &object, Unknown::Dropped)
            .map_err(|mismatch| unreadable(mismatch.to_string()))?;
        let patch = patch::write(&read)
            .map_err(|cause| Refusal::new("Cannot unmarshal rules from spec", NAME, cause))?;
        Ok(json!({"allowed": true, "patchType": "JSONPatch", "patch": patch}))
    })
}

/// What Go says about an object that is not there.
pub(super) const END: &str = "unexpected end of JSON input";

fn check_resource(request: &Value) -> Result<(), Refusal<'static>> {
    let resource = Resource::of(request);
    if resource.is(NAME) && resource.version == VERSION {
        return Ok(());
    }
    let cause = format!("expected resource to be {NAME}, but received {resource}");
    Err(Refusal::new("Unexpected resource kind", NAME, cause))
}

fn read(request: &Value) -> Result<PrometheusRuleSpec, String> {
    let object = resource::object(request).ok_or(END)?;
    let mut read = strict::read(&RULE, &object, Unknown::Dropped).map_err(|mismatch| mismatch.to_string())?;
    let spec = read.get_mut("spec").map(Value::take);
    spec.map_or_else(|| Ok(PrometheusRuleSpec::default()), serde_json::from_value)
        .map_err(|error| error.to_string())
}

const TEXT: Shape = Shape::Text("string");
const TEXTS: Shape = Shape::Table("map[string]string", &TEXT);
const DURATION: Shape = Shape::Text("v1.Duration");
const INT: Shape = Shape::Whole("int", i64::MIN, i64::MAX);
const INT64: Shape = Shape::Whole("int64", i64::MIN, i64::MAX);

const METADATA: Shape = Shape::Fields(&Structure {
    package: "v1",
    name: "ObjectMeta",
    fields: &[
        ("name", TEXT),
        ("generateName", TEXT),
        ("namespace", TEXT),
        ("selfLink", TEXT),
        ("uid", Shape::Text("types.UID")),
        ("resourceVersion", TEXT),
        ("generation", INT64),
        ("creationTimestamp", Shape::Any),
        ("deletionTimestamp", Shape::Any),
        ("deletionGracePeriodSeconds", INT64),
        ("labels", TEXTS),
        ("annotations", TEXTS),
        ("ownerReferences", Shape::Any),
        ("finalizers", Shape::List("[]string", &TEXT)),
        ("managedFields", Shape::Any),
    ],
});

/// An object whose spec is not looked at.
const ENVELOPE: Shape = Shape::Fields(&Structure {
    package: "admission",
    name: "PrometheusRules",
    fields: &[("kind", TEXT), ("apiVersion", TEXT), ("metadata", METADATA), ("spec", Shape::Any)],
});

const RULE: Shape = Shape::Fields(&Structure {
    package: "v1",
    name: "PrometheusRule",
    fields: &[
        ("kind", TEXT),
        ("apiVersion", TEXT),
        ("metadata", METADATA),
        (
            "spec",
            Shape::Fields(&Structure {
                package: "v1",
                name: "PrometheusRuleSpec",
                fields: &[("groups", Shape::List("[]v1.RuleGroup", &RULE_GROUP))],
            }),
        ),
        ("status", Shape::Any),
    ],
});

const RULE_GROUP: Shape = Shape::Fields(&Structure {
    package: "v1",
    name: "RuleGroup",
    fields: &[
        ("name", TEXT),
        ("labels", TEXTS),
        ("interval", DURATION),
        ("query_offset", DURATION),
        (
            "rules",
            Shape::List(
                "[]v1.Rule",
                &Shape::Fields(&Structure {
                    package: "v1",
                    name: "Rule",
                    fields: &[
                        ("record", TEXT),
                        ("alert", TEXT),
                        ("expr", Shape::WholeOrText),
                        ("for", DURATION),
                        ("keep_firing_for", Shape::Text("v1.NonEmptyDuration")),
                        ("labels", TEXTS),
                        ("annotations", TEXTS),
                    ],
                }),
            ),
        ),
        ("partial_response_strategy", TEXT),
        ("limit", INT),
    ],
});
