//! Cases of `web` in `operators/monitoring`.

use anyhow::Result;
use api_monitoring::alertmanager::ClusterTlsConfig;
use api_monitoring::web::WebConfigFileFields;
use operator_monitoring::web::{Mount, WebConfigError, cluster, server};
use serde_json::json;

use super::Runner;
use crate::case::Case;
use crate::compare::{self, Found, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("webconfig.generateConfigFileContents", |case| text(case, server_file)),
    ("webconfig.GetMountParameters", |case| data(case, server_mount)),
    ("clustertlsconfig.ClusterTLSConfiguration", |case| text(case, cluster_file)),
    ("clustertlsconfig.GetMountParameters", |case| data(case, cluster_mount)),
];

fn text(case: &Case, run: fn(&Case) -> Result<Found>) -> Outcome {
    compare::text(case, run(case).unwrap_or_else(unread))
}

fn data(case: &Case, run: fn(&Case) -> Result<Found>) -> Outcome {
    compare::data(case, run(case).unwrap_or_else(unread))
}

/// Inputs that cannot be parsed are an output, so that they do not match an expected error.
#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "it is an argument of `unwrap_or_else`"
)]
fn unread(error: anyhow::Error) -> Found {
    Ok(format!("{error:#}").into())
}

fn server_file(case: &Case) -> Result<Found> {
    let fields: WebConfigFileFields = case.input("webConfigFileFields")?;
    Ok(found(server::file(&case.input::<String>("mountingDir")?, &fields)))
}

fn server_mount(case: &Case) -> Result<Found> {
    let fields: WebConfigFileFields = case.input("webConfigFileFields")?;
    let (directory, secret): (String, String) = (case.input("mountingDir")?, case.input("secretName")?);
    Ok(found(server::mount(&directory, &secret, &fields).map(|mount| shown(&mount))))
}

fn cluster_file(case: &Case) -> Result<Found> {
    let tls: Option<ClusterTlsConfig> = case.input("clusterTLS")?;
    Ok(found(cluster::file(&case.input::<String>("mountingDir")?, tls.as_ref())))
}

fn cluster_mount(case: &Case) -> Result<Found> {
    let tls: Option<ClusterTlsConfig> = case.input("clusterTLS")?;
    let (directory, secret): (String, String) = (case.input("mountingDir")?, case.input("secretName")?);
    Ok(found(cluster::mount(&directory, &secret, tls.as_ref()).map(|mount| shown(&mount))))
}

fn shown(mount: &Mount) -> serde_json::Value {
    json!({"argument": mount.argument, "volumes": mount.volumes, "volumeMounts": mount.mounts})
}

fn found(result: Result<impl Into<serde_json::Value>, WebConfigError>) -> Found {
    result.map(Into::into).map_err(|invalid| invalid.to_string())
}
