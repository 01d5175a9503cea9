//! The web server of a process, as the flags of the peer describe it: the same for the operator and the stand-alone webhook.

use std::time::Duration;

use anyhow::{Context, Result};
use kernel::admin::Readiness;
use kernel::web::{Certificates, Protection, ServerLimits, WebServer, listen};
use operator_monitoring::flags::web::WebFlags;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long servers may take to stop: longer than they take by themselves, shorter than passes may take.
const GRACE: Duration = Duration::from_secs(15);

/// Listens, and reads the certificates.
pub async fn open(web: &WebFlags) -> Result<WebServer> {
    let protection = match web.tls()? {
        Some(tls) => Protection::Files(Box::new(Certificates::read(tls).await?)),
        None => Protection::Clear,
    };
    let tls = !matches!(protection, Protection::Clear);
    if web.enable_tls && !tls {
        tracing::warn!("TLS is disabled: neither --web.cert-file nor --web.key-file is given");
    }
    let listener = listen(&web.listen_address).await.context("--web.listen-address")?;
    tracing::info!(address = %listener.local_addr()?, tls, "listening");
    Ok(WebServer { listener, protection, limits: ServerLimits::default() })
}

/// Marks the process as not ready once it stops.
pub async fn mark_unready(readiness: Readiness, stop: CancellationToken) {
    stop.cancelled().await;
    readiness.gate("process", "it is stopping");
}

/// Waits after the stop until all servers have ended. Those that take too long are dropped.
pub async fn finish(mut servers: JoinSet<()>, stop: CancellationToken) {
    stop.cancelled().await;
    let all = async { while servers.join_next().await.is_some() {} };
    if timeout(GRACE, all).await.is_err() {
        servers.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use kernel::clock;
    use operator_monitoring::flags::webhook::WebhookFlags;

    use super::*;

    fn web() -> WebFlags {
        WebhookFlags::default().web
    }

    #[tokio::test]
    async fn invalid_settings_are_errors() {
        let local = WebFlags { listen_address: "127.0.0.1:0".into(), ..web() };
        for (web, message) in [
            (WebFlags { key: None, ..local.clone() }, "--web.cert-file needs --web.key-file"),
            (WebFlags { certificate: None, ..local.clone() }, "--web.key-file needs --web.cert-file"),
            (
                WebFlags { certificate: Some("/none".into()), ..local.clone() },
                "cannot read /none: No such file or directory (os error 2)",
            ),
            (
                WebFlags { enable_tls: false, listen_address: "8080".into(), ..local.clone() },
                "--web.listen-address: cannot listen on \"8080\": write it as host:port, or :port for all addresses \
                 of the machine: address 8080: missing port in address",
            ),
        ] {
            assert_eq!(format!("{:#}", open(&web).await.unwrap_err()), message);
        }
        let without = WebFlags { certificate: None, key: None, client_authority: None, ..local };
        assert!(matches!(open(&without).await.unwrap().protection, Protection::Clear));
    }

    #[tokio::test]
    async fn a_process_that_stops_is_not_ready() {
        let (readiness, stop) = (Readiness::default(), CancellationToken::new());
        readiness.gate("watches", "").open();
        let mut marking = std::pin::pin!(mark_unready(readiness.clone(), stop.clone()));
        assert!(marking.as_mut().now_or_never().is_none() && readiness.is_ready());
        stop.cancel();
        marking.await;
        assert!(!readiness.is_ready());
    }

    #[test]
    fn servers_end_by_themselves_before_they_are_dropped() {
        let ServerLimits { linger, grace, .. } = ServerLimits::default();
        assert!(linger + grace < GRACE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_does_not_end_is_dropped() {
        for (takes, ends) in [(3, 3), (100, 15)] {
            let (start, stop, mut servers) = (clock::now(), CancellationToken::new(), JoinSet::new());
            servers.spawn(clock::until(Some(start + Duration::from_secs(takes))));
            stop.cancel();
            finish(servers, stop).await;
            assert_eq!(clock::now() - start, Duration::from_secs(ends));
        }
    }
}
