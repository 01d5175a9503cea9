//! The monitoring operators in a process of the test, around a real API server.

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
use product::Instance as _;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::record::Record;

/// A control plane that knows the monitoring kinds.
pub(crate) async fn control_plane() -> Result<(ControlPlane, Client)> {
    let plane = ControlPlane::start().await?;
    let client = plane.client().await?;
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in (PRODUCT.definitions)()? {
        api.create(&PostParams::default(), &definition.read()?).await?;
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

/// What flags ask for.
pub(super) type Asked = (Monitoring, Scopes);

fn settings(flags: &[&str]) -> Result<Asked> {
    let (flags, rest) = operator_monitoring::flags::Flags::default().take(flags, &[])?;
    anyhow::ensure!(rest.is_empty(), "unknown flags {rest:?}");
    let monitoring = Monitoring::new(flags, OwnFlags::default());
    let scopes = monitoring.scopes(&Namespaces::AllBut(Vec::new()));
    Ok((monitoring, scopes))
}

/// If no flag is given.
pub(super) fn by_default() -> Asked {
    (Monitoring::default(), Namespaces::AllBut(Vec::new()).into())
}

/// A process that is to run.
pub(super) fn process(client: Client, (monitoring, scopes): Asked) -> Process {
    Process {
        client,
        products: std::sync::Arc::new(products::Running::only(&PRODUCT, monitoring)),
        scopes,
        leadership: Leadership::always(),
        identity: "test".into(),
        queue: queue::Settings::default(),
        metrics: Metrics::register(&mut Catalogue::default(), "", ""),
        watch_states: watch::Sender::new(Vec::new()),
    }
}

/// The operators at work.
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

    /// With other flags.
    pub(super) fn start_with(client: &Client, flags: &[&str]) -> Result<Self> {
        let record = Record::default();
        let around = record.around(client.clone());
        Ok(Self::run(around, record, settings(flags)?))
    }

    /// With the permissions of a user, and other flags.
    pub(super) fn start_as(client: &Client, user: &str, flags: &[&str]) -> Result<Self> {
        let record = Record::default();
        let around = record.impersonate(client.clone(), user)?;
        Ok(Self::run(around, record, settings(flags)?))
    }

    fn run(client: Client, record: Record, asked: Asked) -> Self {
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let process = process(client, asked);
        let ended = stop.clone();
        tasks.spawn(async move { drop(process.run(ended).await) });
        Self { record, stop, tasks }
    }

    pub(super) async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }

    /// What was asked of the server since the last time, in words and in order.
    pub(super) fn asked(&self) -> Vec<String> {
        self.record.take().iter().map(crate::record::Request::words).collect()
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

/// The decoded configuration, once it is as wanted.
pub(super) async fn configuration(
    client: &Client,
    secret: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<String> {
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

pub(super) fn auth(secret: &str) -> Value {
    let selector = json!({"name": secret, "key": "key"});
    json!({"username": selector, "password": selector})
}

/// Waits until nothing was asked of the server between two looks.
pub(super) async fn quiet(running: &Running) -> Result<Vec<String>> {
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
pub(super) async fn quiet_after(running: &Running, expected: &[&str]) -> Result<()> {
    let asked = quiet(running).await?;
    assert_eq!(asked, expected);
    Ok(())
}

/// Every child, with its version.
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
