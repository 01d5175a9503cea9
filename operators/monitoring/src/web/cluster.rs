//! `cluster-tls-config.yaml`: mutual TLS between the peers of an Alertmanager.

use api_monitoring::alertmanager::ClusterTlsConfig;
use api_monitoring::tls::SafeTlsConfig;
use formats::yaml::{self, Map};
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::web::check::{self, WebConfigError};
use crate::web::credentials::TlsCredentials;
use crate::web::mount::{ConfigFile, Mount};
use crate::web::server::{self, put};

/// Name of the file, and its key in the Secret.
pub const FILE: &str = "cluster-tls-config.yaml";

/// The volumes and mounts of the file, for a pod that mounts it below a directory from a Secret. Without TLS the file is
/// mounted too, but no argument points to it.
pub fn mount(directory: &str, secret: &str, tls: Option<&ClusterTlsConfig>) -> Result<Mount, WebConfigError> {
    let file = ConfigFile { directory, name: FILE, secret, volume: "cluster-tls-config" };
    let mut mount = file.mount();
    if let Some(tls) = tls {
        let key = check::cluster(tls)?;
        mount.argument = Some(file.argument("cluster.tls-config"));
        for (credentials, prefix) in [
            (server_credentials(directory, tls), "cluster-tls-server-config-"),
            (client_credentials(directory, key, &tls.client), "cluster-tls-client-config-"),
        ] {
            credentials.mount(prefix, &mut mount.volumes, &mut mount.mounts)?;
        }
    }
    Ok(mount)
}

/// The file, for a pod that mounts it below a directory; empty without TLS.
pub fn file(directory: &str, tls: Option<&ClusterTlsConfig>) -> Result<String, WebConfigError> {
    let Some(tls) = tls else { return Ok(String::new()) };
    let key = check::cluster(tls)?;
    let document = Map::new()
        .with("tls_server_config", server_section(&server_credentials(directory, tls), tls))
        .with("tls_client_config", client_section(&client_credentials(directory, key, &tls.client), tls));
    Ok(yaml::write(&document.into()))
}

fn server_credentials<'c>(directory: &str, tls: &'c ClusterTlsConfig) -> TlsCredentials<'c> {
    server::credentials(&format!("{directory}/server_tls"), &tls.server)
}

fn client_credentials<'c>(
    directory: &str,
    key: &'c SecretKeySelector,
    tls: &'c SafeTlsConfig,
) -> TlsCredentials<'c> {
    TlsCredentials {
        directory: format!("{directory}/client_tls"),
        key,
        certificate: &tls.cert,
        authority: &tls.ca,
    }
}

fn server_section(credentials: &TlsCredentials<'_>, tls: &ClusterTlsConfig) -> Map {
    let mut section = Map::new();
    put(&mut section, "key_file", Some(server::key_file(&tls.server, credentials)));
    put(&mut section, "cert_file", server::certificate_file(&tls.server, credentials));
    server::put_policy(&mut section, &tls.server, credentials);
    section
}

fn client_section(credentials: &TlsCredentials<'_>, tls: &ClusterTlsConfig) -> Map {
    let mut section = Map::new();
    put(&mut section, "key_file", Some(credentials.key_file()));
    put(&mut section, "cert_file", credentials.certificate_file());
    put(&mut section, "ca_file", credentials.authority_file());
    put(&mut section, "server_name", tls.client.server_name.clone());
    put(&mut section, "insecure_skip_verify", tls.client.insecure_skip_verify);
    section
}
