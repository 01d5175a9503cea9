//! One control plane for a whole run, and a new namespace for each plan.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::declare::{Declaration, Kind};
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use lab::ControlPlane;
use lab::args::Extent;
use lab::clock::wait_for;
use serde_json::json;
use tokio::task::JoinSet;

use crate::observer::{Observer, in_namespaces, is_of_namespace};
use crate::scenario::kind_name;
use crate::standin::{self, Instances};
use crate::state::{Name, State};

/// How long the API server may take for anything that is not the work of an operator.
const LIMIT: Duration = Duration::from_mins(1);

/// What happens to a namespace after its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// It stays until the run ends: that costs memory, and saves more than a hundred requests.
    Stay,
    /// It is deleted, for a run of thousands of plans.
    Go,
}

/// The cluster that plans run in.
pub struct TestCluster {
    /// A client with all permissions and no faults.
    pub client: Client,
    /// The configuration of clients.
    pub config: Config,
    /// The stand-ins of the instances.
    pub instances: Instances,
    /// The cache of all objects.
    pub observer: Observer,
    tasks: Mutex<JoinSet<()>>,
    count: AtomicU32,
    leftovers: Leftovers,
    _plane: ControlPlane,
}

impl TestCluster {
    /// Starts everything. The observer watches the kinds of these declarations.
    pub async fn start(declarations: &[&Declaration], leftovers: Leftovers) -> Result<Self> {
        let plane = ControlPlane::start_with(Extent::Controllers).await?;
        let file = Kubeconfig::read_from(plane.kubeconfig())?;
        let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
        let client = plane.client().await?;
        let definitions = definitions()?;
        try_join_all(definitions.iter().map(|definition| define(&client, definition))).await?;
        let mut tasks = JoinSet::new();
        let instances = standin::start(&client, &mut tasks).await?;
        let observer = Observer::default();
        observer.watch(&client, declarations, &mut tasks);
        let tasks = Mutex::new(tasks);
        let count = AtomicU32::new(0);
        Ok(Self { client, config, instances, observer, tasks, count, leftovers, _plane: plane })
    }

    /// Creates a namespace in which pods can be created.
    pub async fn namespace(&self) -> Result<String> {
        let name = format!("plan-{}", self.count.fetch_add(1, Ordering::Relaxed));
        self.observer.track(&name);
        let object: Namespace = serde_json::from_value(json!({"metadata": {"name": name}}))?;
        let spaces: Api<Namespace> = Api::all(self.client.clone());
        spaces.create(&PostParams::default(), &object).await?;
        let accounts: Api<ServiceAccount> = Api::namespaced(self.client.clone(), &name);
        let account = wait_for(LIMIT, || async { accounts.get_opt("default").await.ok().flatten() }).await;
        account.with_context(|| format!("namespace {name} has no ServiceAccount after {LIMIT:?}"))?;
        Ok(name)
    }

    /// Deletes a namespace in the background, unless namespaces stay.
    pub fn remove(&self, namespace: String, declaration: &'static Declaration) {
        self.observer.forget(&namespace);
        if self.leftovers == Leftovers::Stay {
            return;
        }
        let client = self.client.clone();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            // A namespace that is not deleted costs memory until the run ends, and nothing else.
            let _ = remove(&client, &namespace, declaration).await;
        });
    }

    /// All objects of the declared kinds in a namespace, now.
    pub async fn look(&self, namespace: &str, declaration: &Declaration) -> Result<State> {
        let lists = in_namespaces(declaration).map(|kind| async move {
            let list = self.api(namespace, kind).list(&ListParams::default()).await?;
            anyhow::Ok((kind_name(kind), list.items))
        });
        let mut state = State::default();
        for (kind, items) in try_join_all(lists).await? {
            for item in items {
                let name = item.metadata.name.clone().unwrap_or_default();
                if !is_of_namespace(&kind, &name) {
                    state.0.insert(Name { kind: kind.clone(), name }, serde_json::to_value(item)?);
                }
            }
        }
        Ok(state)
    }

    /// Objects of a kind in a namespace.
    pub fn api(&self, namespace: &str, kind: Kind) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), namespace, &kind.resource())
    }
}

/// The CRDs of all operators.
fn definitions() -> Result<Vec<CustomResourceDefinition>> {
    mainstay::products::definitions()?.iter().map(product::Definition::read).collect()
}

async fn define(client: &Client, definition: &CustomResourceDefinition) -> Result<()> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = definition.metadata.name.clone().context("a definition has a name")?;
    api.create(&PostParams::default(), definition).await?;
    let established = wait_for(LIMIT, || async {
        let definition = api.get(&name).await.ok()?;
        let conditions = definition.status?.conditions?;
        conditions.iter().any(|one| one.type_ == "Established" && one.status == "True").then_some(())
    });
    if established.await.is_none() {
        bail!("{name} was not established after {LIMIT:?}");
    }
    Ok(())
}

async fn remove(client: &Client, namespace: &str, declaration: &Declaration) -> Result<()> {
    let without = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    for kind in std::iter::once(declaration.primary).chain(declaration.owned.iter().map(|owned| owned.kind)) {
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind.resource());
        for object in api.list(&ListParams::default()).await? {
            if object.metadata.finalizers.is_some_and(|all| !all.is_empty()) {
                let name = object.metadata.name.unwrap_or_default();
                api.patch(&name, &PatchParams::default(), &without).await?;
            }
        }
    }
    let spaces: Api<Namespace> = Api::all(client.clone());
    spaces.delete(namespace, &DeleteParams::default()).await?;
    Ok(())
}
