//! Scenarios of `Prometheus`.

use serde_json::{Value, json};

use super::parts::{
    DEADLINE, NAME, after, all_have, all_run, config_map_contains, create, edit, ending, is_gone, is_paused,
    is_refused, login, object, patch, pod_monitor, pods, probe, refused, rewrite_secret, rule, rules,
    scrape_config, secret, secret_contains, serves, service_monitor, spec, storage, templates,
};
use crate::scenario::{Change, EndState, Property, Scenario, Subject};
use crate::state::State;

const KIND: &str = "prometheuses.monitoring.coreos.com";
const CONFIGURATION: &str = "prometheus-main";
const RULES: &str = "prometheus-main-rulefiles-0";

pub(super) fn subject() -> Subject {
    Subject { properties: properties(), ..super::subject(&operator_monitoring::PROMETHEUS, scenarios()) }
}

fn scenarios() -> Vec<Scenario> {
    let plain = |name, changes, end_state| Scenario { name, changes, from: 0, end_state };
    let mut all = vec![
        plain("prometheus-install", vec![install(&json!({}))], EndState::Running),
        plain("prometheus-whole", vec![whole()], EndState::Whole),
        monitors(),
        late(),
        bad(),
        after(
            install(&json!({})),
            "prometheus-scale",
            vec![
                patch("two replicas", &json!({"replicas": 2}), |state| settled(state) && pods(state) == 2),
                patch("two shards", &json!({"shards": 2}), |state| settled(state) && pods(state) == 4),
                patch("one of each", &json!({"replicas": 1, "shards": 1}), |state| {
                    settled(state) && pods(state) == 1
                }),
            ],
        ),
        after(
            install(&json!({"shards": 2, "shardRetentionPolicy": {"whenScaled": "Retain"}})),
            "prometheus-retention",
            vec![
                patch("one shard", &json!({"shards": 1}), |state| settled(state) && is_kept(state)),
                patch("two again", &json!({"shards": 2}), |state| settled(state) && !is_kept(state)),
            ],
        ),
        after(
            install(&json!({})),
            "prometheus-version",
            vec![patch("another version", &json!({"version": "v3.5.0"}), |state| {
                settled(state) && all_run(state, ":v3.5.0")
            })],
        ),
        after(
            install(&json!({})),
            "prometheus-stuck",
            vec![
                patch("what crashes", &json!({"image": "example.com/prometheus:crash-loop"}), crashes),
                patch("back", &json!({"image": null}), |state| settled(state) && all_run(state, ":v3.4.0")),
            ],
        ),
    ];
    all.extend([
        claims(),
        invalid(),
        pause(),
        ending(with_monitors(), "prometheus-delete", |state| is_gone(state, KIND)),
    ]);
    all
}

