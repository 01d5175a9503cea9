//! Small objects that configure workloads, and what servers then say that they do.

use anyhow::Result;
use e2e::namespace::Namespace;
use serde_json::{Value, json};

use crate::objects::{self, ACCOUNT};

/// An object that configures a workload.
pub(crate) struct Piece {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) spec: Value,
    /// What servers then say that they do.
    pub(crate) work: String,
}

impl Piece {
    /// Creates it.
    pub(crate) async fn create(&self, namespace: &Namespace) -> Result<()> {
        objects::create(namespace, self.kind, self.name, self.spec.clone()).await
    }

    /// All servers behind a Service of the operator.
    pub(crate) fn all_of(namespace: &Namespace, label: &str) -> Piece {
        Piece {
            kind: "ServiceMonitor",
            name: "all",
            spec: json!({"selector": {"matchLabels": {label: "true"}}, "endpoints": [{"port": "web"}]}),
            work: format!("serviceMonitor/{}/all/0", namespace.name()),
        }
    }
}

/// A server that scrapes itself, under any name.
pub(crate) fn itself(namespace: &Namespace, name: &'static str) -> Piece {
    Piece {
        kind: "ScrapeConfig",
        name,
        spec: json!({"staticConfigs": [{"targets": ["localhost:9090"]}]}),
        work: format!("scrapeConfig/{}/{name}", namespace.name()),
    }
}

/// A group of rules.
pub(crate) fn group(name: &'static str) -> Piece {
    let rule = json!({"record": "one", "expr": "vector(1)"});
    Piece {
        kind: "PrometheusRule",
        name,
        spec: json!({"groups": [{"name": name, "rules": [rule]}]}),
        work: name.to_owned(),
    }
}

/// A receiver of alerts.
pub(crate) fn receiver(namespace: &Namespace, name: &'static str) -> Piece {
    let hook = json!({"url": "http://hook.invalid/"});
    Piece {
        kind: "AlertmanagerConfig",
        name,
        spec: json!({"route": {"receiver": "hook"}, "receivers": [{"name": "hook", "webhookConfigs": [hook]}]}),
        work: format!("{}/{name}/hook", namespace.name()),
    }
}

/// What servers and agents have in common, and more. The oldest version of the lab cannot find targets in Kubernetes: what
/// it scrapes must name its targets.
pub(crate) fn scrapes(more: Value) -> Value {
    let mut spec = json!({
        "serviceAccountName": ACCOUNT,
        "serviceDiscoveryRole": "EndpointSlice",
        "scrapeInterval": "1s",
        "serviceMonitorSelector": {},
        "scrapeConfigSelector": {},
    });
    objects::merge(&mut spec, more);
    spec
}
