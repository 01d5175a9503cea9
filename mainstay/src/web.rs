//! The port of a process, as the flags of the peer describe it: the operator and the stand-alone webhook open the same.

use std::time::Duration;

use anyhow::{Context, Result};
use kernel::admin::Readiness;
use kernel::web::{Certificates, Limits, Protection, Server, TlsSettings, TlsVersion, listen};
use operator_monitoring::flags::tls::{self, Tls};
use operator_monitoring::flags::web::Web;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long servers may take to end: longer than they go on by themselves, shorter than passes may take.
const ENDING: Duration = Duration::from_secs(15);

/// Listens, and reads the certificates. What is answered is said when it is served.
pub async fn open(web: &Web) -> Result<Server> {
    let tls = web.tls()?;
    if web.enable_tls && tls.is_none() {
        tracing::warn!("neither --web.cert-file nor --web.key-file is given: TLS is off");
    }
    let protection = match tls {
        Some(tls) => Protection::Files(Box::new(Certificates::read(settings(web, tls)?).await?)),
        None => Protection::Clear,
    };
    let listener = listen(&web.listen_address).await.context("--web.listen-address")?;
    tracing::info!(address = %listener.local_addr()?, tls = !matches!(protection, Protection::Clear), "listening");
    Ok(Server { listener, protection, limits: Limits::default() })
}

/// Is ready for nothing more once the process was asked to stop.
pub async fn withdraw(readiness: Readiness, stop: CancellationToken) {
    stop.cancelled().await;
    readiness.gate("process", "it was asked to stop");
}

/// Sees servers end by themselves after the stop. What holds one up for too long is dropped.
pub async fn see_out(mut servers: JoinSet<()>, stop: CancellationToken) {
    stop.cancelled().await;
    let all = async { while servers.join_next().await.is_some() {} };
    if timeout(ENDING, all).await.is_err() {
        servers.shutdown().await;
    }
}

fn settings(web: &Web, tls: Tls) -> Result<TlsSettings> {
    let certificate = tls.certificate.context("--web.key-file needs --web.cert-file")?;
    Ok(TlsSettings {
        certificate,
        key: tls.key.context("--web.cert-file needs --web.key-file")?,
        client_authority: tls.client_authority,
        look_every: tls.reload_interval,
        oldest: match tls.min_version {
            tls::TlsVersion::Tls12 => TlsVersion::Tls12,
            tls::TlsVersion::Tls13 => TlsVersion::Tls13,
        },
        cipher_suites: tls.cipher_suites,
        // By their names: those that nobody knows have been refused by now.
        curves: web.curves.clone(),
        http2: web.http2,
    })
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use kernel::clock;
    use operator_monitoring::flags::webhook::Flags;

    use super::*;

    fn web() -> Web {
        Flags::default().web
    }

    #[test]
    fn flags_become_settings() {
        let asked = Web {
            http2: true,
            min_version: "VersionTLS12".into(),
            cipher_suites: ["TLS_RSA_WITH_RC4_128_SHA".to_owned()].into(),
            curves: ["CurveP521".to_owned()].into(),
            ..web()
        };
        let expected = TlsSettings {
            certificate: "/etc/tls/private/tls.crt".into(),
            key: "/etc/tls/private/tls.key".into(),
            client_authority: Some("/etc/tls/private/tls-ca.crt".into()),
            look_every: asked.reload_interval,
            oldest: TlsVersion::Tls12,
            cipher_suites: asked.cipher_suites.clone(),
            curves: asked.curves.clone(),
            http2: true,
        };
        let tls = asked.tls().unwrap().unwrap();
        assert_eq!(settings(&asked, tls).unwrap(), expected);
    }

    #[tokio::test]
    async fn what_cannot_be_opened_is_named() {
        let local = Web { listen_address: "127.0.0.1:0".into(), ..web() };
        for (web, words) in [
            (Web { key: None, ..local.clone() }, "--web.cert-file needs --web.key-file"),
            (Web { certificate: None, ..local.clone() }, "--web.key-file needs --web.cert-file"),
            (
                Web { certificate: Some("/none".into()), ..local.clone() },
                "cannot read /none: No such file or directory (os error 2)",
            ),
            (
                Web { enable_tls: false, listen_address: "8080".into(), ..local.clone() },
                "--web.listen-address: cannot listen on \"8080\": write it as host:port, or :port for all addresses \
                 of the machine: address 8080: missing port in address",
            ),
        ] {
            assert_eq!(format!("{:#}", open(&web).await.unwrap_err()), words);
        }
        let without = Web { certificate: None, key: None, client_authority: None, ..local };
        assert!(matches!(open(&without).await.unwrap().protection, Protection::Clear));
    }

    #[tokio::test]
    async fn a_process_that_ends_is_not_ready() {
        let (readiness, stop) = (Readiness::default(), CancellationToken::new());
        readiness.gate("watches", "").open();
        let mut withdrawing = std::pin::pin!(withdraw(readiness.clone(), stop.clone()));
        assert!(withdrawing.as_mut().now_or_never().is_none() && readiness.is_ready());
        stop.cancel();
        withdrawing.await;
        assert!(!readiness.is_ready());
    }

    #[test]
    fn servers_end_by_themselves_before_they_are_dropped() {
        let Limits { linger, grace, .. } = Limits::default();
        assert!(linger + grace < ENDING);
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_end_is_dropped_in_the_end() {
        for (takes, ends) in [(3, 3), (100, 15)] {
            let (start, stop, mut servers) = (clock::now(), CancellationToken::new(), JoinSet::new());
            servers.spawn(clock::until(Some(start + Duration::from_secs(takes))));
            stop.cancel();
            see_out(servers, stop).await;
            assert_eq!(clock::now() - start, Duration::from_secs(ends));
        }
    }
}
