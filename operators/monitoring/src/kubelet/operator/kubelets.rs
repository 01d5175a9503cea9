//! The controller: objects are written when addresses change, at once and coalesced, and checked again after a period.

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

use super::metrics::{self, Metrics};
use super::nodes::{self, KnownNode};
use super::{DECLARATION, ENDPOINT_SLICE, ENDPOINTS, SERVICE};
use crate::kubelet::address::{self, Address};
use crate::kubelet::{Settings, endpoint_slice, endpoints, service};

/// Our field manager.
const MANAGER: &str = "mainstay";
/// How long a pass may take to finish once the process was asked to stop.
const GRACE: Duration = Duration::from_secs(5);
/// When to look again while an object is being deleted, or another process leads.
const SOON: Duration = Duration::from_secs(1);
/// A shorter period makes no sense.
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);
const FORBIDDEN: u16 = 403;

/// The kubelets of a cluster as targets.
pub struct Kubelets {
    /// The client of the API server.
    pub client: Client,
    /// What the objects must know.
    pub settings: Settings,
    /// Whether Endpoints are written.
    pub endpoints: bool,
    /// A label selector of the nodes; all of them if it is empty.
    pub nodes: String,
    /// The period after which everything is checked again though nothing changed.
    pub period: Duration,
    /// What is counted.
    pub metrics: Metrics,
}