fn prometheus(more: &Value) -> Value {
    let mut spec = json!({
        "version": "v3.4.0",
        "serviceMonitorSelector": {}, "podMonitorSelector": {}, "probeSelector": {},
        "scrapeConfigSelector": {}, "ruleSelector": {},
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    object("v1", "Prometheus", NAME, &spec)
}

fn install(more: &Value) -> Change {
    create("install", vec![prometheus(more)], settled)
}

/// One object of each kind that it selects, and a Secret that two of them refer to.
fn selected() -> Vec<Value> {
    vec![
        secret("user-login", "first"),
        service_monitor("services", &json!({"port": "web", "basicAuth": login("user-login")})),
        pod_monitor("pods", &json!({"port": "web"})),
        probe("addresses"),
        scrape_config("others"),
        rule("rules", "vector(1)"),
    ]
}

fn with_monitors() -> Change {
    let objects = selected().into_iter().chain([prometheus(&json!({}))]).collect();
    create("install with monitors", objects, |state| {
        settled(state) && secret_contains(state, CONFIGURATION, "password: first")
    })
}

fn whole() -> Change {
    let spec = json!({
        "replicas": 1, "shards": 2, "retention": "2d", "externalLabels": {"cluster": "one"}, "logLevel": "debug",
        "storage": storage("data", "1Gi"), "additionalScrapeConfigs": {"name": "user-more", "key": "key"},
        "thanos": {"version": "0.40.0"}, "resources": {"requests": {"cpu": "100m"}},
    });
    let more = secret("user-more", "- job_name: more\n  static_configs: []\n");
    let objects = selected().into_iter().chain([more, prometheus(&spec)]).collect();
    create("install with everything", objects, |state| {
        // Only what does not depend on a property that is changed later.
        settled(state) && secret_contains(state, CONFIGURATION, "password: first") && pods(state) == 2
    })
}

fn properties() -> Vec<Property> {
    let both = |path, change: Value, back: Value| Property { path, change, back: Some(back) };
    vec![
        both("retention", json!({"retention": "3d"}), json!({"retention": "2d"})),
        both(
            "externalLabels",
            json!({"externalLabels": {"cluster": null, "zone": "two"}}),
            json!({"externalLabels": {"cluster": "one", "zone": null}}),
        ),
        both("logLevel", json!({"logLevel": null}), json!({"logLevel": "debug"})),
        both(
            "additionalScrapeConfigs",
            json!({"additionalScrapeConfigs": null}),
            json!({"additionalScrapeConfigs": {"name": "user-more", "key": "key"}}),
        ),
        both("thanos", json!({"thanos": null}), json!({"thanos": {"version": "0.40.0"}})),
        both("paused", json!({"paused": false}), json!({"paused": null})),
    ]
}

fn monitors() -> Scenario {
    let changed = vec![
        spec(
            "ServiceMonitor",
            "services",
            &json!({"endpoints": [{"port": "edited-service", "basicAuth": login("user-login")}]}),
        ),
        spec("PodMonitor", "pods", &json!({"podMetricsEndpoints": [{"port": "edited-pod"}]})),
        spec("Probe", "addresses", &json!({"prober": {"url": "edited-prober:9115"}})),
        spec("ScrapeConfig", "others", &json!({"staticConfigs": [{"targets": ["edited-target:9090"]}]})),
    ];
    let edited = |state: &State| {
        let all = ["edited-service", "edited-pod", "edited-prober", "edited-target"];
        settled(state) && all.iter().all(|text| secret_contains(state, CONFIGURATION, text))
    };
    after(
        with_monitors(),
        "prometheus-monitors",
        vec![
            edit("edit monitors", changed, edited),
            edit("edit a rule", vec![spec("PrometheusRule", "rules", &rules("vector(2)"))], |state| {
                settled(state) && config_map_contains(state, RULES, "vector(2)")
            }),
            edit("another password", vec![rewrite_secret("user-login", "second")], |state| {
                settled(state) && secret_contains(state, CONFIGURATION, "password: second")
            }),
        ],
    )
}

/// A monitor that is created before the Secret that it refers to.
fn late() -> Scenario {
    let early = service_monitor("early", &json!({"port": "early", "basicAuth": login("user-late")}));
    after(
        with_monitors(),
        "prometheus-late",
        vec![
            create("a monitor", vec![early], |state| settled(state) && refused(state) == 1),
            create("its password", vec![secret("user-late", "at last")], |state| {
                settled(state)
                    && refused(state) == 0
                    && secret_contains(state, CONFIGURATION, "password: at last")
            }),
        ],
    )
}

/// An invalid monitor and an invalid rule among valid ones.
fn bad() -> Scenario {
    let relabeled = |regex: &str| {
        let relabeling = json!({"sourceLabels": ["a"], "regex": regex, "action": "keep"});
        json!({"port": "fixed", "relabelings": [relabeling]})
    };
    let objects = vec![service_monitor("bad-monitor", &relabeled("(")), rule("bad-rule", "sum(")];
    let fixed = vec![
        spec("ServiceMonitor", "bad-monitor", &json!({"endpoints": [relabeled("(a)")]})),
        spec("PrometheusRule", "bad-rule", &rules("vector(3)")),
    ];
    after(
        with_monitors(),
        "prometheus-bad",
        vec![
            create("two bad ones", objects, |state| settled(state) && refused(state) == 2),
            edit("fixed", fixed, |state| {
                settled(state)
                    && refused(state) == 0
                    && secret_contains(state, CONFIGURATION, "regex: fixed")
                    && config_map_contains(state, RULES, "vector(3)")
            }),
        ],
    )
}

/// Volumes that are expanded, which does not replace pods, and volumes with another name, which does.
fn claims() -> Scenario {
    let install = create(
        "install",
        vec![prometheus(&json!({"replicas": 2, "storage": storage("data", "1Gi")}))],
        settled,
    );
    after(
        install,
        "prometheus-claims",
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

fn invalid() -> Scenario {
    after(
        install(&json!({})),
        "prometheus-invalid",
        vec![
            patch("no version", &json!({"version": "newest"}), |state| is_refused(state, KIND)),
            patch("back", &json!({"version": "v3.4.0"}), settled),
        ],
    )
}

fn pause() -> Scenario {
    after(
        with_monitors(),
        "prometheus-pause",
        vec![
            patch("pause", &json!({"paused": true}), |state| is_paused(state, KIND)),
            patch("scale while paused", &json!({"replicas": 2}), |state| is_paused(state, KIND)),
            patch("go on", &json!({"paused": null}), |state| settled(state) && pods(state) == 2),
        ],
    )
}

fn settled(state: &State) -> bool {
    serves(state, KIND)
}

/// Its pod is in a crash loop, and the status says that it is not available.
fn crashes(state: &State) -> bool {
    let broken = |pod: &Value| pod["status"]["containerStatuses"][0]["state"]["waiting"].is_object();
    state.of_kind("pods").any(broken)
        && state.get(KIND, NAME).is_some_and(|workload| !crate::state::holds(workload, "Available"))
}

/// The second shard has a deadline for its deletion.
fn is_kept(state: &State) -> bool {
    let set = state.get("statefulsets.apps", "prometheus-main-shard-1");
    set.is_some_and(|set| set["metadata"]["annotations"][DEADLINE].is_string())
}
