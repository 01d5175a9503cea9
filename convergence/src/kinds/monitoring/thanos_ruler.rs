//! Scenarios of `ThanosRuler`.

use serde_json::{Value, json};

use super::parts::{
    NAME, after, all_have, all_run, config_map_contains, create, edit, ending, is_gone, is_paused, object,
    patch, pods, refused, rule, rules, serves, spec, storage, templates,
};
use crate::scenario::{Change, EndState, Property, Scenario, Subject};
use crate::state::State;

const KIND: &str = "thanosrulers.monitoring.coreos.com";
const RULES: &str = "thanos-ruler-main-rulefiles-0";

pub(super) fn subject() -> Subject {
    Subject { properties: properties(), ..super::subject(&operator_monitoring::THANOS_RULER, scenarios()) }
}

fn scenarios() -> Vec<Scenario> {
    let plain = |name, changes, end_state| Scenario { name, changes, from: 0, end_state };
    let whole =
        json!({"storage": storage("data", "1Gi"), "labels": {"cluster": "one"}, "evaluationInterval": "30s"});
    vec![
        plain("ruler-install", vec![install(&json!({}))], EndState::Running),
        plain("ruler-whole", vec![with_rules(&whole)], EndState::Whole),
        after(
            with_rules(&json!({})),
            "ruler-rules",
            vec![
                edit("edit a rule", vec![spec("PrometheusRule", "rules", &rules("vector(2)"))], |state| {
                    settled(state) && config_map_contains(state, RULES, "vector(2)")
                }),
                create("a bad one", vec![rule("bad", "sum(")], |state| settled(state) && refused(state) == 1),
                edit("fixed", vec![spec("PrometheusRule", "bad", &rules("vector(3)"))], |state| {
                    settled(state) && refused(state) == 0 && config_map_contains(state, RULES, "vector(3)")
                }),
            ],
        ),
        after(
            install(&json!({})),
            "ruler-scale",
            vec![
                patch("two", &json!({"replicas": 2}), |state| settled(state) && pods(state) == 2),
                patch("one", &json!({"replicas": 1}), |state| settled(state) && pods(state) == 1),
            ],
        ),
        after(
            install(&json!({})),
            "ruler-version",
            vec![patch("another version", &json!({"version": "v0.40.0"}), |state| {
                settled(state) && all_run(state, ":v0.40.0")
            })],
        ),
        after(
            create("install", vec![ruler(&json!({"storage": storage("data", "1Gi")}))], settled),
            "ruler-claims",
            vec![patch("rename", &json!({"storage": storage("other", "1Gi")}), |state| {
                settled(state) && templates(state, "other", "1Gi") && all_have(state, "other", "1Gi")
            })],
        ),
        after(
            install(&json!({})),
            "ruler-pause",
            vec![
                patch("pause and scale", &json!({"paused": true, "replicas": 2}), |state| {
                    is_paused(state, KIND)
                }),
                patch("go on", &json!({"paused": null}), |state| settled(state) && pods(state) == 2),
            ],
        ),
        ending(with_rules(&json!({})), "ruler-delete", |state| is_gone(state, KIND)),
    ]
}

fn ruler(more: &Value) -> Value {
    let mut spec = json!({"version": "v0.39.0", "ruleSelector": {}, "queryEndpoints": ["query:9090"]});
    for (name, value) in more.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    object("v1", "ThanosRuler", NAME, &spec)
}

fn install(more: &Value) -> Change {
    create("install", vec![ruler(more)], settled)
}

fn with_rules(more: &Value) -> Change {
    create("install with rules", vec![rule("rules", "vector(1)"), ruler(more)], |state| {
        settled(state) && config_map_contains(state, RULES, "vector(1)")
    })
}

fn properties() -> Vec<Property> {
    let both = |path, change: Value, back: Value| Property { path, change, back: Some(back) };
    vec![
        both(
            "evaluationInterval",
            json!({"evaluationInterval": "20s"}),
            json!({"evaluationInterval": "30s"}),
        ),
        both(
            "labels",
            json!({"labels": {"cluster": null, "zone": "two"}}),
            json!({"labels": {"cluster": "one", "zone": null}}),
        ),
    ]
}

fn settled(state: &State) -> bool {
    serves(state, KIND)
}
