//! A client that sends requests to a workload without a pause, through a Service, and watches its pods: it measures how users
//! notice a change.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use e2e::http;
use e2e::pods::is_ready;
use e2e::wait::{holds, until};
use k8s_openapi::api::core::v1::{Pod, Service};
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use lab::clock::{Span, Stopwatch};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::workload::{Identities, Workload};

/// How long to wait for a response. The server may have just been stopped: then the next request goes to another one.
const ONE_RESPONSE: Duration = Duration::from_secs(2);
/// How long there may be no response: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(15);

/// What was seen so far.
#[derive(Debug, Default)]
struct Seen {
    requests: usize,
    responses: usize,
    last: Option<Stopwatch>,
    longest: Duration,
    /// The largest set of the initial pods that were being replaced at the same time.
    replacing: BTreeSet<String>,
}

/// A running client. Dropping it stops it.
pub(crate) struct Client {
    seen: Arc<Mutex<Seen>>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Client {
    /// Creates a Service for the workload, and starts sending requests.
    pub(crate) async fn start(workload: &Workload<'_>) -> Result<Self> {
        let port = workload.kind().port;
        let service = json!({
            "metadata": {"name": format!("clients-of-{}", workload.set_name())},
            "spec": {"selector": workload.labels(), "ports": [{"port": port}]},
        });
        let service: Service = workload.namespace().add(&serde_json::from_value(service)?).await?;
        let address = service.spec.and_then(|spec| spec.cluster_ip).context("the Service has no address")?;
        let (seen, stop) = (Arc::<Mutex<Seen>>::default(), CancellationToken::new());
        let mut tasks = JoinSet::new();
        let target = Target { address, port, path: workload.kind().request };
        tasks.spawn(send(target, Arc::clone(&seen), stop.clone()));
        let (pods, identities) = (workload.namespace().pods(), workload.identities().await?);
        tasks.spawn(watch_pods(pods, identities, Arc::clone(&seen), stop.clone()));
        let client = Self { seen, stop, tasks };
        client.gets_responses(1).await?;
        Ok(client)
    }

    /// Waits until this number of further requests got a response.
    pub(crate) async fn gets_responses(&self, more: usize) -> Result<()> {
        let before = lock(&self.seen).responses;
        until("a client to get responses", async || {
            let now = lock(&self.seen).responses;
            Ok(holds(now >= before + more, format!("{now} responses")))
        })
        .await
    }

    /// Stops, and returns a summary. It is an error if there was no response for too long, or if two pods were replaced at
    /// the same time.
    pub(crate) async fn finish(mut self) -> Result<String> {
        self.gets_responses(1).await?;
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
        let Seen { requests, responses, longest, replacing, .. } = &*lock(&self.seen);
        ensure!(*longest < PATIENCE, "there was no response for {}", Span(*longest));
        ensure!(replacing.len() < 2, "replaced at the same time: {replacing:?}");
        let gap = Span(*longest);
        Ok(format!("{responses} responses to {requests} requests, at most {gap} between two responses"))
    }
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a client requests.
struct Target {
    address: String,
    port: u16,
    path: &'static str,
}

async fn send(Target { address, port, path }: Target, seen: Arc<Mutex<Seen>>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let response = tokio::time::timeout(ONE_RESPONSE, http::get(&address, port, path)).await;
        let is_good = matches!(response, Ok(Ok(http::Response { code: 200, .. })));
        {
            let mut seen = lock(&seen);
            seen.requests += 1;
            if is_good {
                seen.responses += 1;
                if let Some(last) = seen.last.replace(Stopwatch::start()) {
                    seen.longest = seen.longest.max(last.elapsed());
                }
            }
        }
        pause(&stop).await;
    }
}

/// Records which pods are being replaced: from their deletion until another pod with their name is ready. One list shows the
/// state at one time, even on a slow machine.
async fn watch_pods(
    pods: Api<Pod>,
    mut identities: Identities,
    seen: Arc<Mutex<Seen>>,
    stop: CancellationToken,
) {
    let names: Vec<String> = identities.keys().cloned().collect();
    while !stop.is_cancelled() {
        if let Ok(now) = pods.list(&ListParams::default()).await {
            let mut replacing = BTreeSet::new();
            for name in &names {
                let pod = now.iter().find(|pod| pod.name_any() == *name);
                let known = identities.get(name).map(|(uid, _)| uid.clone());
                let is_same = |pod: &&Pod| pod.uid() == known && pod.metadata.deletion_timestamp.is_none();
                if pod.as_ref().is_some_and(is_same) {
                    continue;
                }
                match pod.filter(|pod| is_ready(pod)) {
                    Some(new) => drop(identities.insert(name.clone(), (new.uid().unwrap_or_default(), 0))),
                    None => drop(replacing.insert(name.clone())),
                }
            }
            let mut seen = lock(&seen);
            if replacing.len() > seen.replacing.len() {
                seen.replacing = replacing;
            }
        }
        pause(&stop).await;
    }
}

#[expect(clippy::disallowed_methods, reason = "the rate of a client; no test waits for it")]
async fn pause(stop: &CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(Duration::from_millis(100)) => {}
    }
}
