//! The monitoring operators on a real API server: what follows from resources, whom a change concerns, and what it costs.

use std::io::Read as _;

use anyhow::{Context, Result};
use e2e::wait::{self, Look, holds};
use flate2::read::MultiGzDecoder;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::lease::Permit;
use kernel::metrics::{Catalogue, Metrics};
use kernel::queue;
use kernel::stores::Namespaces;
use kube::api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use lab::ControlPlane;
use mainstay::args::OperatorName;
use mainstay::definitions::MONITORING;
use mainstay::process::Process;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::record::Record;

/// A control plane that knows the monitoring kinds.
async fn control_plane() -> Result<(ControlPlane, Client)> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for (_, text) in MONITORING {
        let definition: CustomResourceDefinition = serde_saphyr::from_str(text)?;
        api.create(&PostParams::default(), &definition).await?;
    }
    for definition in api.list(&ListParams::default()).await? {
        let name = definition.metadata.name.context("a definition has a name")?;
        wait::object(&api, &name, "to be established", |definition| {
            let conditions = definition.status.as_ref().and_then(|status| status.conditions.as_ref());
            conditions
                .is_some_and(|all| all.iter().any(|one| one.type_ == "Established" && one.status == "True"))
        })
        .await?;
    }
    Ok((plane, client))
}

/// The operators at work.
struct Running {
    record: Record,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Running {
    fn start(client: &Client) -> Self {
        let (record, stop, mut tasks) = (Record::default(), CancellationToken::new(), JoinSet::new());
        let process = Process {
            client: record.around(client.clone()),
            operators: vec![OperatorName::Monitoring],
            example: operator_example::ExampleOperator::default(),
            monitoring: mainstay::process::monitoring(),
            scopes: Namespaces::AllBut(Vec::new()).into(),
            permit: Permit::always(),
            identity: "test".into(),
            queue: queue::Settings::default(),
            metrics: Metrics::register(&mut Catalogue::default(), "", ""),
            standings: watch::Sender::new(Vec::new()),
        };
        let ended = stop.clone();
        tasks.spawn(async move { drop(process.run(ended).await) });
        Self { record, stop, tasks }
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }

    /// What was asked of the server since the last time, in words and in order.
    fn asked(&self) -> Vec<String> {
        self.record.take().iter().map(crate::record::Request::words).collect()
    }
}

async fn create(client: &Client, kind: &str, version: &str, name: &str, spec: &Value) -> Result<()> {
    let resource = resource(kind, version);
    let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let object = json!({
        "apiVersion": resource.api_version, "kind": kind, "metadata": {"name": name, "labels": {"team": "a"}}, "spec": spec,
    });
    api.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
    Ok(())
}

fn resource(kind: &str, version: &str) -> ApiResource {
    let lower = kind.to_lowercase();
    ApiResource {
        group: "monitoring.coreos.com".into(),
        version: version.into(),
        api_version: format!("monitoring.coreos.com/{version}"),
        kind: kind.into(),
        plural: if lower.ends_with('s') { format!("{lower}es") } else { format!("{lower}s") },
    }
}

async fn secret(client: &Client, name: &str, key: &str, value: &str) -> Result<()> {
    let api: Api<Secret> = Api::default_namespaced(client.clone());
    let object =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {key: value}});
    api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&object)).await?;
    Ok(())
}

/// The decoded configuration, once it is as wanted.
async fn configuration(client: &Client, secret: &str, wanted: impl Fn(&str) -> bool) -> Result<String> {
    let api: Api<Secret> = Api::default_namespaced(client.clone());
    wait::until(&format!("the configuration in {secret}"), async || {
        let secret = api.get(secret).await?;
        let (_, bytes) = secret.data.unwrap_or_default().into_iter().next().context("an empty Secret")?;
        let mut text = String::new();
        MultiGzDecoder::new(bytes.0.as_slice()).read_to_string(&mut text)?;
        Ok(if wanted(&text) { Look::Found(text) } else { Look::NotYet(text) })
    })
    .await
}

fn auth(secret: &str) -> Value {
    let selector = json!({"name": secret, "key": "key"});
    json!({"username": selector, "password": selector})
}

