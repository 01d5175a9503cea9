//! The shape of a PrometheusRule before the API server has checked it, with the names of Go types for messages.

use crate::strict::{Shape, Structure};

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

/// A PrometheusRule with any spec.
pub const ENVELOPE: Shape = Shape::Fields(&Structure {
    package: "admission",
    name: "PrometheusRules",
    fields: &[("kind", TEXT), ("apiVersion", TEXT), ("metadata", METADATA), ("spec", Shape::Any)],
});

/// A PrometheusRule.
pub const RULE: Shape = Shape::Fields(&Structure {
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

const ANYTHING: Shape = Shape::Table("map[string]interface {}", &Shape::Any);

/// A spec whose labels and annotations have any values.
pub const UNTYPED_GROUPS: Shape = Shape::Fields(&Structure {
    package: "admission",
    name: "RuleGroups",
    fields: &[("groups", Shape::List("[]admission.RuleGroup", &UNTYPED_GROUP))],
});

const UNTYPED_GROUP: Shape = Shape::Fields(&Structure {
    package: "admission",
    name: "RuleGroup",
    fields: &[("rules", Shape::List("[]admission.Rule", &UNTYPED_RULE))],
});

const UNTYPED_RULE: Shape = Shape::Fields(&Structure {
    package: "admission",
    name: "Rule",
    fields: &[("labels", ANYTHING), ("annotations", ANYTHING)],
});
