//! The operator in the lab, installed like by a user, and the applications that it manages.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use std::net::IpAddr;

use anyhow::{Context, Result};
use api_example::{ExampleApp, ExampleAppStatus};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Pod, Secret, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::lab::Lab;
use crate::load::AppClient;
use crate::namespace::Namespace;
use crate::wait::{self, Look};

/// The namespace of the operator.
pub const NAMESPACE: &str = "mainstay-system";
/// The name of its Deployment.
pub const NAME: &str = "mainstay";

/// The replicas in the manifest.
const REPLICAS: i32 = 2;

/// Installs the operator as described in the README, and waits until it is available. The manifest is large, so it is applied
/// only if the Deployment does not exist as in the manifest.
pub async fn install(lab: &Lab) -> Result<()> {
    let deployments: Api<Deployment> = Api::namespaced(lab.client(), NAMESPACE);
    let found = deployments.get_opt(NAME).await?;
    let is_installed = |deployment: &Deployment| {
        let wanted = deployment.spec.as_ref().and_then(|spec| spec.replicas);
        wanted == Some(REPLICAS) && deployment.metadata.deletion_timestamp.is_none()
    };
    if found.as_ref().is_some_and(is_installed) {
        return available(lab).await;
    }
    let manifest = ::lab::paths::workspace().join("deploy/install.yaml");
    let manifest = manifest.to_str().context("the path of the workspace is not UTF-8")?;
    lab.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", manifest])?;
    available(lab).await
}

/// Waits until every pod of the operator is ready.
pub async fn available(lab: &Lab) -> Result<()> {
    let deployments: Api<Deployment> = Api::namespaced(lab.client(), NAMESPACE);
    let all_ready = |deployment: &Deployment| {
        let wanted = deployment.spec.as_ref().and_then(|spec| spec.replicas);
        let status = deployment.status.as_ref();
        let is_current =
            status.and_then(|status| status.observed_generation) == deployment.metadata.generation;
        is_current
            && status.and_then(|status| status.ready_replicas) == wanted
            && status.and_then(|status| status.updated_replicas) == wanted
    };
    wait::object(&deployments, NAME, "to be available", all_ready).await.map(drop)
}

/// Scales the operator, and waits until it has this number of pods.
pub async fn scale(lab: &Lab, replicas: u32) -> Result<()> {
    let deployments: Api<Deployment> = Api::namespaced(lab.client(), NAMESPACE);
    let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
    deployments.patch(NAME, &PatchParams::default(), &patch).await?;
    let pods: Api<Pod> = Api::namespaced(lab.client(), NAMESPACE);
    wait::until(&format!("{replicas} pods of the operator"), async || {
        let count = pods.list(&ListParams::default()).await?.items.len();
        Ok(wait::holds(count == replicas as usize, count.to_string()))
    })
    .await?;
    if replicas > 0 { available(lab).await } else { Ok(()) }
}

/// An application that the operator manages.
pub struct ManagedApp<'a> {
    namespace: &'a Namespace,
    name: String,
}

impl<'a> ManagedApp<'a> {
    /// Creates the resource.
    pub async fn create(namespace: &'a Namespace, name: &str, spec: Value) -> Result<Self> {
        let resource = json!({
            "apiVersion": "example-app.appdelivery.cncf.io/v1alpha1", "kind": "ExampleApp",
            "metadata": {"name": name}, "spec": spec,
        });
        namespace.add::<ExampleApp>(&serde_json::from_value(resource)?).await?;
        Ok(Self { namespace, name: name.into() })
    }

    /// The resources.
    pub fn api(&self) -> Api<ExampleApp> {
        self.namespace.api()
    }

    /// The resource as it is.
    pub async fn get(&self) -> Result<ExampleApp> {
        Ok(self.api().get(&self.name).await?)
    }

    /// Changes the spec.
    pub async fn change(&self, spec: Value) -> Result<ExampleApp> {
        let patch = Patch::Merge(json!({ "spec": spec }));
        Ok(self.api().patch(&self.name, &PatchParams::default(), &patch).await?)
    }

    /// Waits until the status of the current generation meets a condition.
    pub async fn until(
        &self,
        what: &str,
        wanted: impl Fn(&ExampleAppStatus) -> bool,
    ) -> Result<ExampleAppStatus> {
        self.namespace
            .until(&format!("ExampleApp {} {what}", self.name), async || {
                let app = self.get().await?;
                let status = app.status.clone().unwrap_or_default();
                let current = status.observed_generation == app.metadata.generation;
                Ok(if current && wanted(&status) {
                    Look::Found(status)
                } else {
                    Look::NotYet(serde_json::to_string(&status)?)
                })
            })
            .await
    }

    /// Waits until all instances are ready and nothing is in progress.
    pub async fn settled(&self) -> Result<ExampleAppStatus> {
        self.until("to be ready and settled", |status| {
            is(status, "Ready", "True", "AllReady") && is(status, "Progressing", "False", "Settled")
        })
        .await
    }

    /// A client that uses its Service.
    pub async fn client(&self) -> Result<AppClient> {
        let status = self.get().await?.status.unwrap_or_default();
        let secret = status.auth_secret_name.context("the status names no Secret")?;
        client(self.namespace, &self.name, &secret).await
    }

    /// Its instances, by name.
    pub async fn pods(&self) -> Result<Vec<Pod>> {
        let mut pods = self.namespace.pods().list(&ListParams::default()).await?.items;
        pods.retain(|pod| {
            pod.owner_references().iter().any(|owner| owner.kind == "StatefulSet" && owner.name == self.name)
        });
        pods.sort_by_key(ResourceExt::name_any);
        Ok(pods)
    }

    /// Name, UID and restarts of each instance. They show whether instances were replaced or restarted.
    pub async fn identities(&self) -> Result<Vec<(String, String, i32)>> {
        let identity = |pod: &Pod| {
            let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
            let restarts = statuses.into_iter().flatten().map(|status| status.restart_count).sum();
            (pod.name_any(), pod.uid().unwrap_or_default(), restarts)
        };
        Ok(self.pods().await?.iter().map(identity).collect())
    }
}

/// A client of an application that uses its Service.
pub async fn client(namespace: &Namespace, service: &str, secret: &str) -> Result<AppClient> {
    let secret: Secret = namespace.api().get(secret).await?;
    let text = |name: &str| {
        let bytes = secret.data.as_ref().and_then(|data| data.get(name));
        bytes
            .map(|bytes| String::from_utf8_lossy(&bytes.0).into_owned())
            .with_context(|| format!("the Secret has no {name}"))
    };
    let service: Service = namespace.api().get(service).await?;
    let spec = service.spec.unwrap_or_default();
    let address: IpAddr = spec.cluster_ip.context("the Service has no address")?.parse()?;
    let port = spec.ports.unwrap_or_default().first().map_or(80, |port| port.port);
    Ok(AppClient::at(address, u16::try_from(port)?, &text("username")?, &text("password")?))
}

/// A condition of a status.
pub fn condition<'a>(status: &'a ExampleAppStatus, kind: &str) -> Option<&'a Condition> {
    status.conditions.iter().find(|condition| condition.type_ == kind)
}

/// Whether a condition has this status and reason.
pub fn is(status: &ExampleAppStatus, kind: &str, truth: &str, reason: &str) -> bool {
    condition(status, kind).is_some_and(|condition| condition.status == truth && condition.reason == reason)
}
