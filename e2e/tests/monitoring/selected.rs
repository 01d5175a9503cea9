//! Small objects that workloads select, and the entries that servers show for them.

use anyhow::Result;
use e2e::namespace::Namespace;
use serde_json::{Value, json};

use crate::objects::{self, ACCOUNT};

/// An object that workloads select.
pub(crate) struct SelectedObject {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) spec: Value,
    /// The scrape pool, rule group or receiver that servers show for it.
    pub(crate) entry: String,
}

impl SelectedObject {
    /// Creates it.
    pub(crate) async fn create(&self, namespace: &Namespace) -> Result<()> {
        objects::create(namespace, self.kind, self.name, self.spec.clone()).await
    }

    /// A ServiceMonitor for the servers of a governing Service.
    pub(crate) fn all_of(namespace: &Namespace, label: &str) -> SelectedObject {
        SelectedObject {
            kind: "ServiceMonitor",
            name: "all",
            spec: json!({"selector": {"matchLabels": {label: "true"}}, "endpoints": [{"port": "web"}]}),
            entry: format!("serviceMonitor/{}/all/0", namespace.name()),
        }
    }
}

/// A ScrapeConfig of the server itself.
pub(crate) fn itself(namespace: &Namespace, name: &'static str) -> SelectedObject {
    SelectedObject {
        kind: "ScrapeConfig",
        name,
        spec: json!({"staticConfigs": [{"targets": ["localhost:9090"]}]}),
        entry: format!("scrapeConfig/{}/{name}", namespace.name()),
    }
}

/// A PrometheusRule with one group.
pub(crate) fn group(name: &'static str) -> SelectedObject {
    let rule = json!({"record": "one", "expr": "vector(1)"});
    SelectedObject {
        kind: "PrometheusRule",
        name,
        spec: json!({"groups": [{"name": name, "rules": [rule]}]}),
        entry: name.to_owned(),
    }
}

/// An AlertmanagerConfig with one receiver.
pub(crate) fn receiver(namespace: &Namespace, name: &'static str) -> SelectedObject {
    let hook = json!({"url": "http://hook.invalid/"});
    SelectedObject {
        kind: "AlertmanagerConfig",
        name,
        spec: json!({"route": {"receiver": "hook"}, "receivers": [{"name": "hook", "webhookConfigs": [hook]}]}),
        entry: format!("{}/{name}/hook", namespace.name()),
    }
}

/// A spec for servers and agents, with additional fields. The oldest version in the lab has no Kubernetes discovery: it needs
/// static targets.
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
