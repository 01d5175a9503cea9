//! A client that never stops asking a workload, through a Service as users have one, and looks at its pods: what a change
//! costs, as users see it.

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

use crate::workload::{Lives, Workload};

/// How long to wait for a response. The server may just have ended: then another one is asked.
const ONE_ANSWER: Duration = Duration::from_secs(2);
/// How long there may be no response: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(15);

/// What was seen so far.
#[derive(Debug, Default)]
struct Seen {
    asked: usize,
    answered: usize,
    last: Option<Stopwatch>,
    longest: Duration,
    /// The most pods of those at the beginning that were being replaced at once.
    away: BTreeSet<String>,
}

/// A client at work; dropping it stops it.
pub(crate) struct Client {
    seen: Arc<Mutex<Seen>>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Client {
    /// Makes a Service for the workload, and begins to ask.
    pub(crate) async fn start(workload: &Workload<'_>) -> Result<Self> {
        let port = workload.kind().port;
        let service = json!({
            "metadata": {"name": format!("clients-of-{}", workload.set_name())},
            "spec": {"selector": workload.labels(), "ports": [{"port": port}]},
        });
        let service: Service = workload.namespace().add(&serde_json::from_value(service)?).await?;
        let address = service.spec.and_then(|spec| spec.cluster_ip).context("a Service has an address")?;
        let (seen, stop) = (Arc::<Mutex<Seen>>::default(), CancellationToken::new());
        let mut tasks = JoinSet::new();
        let to = (address, port, workload.kind().question);
        tasks.spawn(ask(to, Arc::clone(&seen), stop.clone()));
        let pods = (workload.namespace().pods(), workload.lives().await?);
        tasks.spawn(look(pods, Arc::clone(&seen), stop.clone()));
        let client = Self { seen, stop, tasks };
        client.goes_on(1).await?;
        Ok(client)
    }

    /// Waits until so many more questions were answered.
    pub(crate) async fn goes_on(&self, more: usize) -> Result<()> {
        let before = lock(&self.seen).answered;
        until("a client to be answered", async || {
            let now = lock(&self.seen).answered;
            Ok(holds(now >= before + more, format!("{now} answers")))
        })
        .await
    }

    /// Ends, and says how it was. Somebody answered all the time, and no two pods were replaced at once.
    pub(crate) async fn finish(mut self) -> Result<String> {
        self.goes_on(1).await?;
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
        let Seen { asked, answered, longest, away, .. } = &*lock(&self.seen);
        ensure!(*longest < PATIENCE, "there was no response for {}", Span(*longest));
        ensure!(away.len() < 2, "replaced at once: {away:?}");
        let gap = Span(*longest);
        Ok(format!("{answered} of {asked} questions answered, at most {gap} between two answers"))
    }
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn ask(
    (address, port, path): (String, u16, &'static str),
    seen: Arc<Mutex<Seen>>,
    stop: CancellationToken,
) {
    while !stop.is_cancelled() {
        let answer = tokio::time::timeout(ONE_ANSWER, http::get(&address, port, path)).await;
        let is_good = matches!(answer, Ok(Ok(http::Answer { code: 200, .. })));
        {
            let mut seen = lock(&seen);
            seen.asked += 1;
            if is_good {
                seen.answered += 1;
                if let Some(last) = seen.last.replace(Stopwatch::start()) {
                    seen.longest = seen.longest.max(last.elapsed());
                }
            }
        }
        pause(&stop).await;
    }
}

/// Looks which pods are being replaced: from their end until another one is ready in their place. What one list shows was
/// so at one time, however slow the machine is.
async fn look((pods, mut alive): (Api<Pod>, Lives), seen: Arc<Mutex<Seen>>, stop: CancellationToken) {
    let names: Vec<String> = alive.keys().cloned().collect();
    while !stop.is_cancelled() {
        if let Ok(now) = pods.list(&ListParams::default()).await {
            let mut away = BTreeSet::new();
            for name in &names {
                let pod = now.iter().find(|pod| pod.name_any() == *name);
                let known = alive.get(name).map(|(uid, _)| uid.clone());
                let lives = |pod: &&Pod| pod.uid() == known && pod.metadata.deletion_timestamp.is_none();
                if pod.as_ref().is_some_and(lives) {
                    continue;
                }
                match pod.filter(|pod| is_ready(pod)) {
                    Some(new) => drop(alive.insert(name.clone(), (new.uid().unwrap_or_default(), 0))),
                    None => drop(away.insert(name.clone())),
                }
            }
            let mut seen = lock(&seen);
            if away.len() > seen.away.len() {
                seen.away = away;
            }
        }
        pause(&stop).await;
    }
}

#[expect(clippy::disallowed_methods, reason = "a client has a pace; nothing waits for it")]
async fn pause(stop: &CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(Duration::from_millis(100)) => {}
    }
}
