//! Scenarios of `PrometheusAgent`, as a StatefulSet and as a DaemonSet.

use serde_json::{Value, json};

use super::parts::{
    NAME, after, all_have, all_run, create, edit, ending, is_gone, is_paused, login, object, patch,
    pod_monitor, pods, refused, rewrite_secret, secret, secret_contains, serves, service_monitor, spec,
    storage, templates,
};
use crate::scenario::{Change, EndState, Scenario, Subject};
use crate::state::State;

const KIND: &str = "prometheusagents.monitoring.coreos.com";
const CONFIGURATION: &str = "prom-agent-main";

pub(super) fn subject() -> Subject {
    super::subject(&operator_monitoring::AGENT, scenarios())
}

fn scenarios() -> Vec<Scenario> {
    let plain = |name, changes, end_state| Scenario { name, changes, from: 0, end_state };
    vec![
        plain("agent-install", vec![install(&json!({}))], EndState::Running),
        plain(
            "agent-whole",
            vec![with_monitors("install with monitors", &json!({"shards": 2}))],
            EndState::Whole,
        ),
        monitors("agent-monitors", &json!({})),
        bad(),
        after(
            install(&json!({})),
            "agent-scale",
            vec![
                patch("two shards", &json!({"shards": 2}), |state| settled(state) && pods(state) == 2),
                patch("one shard", &json!({"shards": 1}), |state| settled(state) && pods(state) == 1),
            ],
        ),
        version("agent-version", &json!({})),
        claims(),
        pause(),
        ending(with_monitors("install", &json!({})), "agent-delete", |state| is_gone(state, KIND)),
        plain("agent-daemon-install", vec![install(&daemon())], EndState::Whole),
        monitors("agent-daemon-monitors", &daemon()),
        version("agent-daemon-version", &daemon()),
        ending(with_monitors("install", &daemon()), "agent-daemon-delete", |state| is_gone(state, KIND)),
    ]
}

fn daemon() -> Value {
    json!({"mode": "DaemonSet"})
}

fn agent(more: &Value) -> Value {
    let mut spec = json!({"version": "v3.4.0", "podMonitorSelector": {}});
    if more["mode"].is_null() {
        spec["serviceMonitorSelector"] = json!({});
    }
    for (name, value) in more.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    object("v1alpha1", "PrometheusAgent", NAME, &spec)
}

fn install(more: &Value) -> Change {
    create("install", vec![agent(more)], settled)
}

/// In a DaemonSet, only pods are scraped.
fn with_monitors(name: &'static str, more: &Value) -> Change {
    let pods = pod_monitor("pods", &json!({"port": "web", "basicAuth": login("user-login")}));
    let mut objects = vec![secret("user-login", "first"), pods];
    if more["mode"].is_null() {
        objects.push(service_monitor("services", &json!({"port": "web"})));
    }
    objects.push(agent(more));
    create(name, objects, |state| settled(state) && secret_contains(state, CONFIGURATION, "password: first"))
}

fn monitors(name: &'static str, more: &Value) -> Scenario {
    let edited = json!({"podMetricsEndpoints": [{"port": "edited", "basicAuth": login("user-login")}]});
    after(
        with_monitors("install", more),
        name,
        vec![
            edit("edit a monitor", vec![spec("PodMonitor", "pods", &edited)], |state| {
                settled(state) && secret_contains(state, CONFIGURATION, "regex: edited")
            }),
            edit("another password", vec![rewrite_secret("user-login", "second")], |state| {
                settled(state) && secret_contains(state, CONFIGURATION, "password: second")
            }),
        ],
    )
}

fn bad() -> Scenario {
    let endpoint = |interval: &str| json!({"port": "fixed", "interval": interval, "scrapeTimeout": "20s"});
    let fixed = json!({"podMetricsEndpoints": [endpoint("30s")]});
    after(
        with_monitors("install", &json!({})),
        "agent-bad",
        vec![
            create("a bad one", vec![pod_monitor("bad", &endpoint("10s"))], |state| {
                settled(state) && refused(state) == 1
            }),
            edit("fixed", vec![spec("PodMonitor", "bad", &fixed)], |state| {
                settled(state) && refused(state) == 0 && secret_contains(state, CONFIGURATION, "regex: fixed")
            }),
        ],
    )
}

fn version(name: &'static str, more: &Value) -> Scenario {
    let upgrade = patch("another version", &json!({"version": "v3.5.0"}), |state| {
        settled(state) && all_run(state, ":v3.5.0")
    });
    after(install(more), name, vec![upgrade])
}

fn claims() -> Scenario {
    after(
        create("install", vec![agent(&json!({"storage": storage("data", "1Gi")}))], settled),
        "agent-claims",
        vec![patch("rename", &json!({"storage": storage("other", "1Gi")}), |state| {
            settled(state) && templates(state, "other", "1Gi") && all_have(state, "other", "1Gi")
        })],
    )
}

fn pause() -> Scenario {
    after(
        install(&json!({})),
        "agent-pause",
        vec![
            patch("pause and scale", &json!({"paused": true, "replicas": 2}), |state| is_paused(state, KIND)),
            patch("go on", &json!({"paused": null}), |state| settled(state) && pods(state) == 2),
        ],
    )
}

fn settled(state: &State) -> bool {
    serves(state, KIND)
}