impl Kubelets {
    /// Watches nodes at once; writes while the fence permits it; ends with `stop` and never before.
    pub async fn run(self, fence: Fence, stop: CancellationToken) {
        let Self { client, settings, endpoints, nodes, period, metrics } = self;
        let (sender, due) = mpsc::unbounded_channel();
        let known = Shared::default();
        let notify = move || {
            // A driver that has ended needs no keys.
            let _ = sender.send(());
        };
        let watch = nodes::follow(client.clone(), &nodes, known.clone(), notify, stop.clone());
        let period = period.max(SHORTEST_PERIOD);
        let driver = Driver {
            settings: queue::Settings { longest_pause: period, ..queue::Settings::default() },
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
    settings: Settings,
    endpoints: bool,
    known: Shared<KnownNode>,
    period: Duration,
    metrics: Metrics,
    /// What was logged of nodes without an address.
    unreachable: Mutex<BTreeSet<String>>,
    /// Whether it was logged that EndpointSlices may not be written.
    is_denied: AtomicBool,
}

impl Work {
    /// One pass. Every part is tried, also when another one failed.
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

    /// Of parts that are written, or that wait until an object is deleted.
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
    fn addresses(&self) -> Vec<Address> {
        let nodes: Vec<Node> = self.known.read().iter().map(|(_, known)| known.node.clone()).collect();
        let (addresses, unreachable) = address::of_nodes(&nodes, self.settings.priority);
        self.metrics.unreachable(unreachable.len());
        let mut logged = self.unreachable.lock().unwrap_or_else(PoisonError::into_inner);
        for message in news(&mut logged, unreachable.iter().map(ToString::to_string).collect()) {
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

    /// Where slices are `mirrored`, the cluster makes them of the Endpoints.
    async fn endpoints(
        &self,
        service: Option<&Service>,
        addresses: &[Address],
        mirrored: bool,
    ) -> Result<bool, WriteError> {
        let settings = Settings { endpoint_slices: !mirrored, ..self.settings.clone() };
        let live = self.get(ENDPOINTS).await?;
        let mut wanted = endpoints::build(&settings, service, addresses);
        if addresses.is_empty() {
            // The server refuses ports without addresses.
            wanted.subsets = None;
        }
        Ok(self.write(&wanted, live.as_ref(), &Owner::default()).await?.is_some())
    }

    async fn slices(&self, service: &Service, addresses: &[Address]) -> Result<bool, WriteError> {
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

/// The messages that were not logged yet. What is no longer wrong is forgotten.
fn news(logged: &mut BTreeSet<String>, wrong: BTreeSet<String>) -> Vec<String> {
    let news = wrong.difference(logged).cloned().collect();
    *logged = wrong;
    news
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use kernel::metrics::{Catalogue, Metrics as Kernel};
    use kube::client::Body;
    use serde_json::json;

    use super::*;

    /// What a server answers to requests about a kind.
    type Codes = &'static [(&'static str, u16)];

    /// A server that makes what it is asked to, unless it answers with one of these codes; and what it was asked.
    fn server(codes: Codes) -> (Client, Arc<Mutex<Vec<String>>>) {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let diary = Arc::clone(&asked);
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let diary = Arc::clone(&diary);
            async move {
                let (head, body) = request.into_parts();
                let path = head.uri.path();
                diary.lock().unwrap().push(format!("{} {path}", head.method));
                let sent = body.collect_bytes().await.unwrap();
                let known = codes.iter().find(|(kind, _)| path.contains(kind)).map(|(_, code)| *code);
                let code = known.unwrap_or(if head.method == "GET" { 404 } else { 201 });
                let reason = if code == 404 { "NotFound" } else { "" };
                let failure = json!({"status": "Failure", "code": code, "reason": reason}).to_string();
                let answer = if code < 400 { sent.to_vec() } else { failure.into_bytes() };
                let answer = http::Response::builder().status(code).body(Body::from(answer)).unwrap();
                Ok::<_, Infallible>(answer)
            }
        });
        (Client::new(service, "n"), asked)
    }

    fn work(client: Client, slices: bool, leads: bool) -> Work {
        let kernel = Kernel::register(&mut Catalogue::default(), "", "");
        let settings = Settings {
            namespace: "n".into(),
            name: "kubelet".into(),
            endpoint_slices: slices,
            ..Settings::default()
        };
        let tools = Tools::without_stores(client, MANAGER, Arc::new(move || leads));
        Work {
            writer: Writer::new(&DECLARATION, tools),
            settings,
            endpoints: true,
            known: Shared::default(),
            period: Duration::from_mins(3),
            metrics: Metrics::register(&mut Catalogue::default(), &kernel, true, slices),
            unreachable: Mutex::default(),
            is_denied: AtomicBool::default(),
        }
    }

    async fn pass(codes: Codes, slices: bool, leads: bool) -> (Outcome, Vec<String>) {
        let (client, asked) = server(codes);
        let outcome = work(client, slices, leads).pass().await;
        let asked = asked.lock().unwrap().clone();
        (outcome, asked)
    }

    const SERVICES: [&str; 2] =
        ["GET /api/v1/namespaces/n/services/kubelet", "POST /api/v1/namespaces/n/services"];
    const ENDPOINTS: [&str; 2] =
        ["GET /api/v1/namespaces/n/endpoints/kubelet", "POST /api/v1/namespaces/n/endpoints"];

    #[test]
    fn what_is_wrong_is_logged_once_and_again_when_it_comes_back() {
        let wrong = |messages: &[&str]| messages.iter().map(|message| (*message).to_owned()).collect();
        let mut logged = BTreeSet::new();
        assert_eq!(news(&mut logged, wrong(&["a", "b"])), ["a", "b"]);
        assert_eq!(news(&mut logged, wrong(&["b", "c"])), ["c"]);
        assert_eq!(news(&mut logged, wrong(&["a"])), ["a"]);
    }

    #[tokio::test]
    async fn what_is_not_there_is_made_and_looked_at_again_after_the_period() {
        let (outcome, asked) = pass(&[], false, true).await;
        assert_eq!(outcome, Outcome::Waiting(Duration::from_mins(3)));
        assert_eq!(asked, [SERVICES, ENDPOINTS].concat());
    }

    #[tokio::test]
    async fn one_that_does_not_lead_asks_nothing() {
        assert_eq!(pass(&[], true, false).await, (Outcome::Waiting(SOON), Vec::new()));
    }

    #[tokio::test]
    async fn a_part_that_fails_keeps_no_other_from_being_tried() {
        let (outcome, asked) = pass(&[("services", 500)], false, true).await;
        assert_eq!(outcome, Outcome::Failed);
        assert_eq!(asked, [&SERVICES[..1], &ENDPOINTS].concat());
    }

    #[tokio::test]
    async fn a_missing_permission_for_slices_is_no_failure_and_any_other_error_is() {
        let list = "GET /apis/discovery.k8s.io/v1/namespaces/n/endpointslices";
        for (codes, expected) in [
            (&[("endpointslices", 403)], Outcome::Waiting(Duration::from_mins(3))),
            (&[("endpointslices", 500)], Outcome::Failed),
        ] {
            let (outcome, asked) = pass(codes, true, true).await;
            assert_eq!(outcome, expected);
            assert_eq!(asked, [&SERVICES[..], &[list], &ENDPOINTS].concat());
        }
    }
}
