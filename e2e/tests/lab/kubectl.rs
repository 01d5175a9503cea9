//! kubectl exec, logs and port-forward.

use std::time::Duration;

use anyhow::{Context, Result};
use e2e::http;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::workloads::PORT;

/// A pod that prints two lines and serves a page.
async fn server(namespace: &Namespace) -> Result<()> {
    let script = format!(
        "echo first; echo second; mkdir /tmp/www; echo a page >/tmp/www/index.html; httpd -p {PORT} -h /tmp/www; {IDLE}"
    );
    let mut container = pods::shell(&script);
    container.readiness_probe = Some(pods::probe(&format!("wget -q -O /dev/null http://127.0.0.1:{PORT}/")));
    namespace.add_ready(&pods::pod("server", pods::spec(container))).await?;
    Ok(())
}

#[tokio::test]
async fn exec_and_logs() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "kubectl").await?;
    server(&namespace).await?;
    let kubectl = |arguments: &[&str]| lab.kubectl(&[&["--namespace", namespace.name()], arguments].concat());

    assert_eq!(kubectl(&["exec", "server", "--", "hostname"])?, "server");
    let failure =
        kubectl(&["exec", "server", "--", "sh", "-c", "echo lost >&2; exit 3"]).unwrap_err().to_string();
    assert!(failure.contains("lost") && failure.contains("exit code 3"), "{failure}");
    assert_eq!(kubectl(&["logs", "server"])?, "first\nsecond");
    assert_eq!(kubectl(&["logs", "server", "--tail=1"])?, "second");
    Ok(())
}

#[tokio::test]
async fn port_forward() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "port-forward").await?;
    server(&namespace).await?;
    let mut forward =
        lab.start_kubectl(&["--namespace", namespace.name(), "port-forward", "server", &format!(":{PORT}")])?;
    let line = forward.line_with("Forwarding from 127.0.0.1:", Duration::from_mins(1)).await?;
    let port = line
        .split_once("127.0.0.1:")
        .and_then(|(_, rest)| rest.split(' ').next())
        .and_then(|port| port.parse().ok())
        .with_context(|| format!("no port in `{line}`"))?;
    for _ in 0..3 {
        let response = http::get("127.0.0.1", port, "/").await?;
        assert_eq!((response.code, response.body.as_str()), (200, "a page\n"));
    }
    forward.kill().await
}
