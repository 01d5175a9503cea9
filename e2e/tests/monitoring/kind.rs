//! The four kinds of workloads: names of their pods, and the HTTP APIs of their servers.

use serde_json::{Value, json};

/// A page of a server that shows its configuration, and its parser.
type Page = (&'static str, fn(&Value) -> Vec<String>);

/// What is different from kind to kind.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: &'static str,
    /// The prefix of the names of its StatefulSets and pods.
    pub(crate) prefix: &'static str,
    /// The value of the label `app.kubernetes.io/name` of its pods.
    pub(crate) label: &'static str,
    /// The port of its servers.
    pub(crate) port: u16,
    /// The page that clients request.
    pub(crate) request: &'static str,
    /// The page with the version of a server, and the JSON pointer of the version.
    pub(crate) version: (&'static str, &'static str),
    /// The pages that show the configuration of a server.
    pub(crate) pages: &'static [Page],
    /// The container with faster probes than by default.
    pub(crate) fast_probes: fn() -> Value,
}

/// A server of Prometheus.
pub(crate) const PROMETHEUS: Kind = Kind {
    name: "Prometheus",
    prefix: "prometheus",
    label: "prometheus",
    port: 9090,
    request: "/api/v1/query?query=vector(1)",
    version: ("/api/v1/status/buildinfo", "/data/version"),
    pages: &[("/api/v1/targets?state=active", pools), ("/api/v1/rules", groups)],
    fast_probes: start_fast,
};

/// An agent of Prometheus. It serves only its targets.
pub(crate) const AGENT: Kind = Kind {
    name: "PrometheusAgent",
    prefix: "prom-agent",
    label: "prometheus-agent",
    request: "/api/v1/targets",
    pages: &[("/api/v1/targets?state=active", pools)],
    ..PROMETHEUS
};

/// An Alertmanager.
pub(crate) const ALERTMANAGER: Kind = Kind {
    name: "Alertmanager",
    prefix: "alertmanager",
    label: "alertmanager",
    port: 9093,
    request: "/api/v2/alerts",
    version: ("/api/v2/status", "/versionInfo/version"),
    pages: &[("/api/v2/receivers", receivers)],
    fast_probes: || json!({"name": "alertmanager", "readinessProbe": {"initialDelaySeconds": 1, "periodSeconds": 1}}),
};

/// A Thanos Ruler, with a readiness probe, which it does not have by default.
pub(crate) const RULER: Kind = Kind {
    name: "ThanosRuler",
    prefix: "thanos-ruler",
    label: "thanos-ruler",
    port: 10902,
    request: "/api/v1/rules",
    version: ("/api/v1/status/buildinfo", "/data/version"),
    pages: &[("/api/v1/rules", groups)],
    fast_probes: || {
        let get = json!({"path": "/-/ready", "port": 10902});
        let ready = json!({"httpGet": get, "periodSeconds": 1, "timeoutSeconds": 3});
        json!({"name": "thanos-ruler", "readinessProbe": ready})
    },
};

fn start_fast() -> Value {
    let startup = json!({"periodSeconds": 1, "failureThreshold": 200});
    json!({"name": "prometheus", "startupProbe": startup, "readinessProbe": {"periodSeconds": 1}})
}

/// The scrape pools with a target that is up.
fn pools(page: &Value) -> Vec<String> {
    let targets = page["data"]["activeTargets"].as_array().into_iter().flatten();
    texts(targets.filter(|target| target["health"] == "up"), "scrapePool")
}

fn groups(page: &Value) -> Vec<String> {
    texts(page["data"]["groups"].as_array().into_iter().flatten(), "name")
}

fn receivers(page: &Value) -> Vec<String> {
    texts(page.as_array().into_iter().flatten(), "name")
}

fn texts<'v>(objects: impl Iterator<Item = &'v Value>, field: &str) -> Vec<String> {
    objects.filter_map(|object| object[field].as_str().map(str::to_owned)).collect()
}
