//! The stand-alone webhook: what the peer's `admission-webhook` does, without a connection to a cluster. It uses one thread
//! for connections, and few for reviews.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use kernel::admin::{Admin, Readiness};
use kernel::metrics::{Catalogue, process};
use kernel::telemetry::{Telemetry, TelemetrySettings};
use kernel::web::WebServer;
use kernel::webhook::{Routes, WebhookLimits};
use operator_monitoring::flags::webhook::WebhookFlags;
use operator_monitoring::webhook::metrics::WebhookMetrics;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::process::termination;
use crate::{line, web};

/// How many objects are reviewed concurrently.
const REVIEWS: usize = 4;

/// Runs until the process receives a signal to stop.
pub fn run(flags: &WebhookFlags) -> Result<()> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(REVIEWS).build().context("cannot start")?;
    runtime.block_on(async {
        let (level, format) = (line::level(flags.log.level).to_owned(), flags.log.format);
        let telemetry = Telemetry::start(&TelemetrySettings { format, level, otlp_endpoint: None });
        let telemetry = telemetry.context("cannot set up the log")?;
        let webhook = StandaloneWebhook::open(flags).await?;
        let (stop, termination) = (CancellationToken::new(), termination()?);
        let mut serving = std::pin::pin!(webhook.serve(stop.clone()));
        let served = tokio::select! {
            served = &mut serving => served,
            () = termination => {
                stop.cancel();
                serving.await
            }
        };
        tracing::info!("stopped");
        telemetry.stop();
        served
    })
}

/// The webhook, ready to run.
#[derive(Debug)]
pub struct StandaloneWebhook {
    server: WebServer,
    admin: Admin,
    routes: Routes,
}

impl StandaloneWebhook {
    /// Listens, and reads the certificates.
    pub async fn open(flags: &WebhookFlags) -> Result<Self> {
        let mut catalogue = Catalogue::default();
        let help = "Always 1, with the version and the source revision of the program";
        let mut section = catalogue.under("prometheus_operator_admission_webhook");
        let build = section.gauges("build_info", ["version", "revision"], help);
        build.with([env!("CARGO_PKG_VERSION"), "unknown"]).set(1);
        process::register(&mut catalogue);
        let metrics = WebhookMetrics::register(&mut catalogue);
        let readiness = Readiness::default();
        Ok(Self {
            server: web::open(&flags.web).await?,
            admin: Admin { catalogue: Arc::new(catalogue), readiness },
            routes: operator_monitoring::webhook::routes(flags.rules, &metrics),
        })
    }

    /// The address that it listens on.
    pub fn address(&self) -> Result<SocketAddr> {
        self.server.listener.local_addr().context("the port has no address")
    }

    /// Serves until `stop`.
    pub async fn serve(self, stop: CancellationToken) -> Result<()> {
        let mut tasks = JoinSet::new();
        tasks.spawn(web::mark_unready(self.admin.readiness.clone(), stop.clone()));
        let router = self.admin.router().merge(self.routes.router(&WebhookLimits::default()));
        Ok(self.server.serve(router, stop).await?)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    /// The status line and the body.
    async fn get(address: SocketAddr, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
    }

    #[tokio::test]
    async fn health_metrics_and_webhooks_are_behind_one_port() {
        let mut flags = WebhookFlags::default();
        flags.web.listen_address = "127.0.0.1:0".into();
        flags.web.enable_tls = false;
        let mut webhook = StandaloneWebhook::open(&flags).await.unwrap();
        webhook.server.limits.linger = Duration::ZERO;
        let (address, stop) = (webhook.address().unwrap(), CancellationToken::new());
        let asking = async {
            let _ends = stop.clone().drop_guard();
            let answer = |status: &str, body: &str| (format!("HTTP/1.0 {status}"), body.to_owned());
            assert_eq!(get(address, "/healthz").await, answer("200 OK", "ok\n"));
            let path = "/admission-prometheusrules/validate";
            assert_eq!(get(address, path).await, answer("400 Bad Request", "request has no body"));
            let (_, page) = get(address, "/metrics").await;
            let version = env!("CARGO_PKG_VERSION");
            for series in [
                format!(
                    "prometheus_operator_admission_webhook_build_info{{version=\"{version}\",revision=\"unknown\"}} 1"
                ),
                format!("mainstay_webhook_reviews_total{{path=\"{path}\",verdict=\"unreadable\"}} 1"),
            ] {
                assert!(page.lines().any(|line| line == series), "{series} is not in\n{page}");
            }
        };
        let (served, ()) = tokio::join!(webhook.serve(stop.clone()), asking);
        served.unwrap();
    }
}
