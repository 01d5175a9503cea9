//! The loop: objects are written when addresses change, at once and coalesced, and looked at again after a period.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::{Endpoints, Node, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kernel::driver::Driver;
use kernel::object::Owner;
use kernel::queue::{self, Outcome};
use kernel::watch::Shared;
use kube::{Client, ResourceExt as _};
use monitoring_kubelet::address::{self, Address};
use monitoring_kubelet::{Settings, endpoint_slice, endpoints, service};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::metrics::{Metrics, Part};
use crate::nodes::{self, KnownNode};
use crate::told::Told;
use crate::writer::{PassError, Writer};

/// How long a pass may take to finish once the process was asked to stop.
const GRACE: Duration = Duration::from_secs(5);
/// How soon it is looked again while something is on its way out, or another process leads.
const SOON: Duration = Duration::from_secs(1);
/// No shorter period makes sense.
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);

/// The kubelets of a cluster as targets.
pub struct Kubelets {
    /// The way to the server.
    pub client: Client,
    /// What the objects must know.
    pub settings: Settings,
    /// Whether there are Endpoints.
    pub endpoints: bool,
    /// Whether there are EndpointSlices.
    pub slices: bool,
    /// Labels of the nodes that are meant, as a selector; all of them if it is empty.
    pub nodes: String,
    /// How long until everything is looked at again though nothing changed.
    pub period: Duration,
    /// What is counted.
    pub metrics: Metrics,
}

impl Kubelets {
    /// Watches nodes at once; writes while `may_write` says so; ends with `stop` and never before.
    pub async fn run(self, may_write: impl Fn() -> bool + Send + Sync + 'static, stop: CancellationToken) {
        let Self { client, settings, endpoints, slices, nodes, period, metrics } = self;
        let (sender, due) = mpsc::unbounded_channel();
        let known = Shared::default();
        let tell = move || {
            // A driver that has ended needs no keys.
            let _ = sender.send(());
        };
        let watch = nodes::follow(client.clone(), &nodes, known.clone(), tell, stop.clone());
        let period = period.max(SHORTEST_PERIOD);
        let driver = Driver {
            settings: queue::Settings { longest_pause: period, ..queue::Settings::default() },
            grace: GRACE,
            metrics: metrics.controller.clone(),
        };
        let writer = Writer { client, namespace: settings.namespace.clone(), may_write };
        let (told, refused) = (Mutex::default(), AtomicBool::default());
        let work =
            Arc::new(Work { writer, settings, endpoints, slices, known, period, metrics, told, refused });
        let pass = move |()| {
            let work = Arc::clone(&work);
            async move { work.pass().await }
        };
        tokio::join!(watch, driver.run(due, pass, stop));
    }
}

/// All that a pass needs.
struct Work<F> {
    writer: Writer<F>,
    settings: Settings,
    endpoints: bool,
    slices: bool,
    known: Shared<KnownNode>,
    period: Duration,
    metrics: Metrics,
    /// Nodes that have no address.
    told: Mutex<Told>,
    /// Whether it was said that we may not write EndpointSlices.
    refused: AtomicBool,
}

/// How far something came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// It is as wanted.
    Done,
    /// It is on its way out, and comes back another time.
    Waiting,
}

impl<F: Fn() -> bool> Work<F> {
    /// One pass. Every part is tried, also when another one failed.
    async fn pass(&self) -> Outcome {
        if !(self.writer.may_write)() {
            return Outcome::Waiting(SOON);
        }
        let addresses = self.addresses();
        let service = self.service().await;
        let mut parts = vec![service.as_ref().map(|service| progress(service.is_some())).map_err(words)];
        let service = service.ok().flatten();
        let mut mirrored = !self.slices;
        if let Some(service) = service.as_ref().filter(|_| self.slices) {
            let synced = self.slices(service, &addresses).await;
            self.metrics.synced(Part::EndpointSlices, synced.is_err());
            match synced {
                Err(trouble) if trouble.is_forbidden() => {
                    mirrored = true;
                    self.tell_refused(&trouble);
                }
                synced => parts.push(synced.map_err(|trouble| words(&trouble))),
            }
        }
        if self.endpoints {
            let synced = self.endpoints(service.as_ref(), &addresses, mirrored).await;
            self.metrics.synced(Part::Endpoints, synced.is_err());
            parts.push(synced.map_err(|trouble| words(&trouble)));
        }
        self.outcome(parts)
    }

