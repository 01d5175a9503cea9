//! Kubeconfig files, and clients made from them.

#![expect(clippy::disallowed_methods, reason = "the lab sets up the cluster itself")]

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;

use crate::paths::write_atomically;
use crate::pki::Certificates;

/// Writes the kubeconfig of one subject.
pub fn write(path: &Path, lab: &str, server: &str, subject: &str, certificates: &Certificates) -> Result<()> {
    let context = format!("lab-{lab}");
    // JSON is valid YAML.
    let content = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "clusters": [{"name": context, "cluster": {
            "server": server,
            "certificate-authority": certificates.certificate("ca"),
        }}],
        "users": [{"name": subject, "user": {
            "client-certificate": certificates.certificate(subject),
            "client-key": certificates.key(subject),
        }}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": subject}}],
    });
    write_atomically(path, serde_json::to_string_pretty(&content)?)
}

/// A client for the cluster of this kubeconfig.
pub async fn client(path: &Path) -> Result<Client> {
    let file = Kubeconfig::read_from(path)?;
    let mut config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
        .await
        .with_context(|| format!("{} is not a usable kubeconfig", path.display()))?;
    config.connect_timeout = Some(Duration::from_secs(5));
    // Callers poll for a condition anyway, and a rejected eviction must be returned, not retried.
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

/// Whether the API server reports that it is ready.
pub async fn is_ready(client: &Client) -> bool {
    let Ok(request) = axum::http::Request::get("/readyz").body(Vec::new()) else { return false };
    client.request_text(request).await.is_ok_and(|answer| answer == "ok")
}
