//! A Prometheus in a separate namespace, with its monitors and the requests to its API. It scrapes itself, so nothing
//! else has to run.

#![expect(clippy::disallowed_methods, reason = "a benchmark acts as the users of a cluster")]

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use e2e::describe;
use e2e::http;
use e2e::lab::Lab;
use e2e::namespace::{Namespace, Security};
use e2e::pods::address;
use e2e::wait::{Look, holds};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use lab::clock::Stopwatch;
use serde_json::{Value, json};

use crate::clock;

/// The name of the Prometheus and of its ServiceAccount.
const NAME: &str = "effect";

const PORT: u16 = 9090;

/// The API group of the kinds.
const GROUP: &str = "monitoring.coreos.com";

/// The version of the kinds.
const VERSION: &str = "v1";

/// A Prometheus that is ready.
pub(crate) struct Server {
    namespace: Namespace,
    address: String,
}

/// How long a new monitor took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Added {
    /// Until the server runs a configuration with it.
    pub(crate) loaded: Duration,
    /// Until its target was scraped.
    pub(crate) scraped: Duration,
}

/// The version of a monitor's spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Scraped every second, so that the scrape interval adds little to the measured time.
    New,
    /// Scraped every minute, so that earlier rounds cause no load; and with a mark.
    Changed,
}

impl Server {
    /// Creates the Prometheus and all it needs, and waits until it is ready.
    pub(crate) async fn create(lab: &Lab) -> Result<Self> {
        let namespace = Namespace::with(lab, NAME, Security::Open).await?;
        let account = json!({"metadata": {"name": NAME}});
        namespace.add::<ServiceAccount>(&serde_json::from_value(account)?).await?;
        let binding = json!({
            "metadata": {"name": NAME},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "mainstay-scrape"},
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": namespace.name()}],
        });
        namespace.add::<RoleBinding>(&serde_json::from_value(binding)?).await?;
        let spec = json!({
            "serviceAccountName": NAME,
            "serviceMonitorSelector": {},
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}},
        });
        apply(&namespace, &kind("Prometheus", "prometheuses"), NAME, spec).await?;
        let pod = namespace.ready(&format!("prometheus-{NAME}-0")).await?;
        let address = address(&pod)?.to_owned();
        Ok(Self { namespace, address })
    }

    /// Applies a new monitor, and waits until its target was scraped.
    pub(crate) async fn add(&self, monitor: &str) -> Result<Added> {
        let pool = self.pool(monitor);
        let watch = Stopwatch::start();
        self.write(monitor, Form::New).await?;
        let loaded = self.runs(&watch, &format!("job_name: {pool}\\n")).await?;
        let path = format!("/api/v1/targets?state=active&scrapePool={pool}");
        let look = async || Ok(scraped(&serde_json::from_str(&self.get(&path).await?)?, &pool));
        let scraped = clock::until(&watch, &format!("{pool} to be scraped"), look).await;
        Ok(Added { loaded, scraped: self.explain(scraped).await? })
    }

    /// Applies a change of a monitor; returns how long it takes until the server runs it.
    pub(crate) async fn change(&self, monitor: &str) -> Result<Duration> {
        let watch = Stopwatch::start();
        self.write(monitor, Form::Changed).await?;
        self.runs(&watch, &format!("replacement: {}\\n", mark(monitor))).await
    }

    async fn write(&self, monitor: &str, form: Form) -> Result<()> {
        apply(&self.namespace, &kind("ServiceMonitor", "servicemonitors"), monitor, spec(monitor, form)).await
    }

    /// The name of the scrape job that the operators create for a monitor.
    fn pool(&self, monitor: &str) -> String {
        format!("serviceMonitor/{}/{monitor}/0", self.namespace.name())
    }

    /// Waits until the server runs a configuration with this line, which only the changed one has.
    async fn runs(&self, watch: &Stopwatch, line: &str) -> Result<Duration> {
        let look = async || {
            let text = self.get("/api/v1/status/config").await?;
            Ok(holds(text.contains(line), format!("a configuration of {} bytes", text.len())))
        };
        let took = clock::until(watch, &format!("a configuration with {line}"), look).await;
        self.explain(took).await
    }

    async fn get(&self, path: &str) -> Result<String> {
        let answer = http::get(&self.address, PORT, path).await?;
        ensure!(answer.code == 200, "{path} answered {}", answer.code);
        Ok(answer.body)
    }

    /// Adds a description of the namespace to an error.
    async fn explain<T>(&self, outcome: Result<T>) -> Result<T> {
        match outcome {
            Ok(found) => Ok(found),
            Err(error) => {
                let client = self.namespace.lab().client();
                bail!("{error:#}\n{}", describe::namespace(&client, self.namespace.name()).await)
            }
        }
    }
}

fn kind(kind: &str, plural: &str) -> ApiResource {
    ApiResource {
        group: GROUP.into(),
        version: VERSION.into(),
        api_version: format!("{GROUP}/{VERSION}"),
        kind: kind.into(),
        plural: plural.into(),
    }
}

/// Applies an object with one request, as `kubectl apply --server-side` does.
async fn apply(namespace: &Namespace, kind: &ApiResource, name: &str, spec: Value) -> Result<()> {
    let object = json!({
        "apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name}, "spec": spec,
    });
    let all: Api<DynamicObject> = Api::namespaced_with(namespace.lab().client(), namespace.name(), kind);
    let applied = all.patch(name, &PatchParams::apply("kubectl"), &Patch::Apply(&object)).await;
    applied.with_context(|| format!("cannot apply {} {name}", kind.kind))?;
    Ok(())
}

/// A monitor of the server itself: the operators create a Service with this label.
fn spec(monitor: &str, form: Form) -> Value {
    let endpoint = match form {
        Form::New => json!({"port": "web", "interval": "1s"}),
        Form::Changed => {
            let relabeling = json!({"targetLabel": "round", "replacement": mark(monitor)});
            json!({"port": "web", "interval": "1m", "metricRelabelings": [relabeling]})
        }
    };
    json!({"selector": {"matchLabels": {"operated-prometheus": "true"}}, "endpoints": [endpoint]})
}

/// A text that only the changed monitor contains.
fn mark(monitor: &str) -> String {
    format!("{monitor}-changed")
}

/// Whether a target of this job was scraped successfully.
fn scraped(answer: &Value, pool: &str) -> Look<()> {
    let targets = answer["data"]["activeTargets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let target = targets.iter().find(|target| target["scrapePool"] == pool);
    match target {
        Some(target) => holds(target["health"] == "up", target["health"].to_string()),
        None => Look::NotYet("no target".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_scraped_when_it_is_up() {
        let target = |pool: &str, health: &str| json!({"scrapePool": pool, "health": health});
        let answer = |targets: &[Value]| json!({"data": {"activeTargets": targets}});
        let found = |answer: &Value| matches!(scraped(answer, "new"), Look::Found(()));
        assert!(found(&answer(&[target("old", "down"), target("new", "up")])));
        assert!(!found(&answer(&[target("old", "up"), target("new", "unknown")])));
        assert!(!found(&answer(&[target("old", "up")])));
        assert!(!found(&json!({"status": "error"})));
    }

    #[test]
    fn only_a_changed_monitor_has_the_mark() {
        let text = |form| spec("round-3", form).to_string();
        assert!(text(Form::Changed).contains("round-3-changed"));
        assert!(!text(Form::New).contains("round-3-changed"));
    }
}