#[tokio::test]
async fn a_change_reaches_whom_it_concerns_and_costs_one_write() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    let all = json!({"serviceMonitorSelector": {"matchLabels": {"team": "a"}}, "ruleSelector": {}});
    create(&client, "Prometheus", "v1", "main", &all).await?;
    let none = json!({"serviceMonitorSelector": {"matchLabels": {"team": "b"}}});
    create(&client, "Prometheus", "v1", "other", &none).await?;
    let endpoint = |port: &str| json!({"selector": {}, "endpoints": [{"port": port}]});
    create(&client, "ServiceMonitor", "v1", "one", &endpoint("web")).await?;
    let has = |word: &'static str| move |text: &str| text.contains(word);
    configuration(&client, "prometheus-main", has("serviceMonitor/default/one/0")).await?;
    configuration(&client, "prometheus-other", has("scrape_configs: []")).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "prometheus-main", "to be there", |_| true).await?;
    wait::object(&sets, "prometheus-other", "to be there", |_| true).await?;
    quiet(&running).await?;

    // One monitor changes: one write, and nothing else is asked.
    let monitors: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &resource("ServiceMonitor", "v1"));
    let patch = json!({"spec": {"endpoints": [{"port": "metrics"}]}});
    monitors.patch("one", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    configuration(&client, "prometheus-main", has("regex: metrics")).await?;
    quiet_after(&running, &["PUT secrets/prometheus-main"]).await?;

    // Nobody reads this Secret.
    secret(&client, "unrelated", "key", "value").await?;
    // A monitor that points to a Secret which is not there is left out; the others stay.
    let spec = json!({"selector": {}, "endpoints": [{"port": "web", "basicAuth": auth("password")}]});
    create(&client, "ServiceMonitor", "v1", "two", &spec).await?;
    let rule = json!({"groups": [{"name": "g", "rules": [{"record": "a", "expr": "vector(1)"}]}]});
    create(&client, "PrometheusRule", "v1", "rule", &rule).await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    wait::object(&maps, "prometheus-main-rulefiles-0", "to hold a rule", |map| {
        map.data.as_ref().is_some_and(|files| files.values().any(|file| file.contains("record: a")))
    })
    .await?;
    configuration(&client, "prometheus-main", has("regex: metrics")).await?;
    // The Secret comes, changes, goes.
    secret(&client, "password", "key", "first").await?;
    configuration(&client, "prometheus-main", has("password: first")).await?;
    secret(&client, "password", "key", "second").await?;
    configuration(&client, "prometheus-main", has("password: second")).await?;
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    secrets.delete("password", &DeleteParams::default()).await?;
    configuration(&client, "prometheus-main", |text| !text.contains("monitor/default/two")).await?;
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn a_second_process_writes_nothing() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let running = Running::start(&client);
    secret(&client, "password", "key", "first").await?;
    let spec = json!({"serviceMonitorSelector": {}, "ruleSelector": {}, "shards": 2, "thanos": {}});
    create(&client, "Prometheus", "v1", "main", &spec).await?;
    create(&client, "PrometheusAgent", "v1alpha1", "edge", &json!({"podMonitorSelector": {}})).await?;
    create(&client, "Alertmanager", "v1", "main", &json!({"replicas": 3, "alertmanagerConfigSelector": {}}))
        .await?;
    create(&client, "ThanosRuler", "v1", "main", &json!({"queryEndpoints": ["q"], "ruleSelector": {}}))
        .await?;
    let spec = json!({"selector": {}, "endpoints": [{"port": "web", "basicAuth": auth("password")}]});
    create(&client, "ServiceMonitor", "v1", "one", &spec).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    for name in [
        "prometheus-main",
        "prometheus-main-shard-1",
        "prom-agent-edge",
        "alertmanager-main",
        "thanos-ruler-main",
    ] {
        wait::object(&sets, name, "to be there", |_| true).await?;
    }
    configuration(&client, "prometheus-main", |text| text.contains("password: first")).await?;
    quiet(&running).await?;
    running.end().await;

    let before = versions(&client).await?;
    let running = Running::start(&client);
    let workloads: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &resource("Prometheus", "v1"));
    // A change that only the second process can have answered: it has looked at everything before.
    let patch = json!({"spec": {"shards": 1}});
    workloads.patch("main", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    wait::until("the second shard to go", async || {
        let left = sets.get_opt("prometheus-main-shard-1").await?;
        let gone = left.is_none_or(|set| set.metadata.deletion_timestamp.is_some());
        Ok(holds(gone, "it is there"))
    })
    .await?;
    quiet(&running).await?;
    running.end().await;
    let mut after = versions(&client).await?;
    let mut before: Vec<String> = before;
    for list in [&mut before, &mut after] {
        list.retain(|name| !name.contains("shard-1") && !name.starts_with("Secret prometheus-main "));
    }
    assert_eq!(before, after);
    Ok(())
}

/// Every child, with its version.
async fn versions(client: &Client) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let params = ListParams::default();
    macro_rules! add {
        ($kind:ty) => {
            for object in Api::<$kind>::default_namespaced(client.clone()).list(&params).await? {
                let metadata = object.metadata;
                let text = |text: Option<String>| text.unwrap_or_default();
                let kind = stringify!($kind);
                all.push(format!("{kind} {} {}", text(metadata.name), text(metadata.resource_version)));
            }
        };
    }
    add!(Secret);
    add!(ConfigMap);
    add!(Service);
    add!(StatefulSet);
    Ok(all)
}

/// Waits until nothing was asked of the server between two looks.
async fn quiet(running: &Running) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let mut looks = 0;
    wait::until("the operators to be quiet", async || {
        let asked = running.asked();
        looks = if asked.is_empty() { looks + 1 } else { 0 };
        all.extend(asked.clone());
        Ok(holds(looks >= 5, asked.join(", ")))
    })
    .await?;
    Ok(all)
}

/// What was asked until then, status aside.
async fn quiet_after(running: &Running, expected: &[&str]) -> Result<()> {
    let asked = quiet(running).await?;
    assert_eq!(asked, expected);
    Ok(())
}
