//! A Prometheus in a separate namespace: its monitors, and what its API says about them. It scrapes itself, so nothing else
//! has to run.

#![expect(clippy::disallowed_methods, reason = "a benchmark plays the users of a cluster")]

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

/// The Prometheus, and the account that it runs under.
const NAME: &str = "effect";

const PORT: u16 = 9090;

/// The group and version of the kinds.
const VERSION: (&str, &str) = ("monitoring.coreos.com", "v1");

/// A server that has loaded its first configuration.
pub(crate) struct Server {
    namespace: Namespace,
    address: String,
}

/// How a monitor is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Scraped every second, so that the time of a scrape is no large part of what is measured.
    New,
    /// Scraped every minute, so that those of earlier rounds are no burden; and marked.
    Changed,
}

impl Server {
    /// Creates it and all it needs, and waits until it is ready.
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

    /// Applies a new monitor. How long it takes until the server runs it, and until its target was scraped.
    pub(crate) async fn add(&self, monitor: &str) -> Result<(Duration, Duration)> {
        let pool = self.pool(monitor);
        let watch = Stopwatch::start();
        self.write(monitor, Form::New).await?;
        let loaded = self.runs(&watch, &format!("job_name: {pool}\\n")).await?;
        let path = format!("/api/v1/targets?state=active&scrapePool={pool}");
        let look = async || Ok(scraped(&serde_json::from_str(&self.ask(&path).await?)?, &pool));
        let scraped = clock::until(&watch, &format!("{pool} to be scraped"), look).await;
        Ok((loaded, self.explained(scraped).await?))
    }

    /// Applies a change of a monitor. How long it takes until the server runs it.
    pub(crate) async fn change(&self, monitor: &str) -> Result<Duration> {
        let watch = Stopwatch::start();
        self.write(monitor, Form::Changed).await?;
        self.runs(&watch, &format!("replacement: {}\\n", mark(monitor))).await
    }

    async fn write(&self, monitor: &str, form: Form) -> Result<()> {
        apply(&self.namespace, &kind("ServiceMonitor", "servicemonitors"), monitor, spec(monitor, form)).await
    }

    /// The job that the operators make of a monitor.
    fn pool(&self, monitor: &str) -> String {
        format!("serviceMonitor/{}/{monitor}/0", self.namespace.name())
    }

    /// How long it takes until the configuration that the server runs has this line, which no other one has.
    async fn runs(&self, watch: &Stopwatch, line: &str) -> Result<Duration> {
        let look = async || {
            let text = self.ask("/api/v1/status/config").await?;
            Ok(holds(text.contains(line), format!("a configuration of {} bytes", text.len())))
        };
        let took = clock::until(watch, &format!("a configuration with {line}"), look).await;
        self.explained(took).await
    }

    async fn ask(&self, path: &str) -> Result<String> {
        let answer = http::get(&self.address, PORT, path).await?;
        ensure!(answer.code == 200, "{} in answer to {path}", answer.code);
        Ok(answer.body)
    }

    /// Adds to a failed wait what goes on around the server.
    async fn explained<T>(&self, outcome: Result<T>) -> Result<T> {
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
    let (group, version) = VERSION;
    ApiResource {
        group: group.into(),
        version: version.into(),
        api_version: format!("{group}/{version}"),
        kind: kind.into(),
        plural: plural.into(),
    }
}

/// Applies an object, in one request, as `kubectl apply --server-side` does.
async fn apply(namespace: &Namespace, kind: &ApiResource, name: &str, spec: Value) -> Result<()> {
    let object = json!({
        "apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name}, "spec": spec,
    });
    let all: Api<DynamicObject> = Api::namespaced_with(namespace.lab().client(), namespace.name(), kind);
    let applied = all.patch(name, &PatchParams::apply("kubectl"), &Patch::Apply(&object)).await;
    applied.with_context(|| format!("cannot apply {} {name}", kind.kind))?;
    Ok(())
}

/// A monitor of the server itself: the operators make a Service with this label.
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

/// What a changed monitor has, and nothing else.
fn mark(monitor: &str) -> String {
    format!("{monitor}-changed")
}

/// Whether a target of this job was scraped with success.
fn scraped(said: &Value, pool: &str) -> Look<()> {
    let targets = said["data"]["activeTargets"].as_array().map(Vec::as_slice).unwrap_or_default();
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
        let said = |targets: &[Value]| json!({"data": {"activeTargets": targets}});
        let found = |said: &Value| matches!(scraped(said, "new"), Look::Found(()));
        assert!(found(&said(&[target("old", "down"), target("new", "up")])));
        assert!(!found(&said(&[target("old", "up"), target("new", "unknown")])));
        assert!(!found(&said(&[target("old", "up")])));
        assert!(!found(&json!({"status": "error"})));
    }

    #[test]
    fn the_mark_of_a_monitor_is_in_its_changed_form_only() {
        let text = |form| spec("round-3", form).to_string();
        assert!(text(Form::Changed).contains("round-3-changed"));
        assert!(!text(Form::New).contains("round-3-changed"));
    }
}