    fn outcome(&self, parts: Vec<Result<Progress, String>>) -> Outcome {
        let mut progress = Progress::Done;
        let mut failed = false;
        for part in parts {
            match part {
                Ok(part) => progress = progress.max(part),
                Err(words) => {
                    failed = true;
                    tracing::warn!("the kubelets could not be made targets, which is tried again: {words}");
                }
            }
        }
        match (failed, progress) {
            (true, _) => Outcome::Failed,
            (false, Progress::Waiting) => Outcome::Waiting(SOON),
            (false, Progress::Done) => Outcome::Waiting(self.period),
        }
    }

    /// Addresses of all nodes. Nodes that have none are named once.
    fn addresses(&self) -> Vec<Address> {
        let nodes: Vec<Node> = self.known.read().iter().map(|(_, known)| known.node.clone()).collect();
        let (addresses, unreachable) = address::of_nodes(&nodes, self.settings.priority);
        self.metrics.unreachable(unreachable.len());
        let wrong: BTreeSet<String> = unreachable.iter().map(ToString::to_string).collect();
        let news = self.told.lock().unwrap_or_else(PoisonError::into_inner).news(wrong);
        for message in news {
            tracing::warn!("{message}");
        }
        addresses
    }

    fn tell_refused(&self, trouble: &PassError) {
        if !self.refused.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "there are no EndpointSlices for kubelets, because the right is missing; give it, or \
                 --kubelet-endpointslice=false: {trouble}"
            );
        }
    }

    async fn service(&self) -> Result<Option<Service>, PassError> {
        let live: Option<Service> = self.writer.get(&self.settings.name).await?;
        let wanted = service::build(&self.settings, live.as_ref());
        self.writer.put(&wanted, live, &nobody()).await
    }

    /// Where slices are `mirrored`, somebody else makes them of the Endpoints.
    async fn endpoints(
        &self,
        service: Option<&Service>,
        addresses: &[Address],
        mirrored: bool,
    ) -> Result<Progress, PassError> {
        let settings = Settings { endpoint_slices: !mirrored, ..self.settings.clone() };
        let live: Option<Endpoints> = self.writer.get(&self.settings.name).await?;
        let mut wanted = endpoints::build(&settings, service, addresses);
        if addresses.is_empty() {
            // The server refuses ports without addresses.
            wanted.subsets = None;
        }
        let now = self.writer.put(&wanted, live, &nobody()).await?;
        Ok(progress(now.is_some()))
    }

    async fn slices(&self, service: &Service, addresses: &[Address]) -> Result<Progress, PassError> {
        let state: Vec<EndpointSlice> = self.writer.list(&endpoint_slice::selector(&self.settings)).await?;
        let mut live: BTreeMap<String, EndpointSlice> =
            state.iter().map(|slice| (slice.name_any(), slice.clone())).collect();
        let slices = endpoint_slice::build(&self.settings, service, addresses, state);
        let owner = Owner {
            group: "".into(),
            kind: "Service".into(),
            name: self.settings.name.as_str().into(),
            uid: service.uid().unwrap_or_default().into(),
        };
        let mut all = Progress::Done;
        for mut slice in slices.wanted {
            slice.ports = Some(endpoint_slice::ports(&self.settings));
            let now = self.writer.put(&slice, live.remove(&slice.name_any()), &owner).await?;
            all = all.max(progress(now.is_some()));
        }
        for name in slices.surplus {
            if let Some(slice) = live.remove(&name) {
                self.writer.delete(&slice).await?;
            }
        }
        Ok(all)
    }
}

fn progress(is_there: bool) -> Progress {
    if is_there { Progress::Done } else { Progress::Waiting }
}

fn words(trouble: &PassError) -> String {
    trouble.to_string()
}

/// Service and Endpoints belong to nobody.
fn nobody() -> Owner {
    Owner { group: "".into(), kind: "".into(), name: "".into(), uid: "".into() }
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

    fn work(client: Client, slices: bool, leads: bool) -> Work<impl Fn() -> bool> {
        let kernel = Kernel::register(&mut Catalogue::default(), "", "");
        let settings = Settings { namespace: "n".into(), name: "kubelet".into(), ..Settings::default() };
        Work {
            writer: Writer { client, namespace: "n".into(), may_write: move || leads },
            settings,
            endpoints: true,
            slices,
            known: Shared::default(),
            period: Duration::from_mins(3),
            metrics: Metrics::register(&mut Catalogue::default(), &kernel, true, slices),
            told: Mutex::default(),
            refused: AtomicBool::default(),
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
    async fn a_missing_right_to_slices_is_no_failure_and_any_other_trouble_is() {
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
