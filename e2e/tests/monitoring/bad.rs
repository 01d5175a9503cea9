//! An invalid object of each kind among fifty valid ones: the valid ones stay in effect, another valid one takes effect,
//! the status of the invalid one says what is wrong, and a pod that is deleted starts again. When it is fixed, it takes
//! effect too.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use e2e::wait::{self, holds};
use k8s_openapi::api::core::v1::{Event, Secret};
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams};
use serde_json::{Value, json};

use crate::kind::{ALERTMANAGER, PROMETHEUS};
use crate::objects;
use crate::selected::scrapes;
use crate::workload::Workload;

/// An object that is rejected.
struct Bad {
    kind: &'static str,
    name: &'static str,
    spec: Value,
    /// The message in its status and in the event about it.
    message: &'static str,
    /// How it is fixed.
    fix: Fix,
    /// The entry that servers show for it then.
    entry: String,
}

/// How an object is fixed.
enum Fix {
    /// By a patch of its spec.
    Spec(Value),
    /// By the Secret that it refers to.
    Secret(&'static str, Value),
}

impl Bad {
    async fn apply_fix(&self, namespace: &Namespace) -> Result<()> {
        match &self.fix {
            Fix::Spec(spec) => objects::change(namespace, self.kind, self.name, spec.clone()).await,
            Fix::Secret(name, data) => {
                let secret = json!({"metadata": {"name": name}, "stringData": data});
                namespace.add::<Secret>(&serde_json::from_value(secret)?).await.map(drop)
            }
        }
    }

