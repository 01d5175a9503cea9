//! Scenarios of `Alertmanager`.

use serde_json::{Value, json};

use super::parts::{
    NAME, after, all_have, all_run, create, edit, ending, is_gone, is_paused, object, patch, pods, refused,
    rewrite_secret, secret, secret_contains, serves, spec, storage, templates,
};
use crate::scenario::{Change, EndState, Property, Scenario, Subject};
use crate::state::State;

const KIND: &str = "alertmanagers.monitoring.coreos.com";
const CONFIGURATION: &str = "alertmanager-main-generated";

pub(super) fn subject() -> Subject {
    Subject { properties: properties(), ..super::subject(&operator_monitoring::ALERTMANAGER, scenarios()) }
}

fn scenarios() -> Vec<Scenario> {
    let plain = |name, changes, end_state| Scenario { name, changes, from: 0, end_state };
    let whole =
        json!({"replicas": 2, "retention": "100h", "storage": storage("data", "1Gi"), "logLevel": "debug"});
    vec![
        plain("alertmanager-install", vec![install(&json!({}))], EndState::Running),
        plain("alertmanager-whole", vec![with_config(&whole)], EndState::Whole),
        configs(),
        late(),
        bad(),
        after(
            install(&json!({})),
            "alertmanager-scale",
            vec![
                patch("three", &json!({"replicas": 3}), |state| settled(state) && pods(state) == 3),
                patch("one", &json!({"replicas": 1}), |state| settled(state) && pods(state) == 1),
            ],
        ),
        after(
            install(&json!({"replicas": 2})),
            "alertmanager-version",
            vec![patch("another version", &json!({"version": "v0.28.1"}), |state| {
                settled(state) && all_run(state, ":v0.28.1") && pods(state) == 2
            })],
        ),
        claims(),
        after(
            install(&json!({})),
            "alertmanager-pause",
            vec![
                patch("pause and scale", &json!({"paused": true, "replicas": 2}), |state| {
                    is_paused(state, KIND)
                }),
                patch("go on", &json!({"paused": null}), |state| settled(state) && pods(state) == 2),
            ],
        ),
        ending(with_config(&json!({})), "alertmanager-delete", |state| is_gone(state, KIND)),
    ]
}

fn alertmanager(more: &Value) -> Value {
    let mut spec = json!({"version": "v0.28.0", "replicas": 1, "alertmanagerConfigSelector": {}});
    for (name, value) in more.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    object("v1", "Alertmanager", NAME, &spec)
}

fn install(more: &Value) -> Change {
    create("install", vec![alertmanager(more)], settled)
}

/// A webhook receiver whose URL is in a Secret.
fn receivers(name: &str, secret: &str) -> Value {
    let hook = json!({"urlSecret": {"name": secret, "key": "key"}});
    json!({"route": {"receiver": name}, "receivers": [{"name": name, "webhookConfigs": [hook]}]})
}

fn config(name: &str, spec: &Value) -> Value {
    object("v1alpha1", "AlertmanagerConfig", name, spec)
}

fn with_config(more: &Value) -> Change {
    let objects = vec![
        secret("user-hook", "http://first.example.com"),
        config("people", &receivers("first", "user-hook")),
        alertmanager(more),
    ];
    create("install with a configuration", objects, |state| {
        settled(state) && secret_contains(state, CONFIGURATION, "http://first.example.com")
    })
}

fn properties() -> Vec<Property> {
    let both = |path, change: Value, back: Value| Property { path, change, back: Some(back) };
    vec![
        both("retention", json!({"retention": "50h"}), json!({"retention": "100h"})),
        both("logLevel", json!({"logLevel": null}), json!({"logLevel": "debug"})),
        both(
            "alertmanagerConfigSelector",
            json!({"alertmanagerConfigSelector": {"matchExpressions": [{"key": "none", "operator": "DoesNotExist"}]}}),
            json!({"alertmanagerConfigSelector": {"matchExpressions": null}}),
        ),
    ]
}

fn configs() -> Scenario {
    after(
        with_config(&json!({})),
        "alertmanager-configs",
        vec![
            edit(
                "edit it",
                vec![spec("AlertmanagerConfig", "people", &receivers("edited", "user-hook"))],
                |state| settled(state) && secret_contains(state, CONFIGURATION, "people/edited"),
            ),
            edit(
                "another address",
                vec![rewrite_secret("user-hook", "http://second.example.com")],
                |state| settled(state) && secret_contains(state, CONFIGURATION, "http://second.example.com"),
            ),
        ],
    )
}

/// An AlertmanagerConfig that is created before the Secret that it refers to.
fn late() -> Scenario {
    after(
        with_config(&json!({})),
        "alertmanager-late",
        vec![
            create("a configuration", vec![config("early", &receivers("early", "user-late"))], |state| {
                settled(state) && refused(state) == 1
            }),
            create("its address", vec![secret("user-late", "http://late.example.com")], |state| {
                settled(state)
                    && refused(state) == 0
                    && secret_contains(state, CONFIGURATION, "http://late.example.com")
            }),
        ],
    )
}

fn bad() -> Scenario {
    let mut wrong = receivers("fixed", "user-hook");
    wrong["route"]["receiver"] = "nobody".into();
    after(
        with_config(&json!({})),
        "alertmanager-bad",
        vec![
            create("a bad one", vec![config("bad", &wrong)], |state| settled(state) && refused(state) == 1),
            edit(
                "fixed",
                vec![spec("AlertmanagerConfig", "bad", &receivers("fixed", "user-hook"))],
                |state| {
                    settled(state)
                        && refused(state) == 0
                        && secret_contains(state, CONFIGURATION, "bad/fixed")
                },
            ),
        ],
    )
}

fn claims() -> Scenario {
    after(
        create("install", vec![alertmanager(&json!({"storage": storage("data", "1Gi")}))], settled),
        "alertmanager-claims",
        vec![
            patch("grow", &json!({"storage": storage("data", "2Gi")}), |state| {
                settled(state) && templates(state, "data", "2Gi") && all_have(state, "data", "2Gi")
            }),
            patch("rename", &json!({"storage": storage("other", "2Gi")}), |state| {
                settled(state) && templates(state, "other", "2Gi") && all_have(state, "other", "2Gi")
            }),
        ],
    )
}

fn settled(state: &State) -> bool {
    serves(state, KIND)
}
