//! The monitoring operators in the process of the test, with a real API server.

use std::io::Read as _;

use anyhow::{Context, Result};
use e2e::wait::{self, Look, holds};
use flate2::read::MultiGzDecoder;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::lease::Leadership;
use kernel::metrics::{Catalogue, Metrics};
use kernel::queue;
use kernel::stores::{Namespaces, Scopes};
use kube::api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use lab::ControlPlane;
use mainstay::process::Process;
use mainstay::products;
use operator_monitoring::product::{Monitoring, OwnFlags, PRODUCT};
use product::ProductInstance as _;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::record::Record;

/// A control plane with the monitoring CRDs.
pub(crate) async fn control_plane() -> Result<(ControlPlane, Client)> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in (PRODUCT.definitions)()? {
        api.create(&PostParams::default(), &definition.read()?).await?;
    }
    for definition in api.list(&ListParams::default()).await? {
        let name = definition.metadata.name.context("the definition has no name")?;
        wait::established(&api, &name).await?;
    }
    Ok((plane, client))
}

/// The operators as flags configure them.
pub(super) struct Configured {
    pub(super) monitoring: Monitoring,
    pub(super) scopes: Scopes,
}

fn configured(flags: &[&str]) -> Result<Configured> {
    let (flags, rest) = operator_monitoring::flags::OperatorFlags::default().take(flags, &[])?;
    anyhow::ensure!(rest.is_empty(), "unknown flags {rest:?}");
    let monitoring = Monitoring::new(flags, OwnFlags::default());
    let scopes = monitoring.scopes(&Namespaces::AllBut(Vec::new()));
    Ok(Configured { monitoring, scopes })
}

/// The operators without flags.
pub(super) fn by_default() -> Configured {
    Configured { monitoring: Monitoring::default(), scopes: Namespaces::AllBut(Vec::new()).into() }
}

/// A process of the operators.
pub(super) fn process(client: Client, Configured { monitoring, scopes }: Configured) -> Process {
    Process {
        client,
        products: std::sync::Arc::new(products::RunningProducts::only(&PRODUCT, monitoring)),
        scopes,
        leadership: Leadership::always(),
        identity: "test".into(),
        queue: queue::QueueSettings::default(),
        metrics: Metrics::register(&mut Catalogue::default(), "", ""),
        watch_states: watch::Sender::new(Vec::new()),
    }
}

/// The running operators.
pub(super) struct Running {
    record: Record,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Running {
    pub(super) fn start(client: &Client) -> Self {
        let record = Record::default();
        let around = record.around(client.clone());
        Self::run(around, record, by_default())
    }

    /// Starts them with flags.
    pub(super) fn start_with(client: &Client, flags: &[&str]) -> Result<Self> {
        let record = Record::default();
        let around = record.around(client.clone());
        Ok(Self::run(around, record, configured(flags)?))
    }

    /// Starts them with the permissions of a user and flags.
    pub(super) fn start_as(client: &Client, user: &str, flags: &[&str]) -> Result<Self> {
        let record = Record::default();
        let around = record.impersonate(client.clone(), user)?;
        Ok(Self::run(around, record, configured(flags)?))
    }

    fn run(client: Client, record: Record, configured: Configured) -> Self {
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let process = process(client, configured);
        let ended = stop.clone();
        tasks.spawn(async move { drop(process.run(ended).await) });
        Self { record, stop, tasks }
    }

    pub(super) async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }

    /// The requests since the last call, as text.
    pub(super) fn requests(&self) -> Vec<String> {
        self.record.take().iter().map(crate::record::Request::line).collect()
    }
}

pub(super) async fn create(
    client: &Client,
    kind: &str,
    version: &str,
    name: &str,
    spec: &Value,
) -> Result<()> {
    let resource = resource(kind, version);
    let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let object = json!({
        "apiVersion": resource.api_version, "kind": kind, "metadata": {"name": name, "labels": {"team": "a"}}, "spec": spec,
    });
    api.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
    Ok(())
}

pub(crate) fn resource(kind: &str, version: &str) -> ApiResource {
    let lower = kind.to_lowercase();
    ApiResource {
        group: "monitoring.coreos.com".into(),
        version: version.into(),
        api_version: format!("monitoring.coreos.com/{version}"),
        kind: kind.into(),
        plural: if lower.ends_with('s') { format!("{lower}es") } else { format!("{lower}s") },
    }
}

pub(super) async fn secret(client: &Client, name: &str, key: &str, value: &str) -> Result<()> {
    let api: Api<Secret> = Api::default_namespaced(client.clone());
    let object =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {key: value}});
    api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&object)).await?;
    Ok(())
}

/// Waits until the decompressed configuration meets a condition, and returns it.
pub(super) async fn configuration(
    client: &Client,
    secret: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<String> {
    let api: Api<Secret> = Api::default_namespaced(client.clone());
    wait::until(&format!("the configuration in {secret}"), async || {
        let secret = api.get(secret).await?;
        let (_, bytes) = secret.data.unwrap_or_default().into_iter().next().context("the Secret is empty")?;
        let mut text = String::new();
        MultiGzDecoder::new(bytes.0.as_slice()).read_to_string(&mut text)?;
        Ok(if wanted(&text) { Look::Found(text) } else { Look::NotYet(text) })
    })
    .await
}

pub(super) fn auth(secret: &str) -> Value {
    let selector = json!({"name": secret, "key": "key"});
    json!({"username": selector, "password": selector})
}

/// Waits until the operators send no requests for five checks in a row. Returns the requests until then.
pub(super) async fn idle(running: &Running) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let mut idle_checks = 0;
    wait::until("the operators to be idle", async || {
        let sent = running.requests();
        idle_checks = if sent.is_empty() { idle_checks + 1 } else { 0 };
        all.extend(sent.clone());
        Ok(holds(idle_checks >= 5, sent.join(", ")))
    })
    .await?;
    Ok(all)
}

/// Checks the requests until the operators are idle.
pub(super) async fn writes_until_idle(running: &Running, expected: &[&str]) -> Result<()> {
    let sent = idle(running).await?;
    assert_eq!(sent, expected);
    Ok(())
}

/// Every child object with its resource version.
pub(super) async fn versions(client: &Client) -> Result<Vec<String>> {
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
