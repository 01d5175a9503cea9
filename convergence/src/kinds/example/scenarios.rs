//! Scenarios of `ExampleApp`.

use serde_json::{Value, json};

use super::APP;
use crate::scenario::{Change, Done, EndState, Scenario, UserAction};
use crate::state::{State, is_ready};

const APPS: &str = "exampleapps.example-app.appdelivery.cncf.io";

pub(super) fn all() -> Vec<Scenario> {
    let mut all = vec![
        Scenario { name: "install", changes: vec![install()], from: 0, end_state: EndState::Running },
        Scenario { name: "whole", changes: vec![whole()], from: 0, end_state: EndState::Whole },
        after_install(
            "features",
            vec![
                patch("turn on", &json!({"features": {"one": true, "two": false}}), settled),
                patch("turn off", &json!({"features": {"one": false, "two": null}}), settled),
            ],
        ),
        after_install(
            "scale",
            vec![
                patch("scale to 3", &json!({"replicas": 3}), settled),
                patch("scale to 2", &json!({"replicas": 2}), settled),
            ],
        ),
        after_install(
            "stop",
            vec![
                patch("no instances", &json!({"replicas": 0}), settled),
                patch("one again", &json!({"replicas": 1}), settled),
            ],
        ),
        after_install(
            "resources",
            vec![patch("more memory", &json!({"resources": {"limits": {"memory": "300Mi"}}}), settled)],
        ),
        after_install("grow", vec![patch("grow volumes", &json!({"storage": {"size": "2Gi"}}), settled)]),
        after_install(
            "refused-class",
            vec![
                patch("another class", &json!({"storage": {"className": "other"}}), settled),
                patch("back", &json!({"storage": {"className": null}}), settled),
            ],
        ),
        after_install(
            "pause",
            vec![
                patch("pause", &json!({"paused": true}), paused),
                patch("scale while paused", &json!({"replicas": 2}), paused),
                patch("go on", &json!({"paused": null}), settled),
            ],
        ),
        after_install(
            "invalid",
            vec![
                patch("an image with a tag", &json!({"image": "example.com/app:1"}), refused),
                patch("fixed", &json!({"image": null}), settled),
            ],
        ),
        after_install(
            "downgrade",
            vec![
                patch("an older version", &json!({"appVersion": "0.0.0"}), settled),
                patch("back", &json!({"appVersion": "0.0.1"}), settled),
            ],
        ),
    ];
    all.extend(upgrades());
    all.extend(endings());
    all.push(adopt());
    all
}

fn upgrades() -> Vec<Scenario> {
    vec![
        after_install("upgrade", vec![patch("upgrade", &json!({"appVersion": "0.0.2"}), upgraded)]),
        after_install(
            "upgrade-of-two",
            vec![
                patch("scale to 2", &json!({"replicas": 2}), settled),
                patch("upgrade", &json!({"appVersion": "0.0.2"}), upgraded),
            ],
        ),
        after_install(
            "never-ready",
            vec![
                patch(
                    "upgrade to a version that never becomes ready",
                    &json!({"appVersion": "0.0.2-never-ready", "upgrade": {"progressDeadlineSeconds": 8}}),
                    rolled_back,
                ),
                patch("back", &json!({"appVersion": "0.0.1"}), settled),
            ],
        ),
        after_install(
            "crash-loop",
            vec![patch(
                "upgrade to a version that crashes",
                &json!({"appVersion": "0.0.2-crash-loop"}),
                rolled_back,
            )],
        ),
        after_install(
            "migration-fails",
            vec![patch("upgrade that fails", &json!({"appVersion": "0.0.2-migration-fails"}), rolled_back)],
        ),
        after_install(
            "superseded",
            vec![
                Change {
                    name: "upgrade to a version that never becomes ready",
                    action: UserAction::Patch(json!({"spec": {"appVersion": "0.0.2-never-ready"}})),
                    done: Done::Reached(is_stuck),
                },
                patch("another version", &json!({"appVersion": "0.0.2"}), upgraded),
            ],
        ),
    ]
}

fn endings() -> Vec<Scenario> {
    let ending = |name, policy: Value, gone| {
        let settings = patch("set the deletion policy", &json!({"deletion": policy}), settled);
        let delete = Change { name: "delete", action: UserAction::Delete, done: Done::Settled(gone) };
        let changes = vec![install(), settings, delete];
        Scenario { name, changes, from: 2, end_state: EndState::Gone }
    };
    vec![
        ending("uninstall", json!({"volumes": "Keep"}), only_volumes),
        ending("uninstall-all", json!({"volumes": "Delete"}), nothing),
        ending("disconnect", json!({"policy": "Disconnect"}), disconnected),
    ]
}

/// An application that the operator did not create.
fn adopt() -> Scenario {
    let run = Change {
        name: "create without the operator",
        action: UserAction::Create(found()),
        done: Done::Settled(runs),
    };
    let resource = vec![app(&json!({"appVersion": "0.0.1"}))];
    let adopt = Change { name: "adopt", action: UserAction::Create(resource), done: Done::Settled(adopted) };
    let features = patch("turn on", &json!({"features": {"one": true}}), adopted);
    let upgrade = patch("upgrade", &json!({"appVersion": "0.0.2"}), upgraded);
    let changes = vec![run, adopt, features, upgrade];
    Scenario { name: "adopt", changes, from: 1, end_state: EndState::Running }
}

