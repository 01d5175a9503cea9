//! The four kinds of workloads: how their pods are called, and what their servers can be asked.

use serde_json::{Value, json};

/// Where a server shows its configuration, and how that is parsed.
type Page = (&'static str, fn(&Value) -> Vec<String>);

/// What is different from kind to kind.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: &'static str,
    /// What the names of its StatefulSets and pods begin with.
    pub(crate) prefix: &'static str,
    /// What its pods say that they are.
    pub(crate) label: &'static str,
    /// Where its servers listen.
    pub(crate) port: u16,
    /// What a client asks all the time.
    pub(crate) question: &'static str,
    /// Where a server shows its version.
    pub(crate) version: (&'static str, &'static str),
    /// Where a server shows its configuration.
    pub(crate) work: &'static [Page],
    /// How its server is started faster than by default.
    pub(crate) haste: fn() -> Value,
}

/// A server of Prometheus.
pub(crate) const PROMETHEUS: Kind = Kind {
    name: "Prometheus",
    prefix: "prometheus",
    label: "prometheus",
    port: 9090,
    question: "/api/v1/query?query=vector(1)",
    version: ("/api/v1/status/buildinfo", "/data/version"),
    work: &[("/api/v1/targets?state=active", pools), ("/api/v1/rules", groups)],
    haste: start_fast,
};

/// An agent of Prometheus: it can be asked about its targets only.
pub(crate) const AGENT: Kind = Kind {
    name: "PrometheusAgent",
    prefix: "prom-agent",
    label: "prometheus-agent",
    question: "/api/v1/targets",
    work: &[("/api/v1/targets?state=active", pools)],
    ..PROMETHEUS
};

/// An Alertmanager.
pub(crate) const ALERTMANAGER: Kind = Kind {
    name: "Alertmanager",
    prefix: "alertmanager",
    label: "alertmanager",
    port: 9093,
    question: "/api/v2/alerts",
    version: ("/api/v2/status", "/versionInfo/version"),
    work: &[("/api/v2/receivers", receivers)],
    haste: || json!({"name": "alertmanager", "readinessProbe": {"initialDelaySeconds": 1, "periodSeconds": 1}}),
};

/// A Thanos Ruler, with the probe that it has not by default.
pub(crate) const RULER: Kind = Kind {
    name: "ThanosRuler",
    prefix: "thanos-ruler",
    label: "thanos-ruler",
    port: 10902,
    question: "/api/v1/rules",
    version: ("/api/v1/status/buildinfo", "/data/version"),
    work: &[("/api/v1/rules", groups)],
    haste: || {
        let ask = json!({"path": "/-/ready", "port": 10902});
        let ready = json!({"httpGet": ask, "periodSeconds": 1, "timeoutSeconds": 3});
        json!({"name": "thanos-ruler", "readinessProbe": ready})
    },
};

fn start_fast() -> Value {
    let startup = json!({"periodSeconds": 1, "failureThreshold": 200});
    json!({"name": "prometheus", "startupProbe": startup, "readinessProbe": {"periodSeconds": 1}})
}

/// What is scraped, and with success.
fn pools(said: &Value) -> Vec<String> {
    let targets = said["data"]["activeTargets"].as_array().into_iter().flatten();
    texts(targets.filter(|target| target["health"] == "up"), "scrapePool")
}

fn groups(said: &Value) -> Vec<String> {
    texts(said["data"]["groups"].as_array().into_iter().flatten(), "name")
}

fn receivers(said: &Value) -> Vec<String> {
    texts(said.as_array().into_iter().flatten(), "name")
}

fn texts<'v>(objects: impl Iterator<Item = &'v Value>, field: &str) -> Vec<String> {
    objects.filter_map(|object| object[field].as_str().map(str::to_owned)).collect()
}
