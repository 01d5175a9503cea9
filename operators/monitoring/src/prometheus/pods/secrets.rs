//! Secrets that the pods of a server or agent mount.

use std::collections::BTreeMap;

use crate::web::Invalid;
use formats::yaml::{self, Map};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use super::instance::Instance;
use super::thanos_sidecar::{CLIENT_FILE, client_secret_name};
use super::{CONFIG_FILE, WEB_CONFIG};
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;

/// The configuration, compressed.
pub fn configuration(instance: &Instance<'_>, operator: &OperatorConfig, compressed: Vec<u8>) -> Secret {
    secret(instance, operator, instance.object_name(), (CONFIG_FILE, compressed))
}

/// How the web server is protected; empty, if it is not.
pub fn web_config(instance: &Instance<'_>, operator: &OperatorConfig) -> Result<Secret, Invalid> {
    let fields = instance.spec.web.as_ref().map(|web| web.file.clone()).unwrap_or_default();
    let file = crate::web::server::file(WEB_CONFIG, &fields)?;
    let file = (crate::web::server::FILE, file.into_bytes());
    Ok(secret(instance, operator, instance.web_config_name(), file))
}

/// How the Thanos sidecar asks the server. It is in the same pod, so its certificate, which is for the world outside, is
/// not checked.
pub fn thanos_client(instance: &Instance<'_>, operator: &OperatorConfig) -> Secret {
    let tls = Map::new().with("insecure_skip_verify", true);
    let file = yaml::write(&Map::new().with("tls_config", tls).into());
    secret(instance, operator, client_secret_name(instance), (CLIENT_FILE, file.into_bytes()))
}

fn secret(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    name: String,
    (file, content): (&str, Vec<u8>),
) -> Secret {
    Secret {
        metadata: metadata::content(instance.owner(), operator, name),
        data: Some(BTreeMap::from([(file.to_owned(), ByteString(content))])),
        ..Secret::default()
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::Prometheus;

    use super::*;

    #[test]
    fn the_sidecar_does_not_check_the_certificate() {
        let mut prometheus = Prometheus::default();
        prometheus.metadata.name = Some("main".into());
        let instance = Instance::server(&prometheus).unwrap();
        let secret = thanos_client(&instance, &OperatorConfig::default());
        assert_eq!(
            secret.metadata.name.as_deref(),
            Some("prometheus-main-thanos-prometheus-http-client-file")
        );
        let file = b"tls_config:\n  insecure_skip_verify: true\n".to_vec();
        let data = BTreeMap::from([("prometheus.http-client-file.yaml".to_owned(), ByteString(file))]);
        assert_eq!(secret.data, Some(data));
    }

    #[test]
    fn a_server_without_protection_has_an_empty_file() {
        let prometheus = Prometheus::default();
        let instance = Instance::server(&prometheus).unwrap();
        let secret = web_config(&instance, &OperatorConfig::default()).unwrap();
        let data = BTreeMap::from([("web-config.yaml".to_owned(), ByteString(Vec::new()))]);
        assert_eq!(secret.data, Some(data));
    }
}