fn after_install(name: &'static str, changes: Vec<Change>) -> Scenario {
    let changes = std::iter::once(install()).chain(changes).collect();
    Scenario { name, changes, from: 1, end_state: EndState::Running }
}

fn app(spec: &Value) -> Value {
    json!({
        "apiVersion": "example-app.appdelivery.cncf.io/v1alpha1",
        "kind": "ExampleApp",
        "metadata": {"name": APP},
        "spec": spec,
    })
}

fn install() -> Change {
    let action = UserAction::Create(vec![app(&json!({"appVersion": "0.0.1"}))]);
    Change { name: "install", action, done: Done::Settled(settled) }
}

pub(super) fn backup() -> Value {
    json!({"enabled": false, "storageType": "s3", "host": "store.example.com", "bucketName": "backups"})
}

pub(super) fn resources() -> Value {
    json!({"requests": {"cpu": "15m", "memory": "40Mi"}, "limits": {"cpu": "1", "memory": "200Mi"}})
}

fn whole() -> Change {
    let spec = json!({
        "appVersion": "0.0.1",
        "features": {"one": true, "two": false},
        "backup": backup(),
        "replicas": 2,
        "resources": resources(),
        "storage": {"size": "1Gi"},
        "image": "example.com/app",
        "upgrade": {"progressDeadlineSeconds": 60},
        "deletion": {"policy": "Uninstall", "volumes": "Keep"},
    });
    Change {
        name: "install with a complete spec",
        action: UserAction::Create(vec![app(&spec)]),
        done: Done::Settled(settled),
    }
}

fn patch(name: &'static str, spec: &Value, done: fn(&State) -> bool) -> Change {
    Change { name, action: UserAction::Patch(json!({ "spec": spec })), done: Done::Settled(done) }
}

fn resource(state: &State) -> Option<&Value> {
    let app = state.get(APPS, APP)?;
    (app["status"]["observedGeneration"] == app["metadata"]["generation"]).then_some(app)
}

/// The reason of a condition.
fn reason<'a>(app: &'a Value, condition: &str) -> &'a str {
    let all = app["status"]["conditions"].as_array();
    let found = all.into_iter().flatten().find(|one| one["type"] == condition);
    found.and_then(|one| one["reason"].as_str()).unwrap_or_default()
}

fn settled(state: &State) -> bool {
    resource(state).is_some_and(|app| {
        reason(app, "Progressing") == "Settled" && matches!(reason(app, "Ready"), "AllReady" | "NoInstances")
    })
}

/// An application runs that the operator did not create.
fn runs(state: &State) -> bool {
    state.of_kind("pods").any(is_ready) && state.of_kind("services").count() > 0
}

fn paused(state: &State) -> bool {
    resource(state).is_some_and(|app| reason(app, "Progressing") == "Paused")
}

fn refused(state: &State) -> bool {
    resource(state).is_some_and(|app| reason(app, "Accepted") == "ImageWithTag")
}

fn upgraded(state: &State) -> bool {
    settled(state) && resource(state).is_some_and(|app| app["status"]["currentVersion"] == "0.0.2")
}

fn rolled_back(state: &State) -> bool {
    settled(state)
        && resource(state).is_some_and(|app| {
            reason(app, "Upgraded") == "RolledBack" && app["status"]["currentVersion"] == "0.0.1"
        })
}

/// The instance that takes the writes runs the version that never becomes ready.
fn is_stuck(state: &State) -> bool {
    let writer = state.get("pods", "app-0");
    let image = writer.and_then(|pod| pod["spec"]["containers"][0]["image"].as_str());
    let runs = writer.is_some_and(|pod| pod["status"]["phase"] == "Running");
    runs && image.is_some_and(|image| image.contains("never-ready"))
        && resource(state).is_some_and(|app| app["status"]["upgrade"]["phase"] == "Writer")
}

fn nothing(state: &State) -> bool {
    state.0.is_empty()
}

fn only_volumes(state: &State) -> bool {
    !state.0.is_empty() && state.0.keys().all(|name| name.kind == "persistentvolumeclaims")
}

fn disconnected(state: &State) -> bool {
    state.get(APPS, APP).is_none() && state.get("statefulsets.apps", APP).is_some()
}

fn adopted(state: &State) -> bool {
    settled(state)
}

/// The objects of a user: other labels, another Service, other names.
fn found() -> Vec<Value> {
    let labels = json!({"run": "old"});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "old-login"},
        "stringData": {"username": "admin", "password": "old"},
    });
    let service = |name: &str, address: Value| {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"clusterIP": address, "selector": labels, "ports": [{"name": "http", "port": 8080}]},
        })
    };
    let container = json!({
        "name": "server", "image": "example.com/app:0.0.1", "args": ["serve"],
        "env": [{"name": "EXAMPLE_APP_AUTH_DIRECTORY", "value": "/login"}, {"name": "EXAMPLE_APP_DATA", "value": "/data"}],
        "volumeMounts": [{"name": "login", "mountPath": "/login"}, {"name": "store", "mountPath": "/data"}],
    });
    let set = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": APP},
        "spec": {
            "replicas": 1, "serviceName": "old-names", "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [container],
                    "volumes": [{"name": "login", "secret": {"secretName": "old-login"}}],
                },
            },
            "volumeClaimTemplates": [{
                "metadata": {"name": "store"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }],
        },
    });
    vec![secret, service("old-names", "None".into()), service(APP, Value::Null), set]
}