    /// Waits for an event with its message.
    async fn has_event(&self, namespace: &Namespace) -> Result<()> {
        let fields = format!("involvedObject.kind={},involvedObject.name={}", self.kind, self.name);
        let events = namespace.api::<Event>();
        namespace
            .until(&format!("an event about {} {}", self.kind, self.name), async || {
                let all = events.list(&ListParams::default().fields(&fields)).await?;
                let messages: Vec<_> = all.iter().filter_map(|event| event.message.as_deref()).collect();
                Ok(holds(messages.contains(&self.message), format!("{messages:?}")))
            })
            .await
    }
}

/// A kind of valid objects, and the entry that a server shows for each.
struct Good {
    kind: &'static str,
    spec: fn(&str) -> Value,
    entry: fn(&Namespace, &str) -> String,
}

impl Good {
    async fn create(&self, namespace: &Namespace, name: &str) -> Result<String> {
        objects::create(namespace, self.kind, name, (self.spec)(name)).await?;
        Ok((self.entry)(namespace, name))
    }
}

// All scrape the reloader, because it has few metrics.
const SERVICE_MONITOR: Good = Good {
    kind: "ServiceMonitor",
    spec: |_| {
        let selector = json!({"matchLabels": {"operated-prometheus": "true"}});
        json!({"selector": selector, "endpoints": [{"targetPort": "reloader-web"}]})
    },
    entry: |namespace, name| format!("serviceMonitor/{}/{name}/0", namespace.name()),
};

const POD_MONITOR: Good = Good {
    kind: "PodMonitor",
    spec: |_| {
        let selector = json!({"matchLabels": {"app.kubernetes.io/name": "prometheus"}});
        json!({"selector": selector, "podMetricsEndpoints": [{"port": "reloader-web"}]})
    },
    entry: |namespace, name| format!("podMonitor/{}/{name}/0", namespace.name()),
};

const PROBE: Good = Good {
    kind: "Probe",
    spec: |_| {
        let prober = json!({"url": "localhost:8080", "path": "/metrics"});
        json!({"prober": prober, "targets": {"staticConfig": {"static": ["anything"]}}})
    },
    entry: |namespace, name| format!("probe/{}/{name}", namespace.name()),
};

const SCRAPE_CONFIG: Good = Good {
    kind: "ScrapeConfig",
    spec: |_| json!({"staticConfigs": [{"targets": ["localhost:8080"]}]}),
    entry: |namespace, name| format!("scrapeConfig/{}/{name}", namespace.name()),
};

const RULE: Good = Good {
    kind: "PrometheusRule",
    spec: |name| json!({"groups": [{"name": name, "rules": [{"record": "one", "expr": "vector(1)"}]}]}),
    entry: |_, name| name.to_owned(),
};

const RECEIVER: Good = Good {
    kind: "AlertmanagerConfig",
    spec: |_| {
        let hook = json!({"url": "http://hook.invalid/"});
        json!({"route": {"receiver": "hook"}, "receivers": [{"name": "hook", "webhookConfigs": [hook]}]})
    },
    entry: |namespace, name| format!("{}/{name}/hook", namespace.name()),
};

/// Creates fifty valid objects, and returns the entries that servers show for them.
async fn fifty(namespace: &Namespace, kinds: &[Good]) -> Result<Vec<String>> {
    let mut entries = Vec::new();
    for number in 0..50 {
        let kind = &kinds[number % kinds.len()];
        entries.push(kind.create(namespace, &format!("good-{}-{number}", kind.kind.to_lowercase())).await?);
    }
    Ok(entries)
}

/// Adds the invalid objects to the valid ones, and fixes them at the end.
async fn check(
    workload: &Workload<'_>,
    mut entries: Vec<String>,
    bad: Vec<Bad>,
    another: &Good,
) -> Result<()> {
    let namespace = workload.namespace();
    workload.shows(&entries).await?;
    for one in &bad {
        objects::create(namespace, one.kind, one.name, one.spec.clone()).await?;
    }
    for one in &bad {
        let message = objects::accepted(namespace, (one.kind, one.name), workload.name(), false).await?;
        assert_eq!(message, one.message, "{} {}", one.kind, one.name);
        one.has_event(namespace).await?;
    }
    entries.push(another.create(namespace, "another").await?);
    workload.shows(&entries).await?;

    let pods = namespace.pods();
    let pod = pods.get(&workload.pod_name(0)).await?;
    pods.delete(&pod.name_any(), &DeleteParams::default()).await?;
    wait::gone(&pods, &pod).await?;
    namespace.ready(&pod.name_any()).await?;
    workload.shows(&entries).await?;

    for one in &bad {
        one.apply_fix(namespace).await?;
    }
    for one in bad {
        objects::accepted(namespace, (one.kind, one.name), workload.name(), true).await?;
        entries.push(one.entry);
    }
    workload.shows(&entries).await
}

/// A spec with another value at a JSON pointer.
fn with(mut spec: Value, pointer: &str, value: Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(parent) = spec.pointer_mut(parent) {
        parent[field] = value;
    }
    spec
}

/// An invalid object: a valid one with another value at a JSON pointer.
fn invalid(namespace: &Namespace, good: &Good, name: &'static str, pointer: &str, value: Value) -> Bad {
    let spec = (good.spec)(name);
    let fix = Fix::Spec(spec.clone());
    let entry = (good.entry)(namespace, name);
    Bad { kind: good.kind, name, spec: with(spec, pointer, value), message: "", fix, entry }
}

/// An invalid object of each kind that a Prometheus selects, one with an invalid certificate, and one with an invalid regular
/// expression.
fn bad_monitors(namespace: &Namespace) -> Vec<Bad> {
    let relabeling = json!([{"action": "hashmod", "sourceLabels": ["job"], "targetLabel": "part"}]);
    let expression = json!([{"action": "keep", "sourceLabels": ["job"], "regex": "("}]);
    let key = |name: &str, key: &str| json!({"name": name, "key": key});
    let pair = json!({"cert": {"secret": key("broken", "certificate")}, "keySecret": key("broken", "key")});
    let login = json!({"username": key("missing", "user"), "password": key("missing", "word")});
    let secret = Fix::Secret("missing", json!({"user": "somebody", "word": "something"}));
    let at = |good, name, pointer, value| invalid(namespace, good, name, pointer, value);
    vec![
        Bad {
            message: "endpoints[0]: relabelConfigs: [0]: relabel configuration for hashmod requires non-zero modulus",
            ..at(&SERVICE_MONITOR, "bad-relabeling", "/endpoints/0/relabelings", relabeling.clone())
        },
        Bad {
            message: "endpoints[0]: relabelConfigs: [0]: invalid regex ( for relabel configuration: error parsing regexp: missing closing ): `^(?s:()$`",
            ..at(&SERVICE_MONITOR, "bad-regex", "/endpoints/0/relabelings", expression)
        },
        Bad {
            message: "endpoints[0]: tlsConfig: cert <secret=broken,key=certificate>, key <broken/key>: tls: failed to find any PEM data in certificate input",
            ..at(&SERVICE_MONITOR, "bad-pair", "/endpoints/0/tlsConfig", pair)
        },
        Bad {
            message: "endpoint[0]: basicAuth: failed to get basic auth username: unable to get secret \"missing\": secrets \"missing\" not found",
            fix: secret,
            ..at(&POD_MONITOR, "bad-secret", "/podMetricsEndpoints/0/basicAuth", login)
        },
        Bad {
            message: "\"http://localhost:8080\" url specified in proberSpec is invalid, it should be of the format `hostname` or `hostname:port`: invalid host: \"http://localhost:8080\"",
            ..at(&PROBE, "bad-address", "/prober/url", json!("http://localhost:8080"))
        },
        Bad {
            message: "metricRelabelConfigs: [0]: relabel configuration for hashmod requires non-zero modulus",
            fix: Fix::Spec(json!({"metricRelabelings": null})),
            ..at(&SCRAPE_CONFIG, "bad-metrics", "/metricRelabelings", relabeling)
        },
        Bad {
            message: "4:11: group \"bad-expression\", rule 1, \"one\": could not parse expression: 1:9: parse error: unclosed left parenthesis",
            ..at(&RULE, "bad-expression", "/groups/0/rules/0/expr", json!("vector(1"))
        },
    ]
}

#[tokio::test]
async fn an_invalid_monitor_or_rule_affects_nothing_else() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "bad-monitors").await?;
    objects::allow_discovery(&namespace).await?;
    let broken =
        json!({"metadata": {"name": "broken"}, "stringData": {"certificate": "no", "key": "neither"}});
    namespace.add::<Secret>(&serde_json::from_value(broken)?).await?;
    let kinds = [SERVICE_MONITOR, POD_MONITOR, PROBE, SCRAPE_CONFIG, RULE];
    let entries = fifty(&namespace, &kinds).await?;
    let spec = scrapes(json!({
        "version": "3.13.1", "scrapeInterval": "5s", "evaluationInterval": "5s",
        "ruleSelector": {}, "podMonitorSelector": {}, "probeSelector": {},
    }));
    let workload = Workload::create(&namespace, &PROMETHEUS, "main", spec).await?;
    workload.settled(1, "3.13.1").await?;
    check(&workload, entries, bad_monitors(&namespace), &SERVICE_MONITOR).await
}

#[tokio::test]
async fn an_invalid_receiver_affects_nothing_else() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "bad-receivers").await?;
    let mut entries = fifty(&namespace, &[RECEIVER]).await?;
    entries.push("null".into());
    let spec = json!({"version": "v0.33.1", "alertmanagerConfigSelector": {}});
    let workload = Workload::create(&namespace, &ALERTMANAGER, "main", spec).await?;
    workload.settled(1, "v0.33.1").await?;
    let hook =
        |name, hook| invalid(&namespace, &RECEIVER, name, "/receivers/0/webhookConfigs", json!([hook]));
    let bad = vec![
        Bad {
            message: "failed to validate receiver \"hook\": 'webhookConfigs'[0]: one of 'url' or 'urlSecret' must be specified",
            ..hook("bad-hook", json!({"sendResolved": true}))
        },
        Bad {
            message: "unable to get secret \"missing\": secrets \"missing\" not found",
            fix: Fix::Secret("missing", json!({"url": "http://hook.invalid/"})),
            ..hook("bad-secret", json!({"urlSecret": {"name": "missing", "key": "url"}}))
        },
    ];
    check(&workload, entries, bad, &RECEIVER).await
}
