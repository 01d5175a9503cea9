//! A bad object of each kind among fifty good ones: the good ones keep working, another good one takes effect, the bad one
//! says what is wrong with it, and a pod that restarts starts. Repaired, it works too.

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
use crate::pieces::scrapes;
use crate::workload::Workload;

/// An object that is refused.
struct Bad {
    kind: &'static str,
    name: &'static str,
    spec: Value,
    /// What its status and the event about it say.
    says: &'static str,
    /// How it is repaired.
    repair: Repair,
    /// What servers then do.
    work: String,
}

/// How an object is repaired.
enum Repair {
    /// By other fields.
    Spec(Value),
    /// By the Secret that it points to.
    Secret(&'static str, Value),
}

impl Bad {
    async fn repair(&self, namespace: &Namespace) -> Result<()> {
        match &self.repair {
            Repair::Spec(spec) => objects::change(namespace, self.kind, self.name, spec.clone()).await,
            Repair::Secret(name, data) => {
                let secret = json!({"metadata": {"name": name}, "stringData": data});
                namespace.add::<Secret>(&serde_json::from_value(secret)?).await.map(drop)
            }
        }
    }

    /// Waits for an event that says what is wrong.
    async fn is_told(&self, namespace: &Namespace) -> Result<()> {
        let fields = format!("involvedObject.kind={},involvedObject.name={}", self.kind, self.name);
        let events = namespace.api::<Event>();
        namespace
            .until(&format!("an event about {} {}", self.kind, self.name), async || {
                let all = events.list(&ListParams::default().fields(&fields)).await?;
                let said: Vec<_> = all.iter().filter_map(|event| event.message.as_deref()).collect();
                Ok(holds(said.contains(&self.says), format!("{said:?}")))
            })
            .await
    }
}

/// Objects that work, each with what it makes a server do.
struct Good {
    kind: &'static str,
    spec: fn(&str) -> Value,
    work: fn(&Namespace, &str) -> String,
}

impl Good {
    async fn create(&self, namespace: &Namespace, name: &str) -> Result<String> {
        objects::create(namespace, self.kind, name, (self.spec)(name)).await?;
        Ok((self.work)(namespace, name))
    }
}

// All scrape the reloader beside the server: it has little to say, and fifty times little is not much.
const SERVICE_MONITOR: Good = Good {
    kind: "ServiceMonitor",
    spec: |_| {
        let selector = json!({"matchLabels": {"operated-prometheus": "true"}});
        json!({"selector": selector, "endpoints": [{"targetPort": "reloader-web"}]})
    },
    work: |namespace, name| format!("serviceMonitor/{}/{name}/0", namespace.name()),
};

const POD_MONITOR: Good = Good {
    kind: "PodMonitor",
    spec: |_| {
        let selector = json!({"matchLabels": {"app.kubernetes.io/name": "prometheus"}});
        json!({"selector": selector, "podMetricsEndpoints": [{"port": "reloader-web"}]})
    },
    work: |namespace, name| format!("podMonitor/{}/{name}/0", namespace.name()),
};

const PROBE: Good = Good {
    kind: "Probe",
    spec: |_| {
        let prober = json!({"url": "localhost:8080", "path": "/metrics"});
        json!({"prober": prober, "targets": {"staticConfig": {"static": ["anything"]}}})
    },
    work: |namespace, name| format!("probe/{}/{name}", namespace.name()),
};

const SCRAPE_CONFIG: Good = Good {
    kind: "ScrapeConfig",
    spec: |_| json!({"staticConfigs": [{"targets": ["localhost:8080"]}]}),
    work: |namespace, name| format!("scrapeConfig/{}/{name}", namespace.name()),
};

const RULE: Good = Good {
    kind: "PrometheusRule",
    spec: |name| json!({"groups": [{"name": name, "rules": [{"record": "one", "expr": "vector(1)"}]}]}),
    work: |_, name| name.to_owned(),
};

const RECEIVER: Good = Good {
    kind: "AlertmanagerConfig",
    spec: |_| {
        let hook = json!({"url": "http://hook.invalid/"});
        json!({"route": {"receiver": "hook"}, "receivers": [{"name": "hook", "webhookConfigs": [hook]}]})
    },
    work: |namespace, name| format!("{}/{name}/hook", namespace.name()),
};

/// Creates fifty good objects, and gives back what servers do then.
async fn fifty(namespace: &Namespace, kinds: &[Good]) -> Result<Vec<String>> {
    let mut work = Vec::new();
    for number in 0..50 {
        let kind = &kinds[number % kinds.len()];
        work.push(kind.create(namespace, &format!("good-{}-{number}", kind.kind.to_lowercase())).await?);
    }
    Ok(work)
}

/// Puts the bad ones among the good ones.
async fn play(workload: &Workload<'_>, mut work: Vec<String>, bad: Vec<Bad>, another: &Good) -> Result<()> {
    let namespace = workload.namespace();
    workload.works_on(&work).await?;
    for one in &bad {
        objects::create(namespace, one.kind, one.name, one.spec.clone()).await?;
    }
    for one in &bad {
        let said = objects::judged(namespace, (one.kind, one.name), workload.name(), false).await?;
        assert_eq!(said, one.says, "{} {}", one.kind, one.name);
        one.is_told(namespace).await?;
    }
    work.push(another.create(namespace, "another").await?);
    workload.works_on(&work).await?;

    let pods = namespace.pods();
    let pod = pods.get(&workload.pod_name(0)).await?;
    pods.delete(&pod.name_any(), &DeleteParams::default()).await?;
    wait::gone(&pods, &pod).await?;
    namespace.ready(&pod.name_any()).await?;
    workload.works_on(&work).await?;

    for one in &bad {
        one.repair(namespace).await?;
    }
    for one in bad {
        objects::judged(namespace, (one.kind, one.name), workload.name(), true).await?;
        work.push(one.work);
    }
    workload.works_on(&work).await
}

/// A spec with one more field at a place.
fn with(mut spec: Value, place: &str, value: Value) -> Value {
    let (parent, field) = place.rsplit_once('/').unwrap_or_default();
    if let Some(parent) = spec.pointer_mut(parent) {
        parent[field] = value;
    }
    spec
}

/// A bad object: a good one with another value somewhere.
fn spoilt(namespace: &Namespace, good: &Good, name: &'static str, (place, value): (&str, Value)) -> Bad {
    let spec = (good.spec)(name);
    let repair = Repair::Spec(spec.clone());
    let work = (good.work)(namespace, name);
    Bad { kind: good.kind, name, spec: with(spec, place, value), says: "", repair, work }
}

/// One of each kind that a Prometheus selects, one with a broken pair of certificate and key, and one with an expression that
/// Prometheus would refuse.
fn bad_monitors(namespace: &Namespace) -> Vec<Bad> {
    let relabeling = json!([{"action": "hashmod", "sourceLabels": ["job"], "targetLabel": "part"}]);
    let expression = json!([{"action": "keep", "sourceLabels": ["job"], "regex": "("}]);
    let key = |name: &str, key: &str| json!({"name": name, "key": key});
    let pair = json!({"cert": {"secret": key("broken", "certificate")}, "keySecret": key("broken", "key")});
    let login = json!({"username": key("missing", "user"), "password": key("missing", "word")});
    let secret = Repair::Secret("missing", json!({"user": "somebody", "word": "something"}));
    let at = |good, name, place, value| spoilt(namespace, good, name, (place, value));
    vec![
        Bad {
            says: "endpoints[0]: relabelConfigs: [0]: relabel configuration for hashmod requires non-zero modulus",
            ..at(&SERVICE_MONITOR, "bad-relabeling", "/endpoints/0/relabelings", relabeling.clone())
        },
        Bad {
            says: "endpoints[0]: relabelConfigs: [0]: invalid regex ( for relabel configuration: error parsing regexp: missing closing ): `^(?s:()$`",
            ..at(&SERVICE_MONITOR, "bad-regex", "/endpoints/0/relabelings", expression)
        },
        Bad {
            says: "endpoints[0]: tlsConfig: cert <secret=broken,key=certificate>, key <broken/key>: tls: failed to find any PEM data in certificate input",
            ..at(&SERVICE_MONITOR, "bad-pair", "/endpoints/0/tlsConfig", pair)
        },
        Bad {
            says: "endpoint[0]: basicAuth: failed to get basic auth username: unable to get secret \"missing\": secrets \"missing\" not found",
            repair: secret,
            ..at(&POD_MONITOR, "bad-secret", "/podMetricsEndpoints/0/basicAuth", login)
        },
        Bad {
            says: "\"http://localhost:8080\" url specified in proberSpec is invalid, it should be of the format `hostname` or `hostname:port`: invalid host: \"http://localhost:8080\"",
            ..at(&PROBE, "bad-address", "/prober/url", json!("http://localhost:8080"))
        },
        Bad {
            says: "metricRelabelConfigs: [0]: relabel configuration for hashmod requires non-zero modulus",
            repair: Repair::Spec(json!({"metricRelabelings": null})),
            ..at(&SCRAPE_CONFIG, "bad-metrics", "/metricRelabelings", relabeling)
        },
        Bad {
            says: "4:11: group \"bad-expression\", rule 1, \"one\": could not parse expression: 1:9: parse error: unclosed left parenthesis",
            ..at(&RULE, "bad-expression", "/groups/0/rules/0/expr", json!("vector(1"))
        },
    ]
}

#[tokio::test]
async fn a_bad_monitor_or_rule_harms_nobody() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "bad-monitors").await?;
    objects::allow_discovery(&namespace).await?;
    let broken =
        json!({"metadata": {"name": "broken"}, "stringData": {"certificate": "no", "key": "neither"}});
    namespace.add::<Secret>(&serde_json::from_value(broken)?).await?;
    let kinds = [SERVICE_MONITOR, POD_MONITOR, PROBE, SCRAPE_CONFIG, RULE];
    let work = fifty(&namespace, &kinds).await?;
    let spec = scrapes(json!({
        "version": "3.13.1", "scrapeInterval": "5s", "evaluationInterval": "5s",
        "ruleSelector": {}, "podMonitorSelector": {}, "probeSelector": {},
    }));
    let workload = Workload::create(&namespace, &PROMETHEUS, "main", spec).await?;
    workload.settled(1, "3.13.1").await?;
    play(&workload, work, bad_monitors(&namespace), &SERVICE_MONITOR).await
}

#[tokio::test]
async fn a_bad_receiver_harms_nobody() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "bad-receivers").await?;
    let mut work = fifty(&namespace, &[RECEIVER]).await?;
    work.push("null".into());
    let spec = json!({"version": "v0.33.1", "alertmanagerConfigSelector": {}});
    let workload = Workload::create(&namespace, &ALERTMANAGER, "main", spec).await?;
    workload.settled(1, "v0.33.1").await?;
    let hook =
        |name, hook| spoilt(&namespace, &RECEIVER, name, ("/receivers/0/webhookConfigs", json!([hook])));
    let bad = vec![
        Bad {
            says: "failed to validate receiver \"hook\": 'webhookConfigs'[0]: one of 'url' or 'urlSecret' must be specified",
            ..hook("bad-hook", json!({"sendResolved": true}))
        },
        Bad {
            says: "unable to get secret \"missing\": secrets \"missing\" not found",
            repair: Repair::Secret("missing", json!({"url": "http://hook.invalid/"})),
            ..hook("bad-secret", json!({"urlSecret": {"name": "missing", "key": "url"}}))
        },
    ];
    play(&workload, work, bad, &RECEIVER).await
}
