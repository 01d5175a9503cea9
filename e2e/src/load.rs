//! A client of the example application that writes and reads without a pause: it measures how users notice an upgrade, a
//! rollback or an adoption. It records every confirmed write and reads all of them at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::lab::clock::{Span, Stopwatch};
use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::wait::{Look, holds, until};

/// How long a request may take: longer than a held write waits.
const PATIENCE: Duration = Duration::from_secs(40);
/// A longer time without a success is a gap.
const GAP: Duration = Duration::from_secs(1);

/// How many of the newest writes are not read.
const NEW: usize = 20;

/// A client of one application.
#[derive(Debug, Clone)]
pub struct AppClient {
    base: String,
    authorization: String,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl AppClient {
    /// A client of the application at this address.
    pub fn at(address: IpAddr, port: u16, username: &str, password: &str) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(Duration::from_secs(1)));
        Self {
            base: format!("http://{address}:{port}"),
            authorization: format!("Basic {}", STANDARD.encode(format!("{username}:{password}"))),
            client: Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector),
        }
    }

    /// Sends a request. A response with any status code is a success.
    pub async fn request(&self, method: Method, path: &str, body: &str) -> Result<(StatusCode, String)> {
        let request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        let request = request.header("authorization", &self.authorization);
        let request = request.body(Full::new(Bytes::from(body.to_owned())))?;
        let exchange = async {
            let response = self.client.request(request).await?;
            let status = response.status();
            let body = response.into_body().collect().await?.to_bytes();
            Ok((status, String::from_utf8_lossy(&body).into_owned()))
        };
        tokio::time::timeout(PATIENCE, exchange).await.context("no response")?
    }

    async fn get(&self, key: &str) -> Result<(StatusCode, String)> {
        self.request(Method::GET, &format!("/v1/items/{key}"), "").await
    }
}

/// What was recorded so far.
#[derive(Debug, Default)]
struct Record {
    confirmed: BTreeMap<u64, String>,
    writes: Gaps,
    reads: Gaps,
    wrong: Vec<String>,
}

/// The gaps between successful requests.
#[derive(Debug, Default)]
struct Gaps {
    successes: usize,
    since: Option<Stopwatch>,
    longest: Duration,
    total: Duration,
    count: usize,
}

impl Gaps {
    fn success(&mut self) {
        self.successes += 1;
        if let Some(since) = self.since.replace(Stopwatch::start()) {
            let gap = since.elapsed();
            if gap > GAP {
                self.longest = self.longest.max(gap);
                self.total += gap;
                self.count += 1;
            }
        }
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} gaps over a second, {} in total, the longest {}",
            self.count,
            Span(self.total),
            Span(self.longest)
        )
    }
}

/// A running client. Dropping it stops it.
pub struct LoadGenerator {
    app: AppClient,
    record: Arc<Mutex<Record>>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

/// The result of a client.
#[derive(Debug)]
pub struct LoadReport {
    /// The longest time without a confirmed write.
    pub longest_without_write: Duration,
    /// The longest time without a response to a read.
    pub longest_without_read: Duration,
    /// A description of all of it.
    pub summary: String,
}

impl LoadGenerator {
    /// Starts a client.
    pub fn start(app: &AppClient) -> Self {
        let (record, stop) = (Arc::new(Mutex::new(Record::default())), CancellationToken::new());
        let mut tasks = JoinSet::new();
        tasks.spawn(write(app.clone(), Arc::clone(&record), stop.clone()));
        tasks.spawn(read(app.clone(), Arc::clone(&record), stop.clone()));
        Self { app: app.clone(), record, stop, tasks }
    }

    /// How many writes have been confirmed.
    pub fn confirmed(&self) -> usize {
        lock(&self.record).confirmed.len()
    }

    /// Waits for another write and read, so that the last gap is complete, stops, and reads everything that was confirmed.
    pub async fn finish(mut self) -> Result<LoadReport> {
        let (writes, reads) = (self.confirmed().max(NEW) + 1, lock(&self.record).reads.successes + 1);
        until("a last write and a last read", async || {
            let (written, read) = (self.confirmed(), lock(&self.record).reads.successes);
            Ok(holds(written >= writes && read >= reads, format!("{written} writes, {read} reads")))
        })
        .await?;
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
        let confirmed = std::mem::take(&mut lock(&self.record).confirmed);
        for (number, value) in &confirmed {
            // Gaps have been measured. A connection that fails here is retried.
            let (status, body) = until("confirmed writes to be read back", async || {
                Ok(match self.app.get(&key(*number)).await {
                    Ok(response) => Look::Found(response),
                    Err(error) => Look::NotYet(format!("{error:#}")),
                })
            })
            .await?;
            ensure!(
                status == StatusCode::OK && body == *value,
                "write {number} was confirmed and is lost: {status} {body}"
            );
        }
        let record = lock(&self.record);
        if let Some(wrong) = record.wrong.first() {
            bail!("{} reads were wrong, the first: {wrong}", record.wrong.len());
        }
        let summary = format!(
            "{} writes confirmed, none lost; writes: {}; reads: {}",
            confirmed.len(),
            record.writes,
            record.reads
        );
        Ok(LoadReport {
            longest_without_write: record.writes.longest,
            longest_without_read: record.reads.longest,
            summary,
        })
    }
}

fn lock(record: &Mutex<Record>) -> std::sync::MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key(number: u64) -> String {
    format!("written-{number:06}")
}

/// Writes one item after the other. An item that was not confirmed is written again.
async fn write(app: AppClient, record: Arc<Mutex<Record>>, stop: CancellationToken) {
    let mut number = 0;
    while !stop.is_cancelled() {
        let value = format!("value {number}");
        let response = app.request(Method::PUT, &format!("/v1/items/{}", key(number)), &value).await;
        if response.is_ok_and(|(status, _)| status.is_success()) {
            let mut record = lock(&record);
            record.confirmed.insert(number, value);
            record.writes.success();
            number += 1;
        }
        pause(&stop).await;
    }
}

/// Reads confirmed items. Any other value than the written one is wrong.
async fn read(app: AppClient, record: Arc<Mutex<Record>>, stop: CancellationToken) {
    let mut turn = 0;
    while !stop.is_cancelled() {
        turn += 7;
        let wanted = {
            let record = lock(&record);
            // The newest items may not have reached every follower yet.
            let old = record.confirmed.len().saturating_sub(NEW);
            record
                .confirmed
                .iter()
                .nth(turn % old.max(1))
                .filter(|_| old > 0)
                .map(|(number, value)| (*number, value.clone()))
        };
        if let Some((number, value)) = wanted
            && let Ok((status, body)) = app.get(&key(number)).await
        {
            let mut record = lock(&record);
            if status == StatusCode::OK && body == value {
                record.reads.success();
            } else if status.is_success() || status == StatusCode::NOT_FOUND {
                record.wrong.push(format!("{number}: {status} {body}"));
            }
        }
        pause(&stop).await;
    }
}

#[expect(clippy::disallowed_methods, reason = "the rate of a client; no test waits for it")]
async fn pause(stop: &CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = tokio::time::sleep(Duration::from_millis(20)) => {}
    }
}
