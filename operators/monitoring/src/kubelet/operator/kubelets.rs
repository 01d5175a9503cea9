//! The controller. It writes objects as soon as addresses change, and checks them again after a period. Changes are
//! coalesced.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::{Node, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kernel::apply::{Applied, Fence, Tools, Way, WriteError, Writer, desired};
use kernel::declare::{Kind, Known};
use kernel::driver::Driver;
use kernel::object::{Key, Object, Owner};
use kernel::queue::{self, Outcome};
use kernel::telemetry::with_causes;
use kernel::watch::Shared;
use kube::api::PropagationPolicy;
use kube::{Client, ResourceExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::metrics::{self, KubeletMetrics};
use super::nodes::{self, KnownNode};
use super::{DECLARATION, ENDPOINT_SLICE, ENDPOINTS, SERVICE};
use crate::kubelet::address::{self, KubeletAddress};
use crate::kubelet::{KubeletSettings, endpoint_slice, endpoints, service};

/// Our field manager.
const MANAGER: &str = "mainstay";
/// How long a pass may take to finish after `stop`.
const GRACE: Duration = Duration::from_secs(5);
/// When to look again while an object is being deleted, or another process is the leader.
const SOON: Duration = Duration::from_secs(1);
/// The minimum period.
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);
const FORBIDDEN: u16 = 403;

/// The kubelets of a cluster as targets.
pub struct Kubelets {
    /// The client of the API server.
    pub client: Client,
    /// The settings of the objects.
    pub settings: KubeletSettings,
    /// Whether Endpoints are written.
    pub endpoints: bool,
    /// A label selector of the nodes; all of them if it is empty.
    pub nodes: String,
    /// The period after which everything is checked again, even if nothing changed.
    pub period: Duration,
    /// What is counted.
    pub metrics: KubeletMetrics,
}

impl Kubelets {
    /// Watches nodes immediately, and writes while the fence permits it. It ends only on `stop`.
    pub async fn run(self, fence: Fence, stop: CancellationToken) {
        let Self { client, settings, endpoints, nodes, period, metrics } = self;
        let (sender, due) = mpsc::unbounded_channel();
        let known = Shared::default();
        let notify = move || {
            // After the driver has ended, keys are not needed.
            let _ = sender.send(());
        };
        let watch = nodes::follow(client.clone(), &nodes, known.clone(), notify, stop.clone());
        let period = period.max(SHORTEST_PERIOD);
        let driver = Driver {
            settings: queue::QueueSettings { longest_pause: period, ..queue::QueueSettings::default() },
            grace: GRACE,
            metrics: metrics.controller.clone(),
        };
        let writer = Writer::new(&DECLARATION, Tools::without_stores(client, MANAGER, fence));
        let (unreachable, is_denied) = (Mutex::default(), AtomicBool::default());
        let work =
            Arc::new(Work { writer, settings, endpoints, known, period, metrics, unreachable, is_denied });
        let pass = move |()| {
            let work = Arc::clone(&work);
            async move { work.pass().await }
        };
        tokio::join!(watch, driver.run(due, pass, stop));
    }
}

/// All that a pass needs.
struct Work {
    writer: Writer,
    settings: KubeletSettings,
    endpoints: bool,
    known: Shared<KnownNode>,
    period: Duration,
    metrics: KubeletMetrics,
    /// The messages that were logged about nodes without an address.
    unreachable: Mutex<BTreeSet<String>>,
    /// Whether the missing permission for EndpointSlices was logged.
    is_denied: AtomicBool,
}

impl Work {
    /// One pass. Every part is tried, even if another one failed.
    async fn pass(&self) -> Outcome {
        if self.writer.check_fence().is_err() {
            return Outcome::Waiting(SOON);
        }
        let addresses = self.addresses();
        let (service, mut parts) = match self.service().await {
            Ok(service) => {
                let is_written = service.is_some();
                (service, vec![Ok(is_written)])
            }
            Err(error) => (None, vec![Err(error)]),
        };
        let mut mirrored = !self.settings.endpoint_slices;
        if let Some(service) = service.as_ref().filter(|_| !mirrored) {
            let synced = self.slices(service, &addresses).await;
            self.metrics.synced(metrics::ENDPOINT_SLICES, synced.is_err());
            match synced {
                Err(error) if error.code() == Some(FORBIDDEN) => {
                    mirrored = true;
                    self.log_denied(&error);
                }
                synced => parts.push(synced),
            }
        }
        if self.endpoints {
            let synced = self.endpoints(service.as_ref(), &addresses, mirrored).await;
            self.metrics.synced(metrics::ENDPOINTS, synced.is_err());
            parts.push(synced);
        }
        self.outcome(&parts)
    }

    /// The outcome of the parts. A part that is not written waits until an object is deleted.
    fn outcome(&self, parts: &[Result<bool, WriteError>]) -> Outcome {
        for error in parts.iter().filter_map(|part| part.as_ref().err()) {
            tracing::warn!("cannot write the targets of kubelets, trying again: {}", with_causes(error));
        }
        if parts.iter().any(Result::is_err) {
            Outcome::Failed
        } else if parts.iter().all(|part| matches!(part, Ok(true))) {
            Outcome::Waiting(self.period)
        } else {
            Outcome::Waiting(SOON)
        }
    }

    /// Addresses of all nodes. Nodes without one are logged once.
    fn addresses(&self) -> Vec<KubeletAddress> {
        let nodes: Vec<Node> = self.known.read().iter().map(|(_, known)| known.node.clone()).collect();
        let (addresses, unreachable) = address::of_nodes(&nodes, self.settings.priority);
        self.metrics.unreachable(unreachable.len());
        let mut logged = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        for message in new_messages(&mut logged, unreachable.iter().map(ToString::to_string).collect()) {
            tracing::warn!("{message}");
        }
        addresses
    }

    fn log_denied(&self, error: &WriteError) {
        if !self.is_denied.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "EndpointSlices of kubelets are not written, because the operator has no permission: grant it, or set \
                 --kubelet-endpointslice=false: {}",
                with_causes(error)
            );
        }
    }

    async fn service(&self) -> Result<Option<Service>, WriteError> {
        let live = self.get(SERVICE).await?;
        let present: Option<Service> = live.as_deref().map(read).transpose()?;
        let wanted = service::build(&self.settings, present.as_ref());
        let now = self.write(&wanted, live.as_ref(), &Owner::default()).await?;
        now.as_deref().map(read).transpose()
    }

    /// If slices are `mirrored`, the cluster creates them from the Endpoints.
    async fn endpoints(
        &self,
        service: Option<&Service>,
        addresses: &[KubeletAddress],
        mirrored: bool,
    ) -> Result<bool, WriteError> {
        let settings = KubeletSettings { endpoint_slices: !mirrored, ..self.settings.clone() };
        let live = self.get(ENDPOINTS).await?;
        let mut wanted = endpoints::build(&settings, service, addresses);
        if addresses.is_empty() {
            // The API server rejects ports without addresses.
            wanted.subsets = None;
        }
        Ok(self.write(&wanted, live.as_ref(), &Owner::default()).await?.is_some())
    }

    async fn slices(&self, service: &Service, addresses: &[KubeletAddress]) -> Result<bool, WriteError> {
        let labels = endpoint_slice::selector(&self.settings);
        let mut live = self.writer.list(ENDPOINT_SLICE, &self.settings.namespace, &labels).await?;
        live.retain(|slice| !slice.is_deleting());
        let present = live.iter().map(|slice| read(slice)).collect::<Result<Vec<EndpointSlice>, _>>()?;
        let slices = endpoint_slice::build(&self.settings, service, addresses, present);
        let find = |name: &str| live.iter().find(|slice| *slice.key().name == *name);
        let owner = Owner {
            kind: SERVICE.kind.into(),
            name: self.settings.name.as_str().into(),
            uid: service.uid().unwrap_or_default().into(),
            ..Owner::default()
        };
        let mut all = true;
        for mut slice in slices.wanted {
            slice.ports = Some(endpoint_slice::ports(&self.settings));
            all &= self.write(&slice, find(&slice.name_any()), &owner).await?.is_some();
        }
        for slice in slices.surplus.iter().filter_map(|name| find(name)) {
            let mut applied = Applied::default();
            let policy = PropagationPolicy::Background;
            self.writer.delete(ENDPOINT_SLICE, slice, policy, &mut applied).await?;
            log(&applied);
        }
        Ok(all)
    }

    async fn get(&self, kind: Kind) -> Result<Option<Arc<Object>>, WriteError> {
        self.writer.get(kind, &Key::new(&self.settings.namespace, &self.settings.name)).await
    }

    async fn write<K>(
        &self,
        wanted: &K,
        live: Option<&Arc<Object>>,
        owner: &Owner,
    ) -> Result<Option<Arc<Object>>, WriteError>
    where
        K: k8s_openapi::Resource<Scope: Known> + Serialize,
    {
        let mut applied = Applied::default();
        let now = self.writer.write(&desired(wanted, Way::Replace), live, owner, &mut applied).await;
        log(&applied);
        now
    }
}

fn log(applied: &Applied) {
    for what in &applied.written {
        tracing::info!("{what}");
    }
}

fn read<T: DeserializeOwned>(object: &Object) -> Result<T, WriteError> {
    object.read().map_err(|error| WriteError::Impossible(with_causes(&error)))
}

/// The messages that were not logged yet. Messages that are not current are forgotten.
fn new_messages(logged: &mut BTreeSet<String>, current: BTreeSet<String>) -> Vec<String> {
    let new = current.difference(logged).cloned().collect();
    *logged = current;
    new
}

#[cfg(test)]
mod tests;
