//! The Secrets of a server or agent, except that of the web configuration file.

use formats::yaml::{self, Map};
use k8s_openapi::api::core::v1::Secret;

use super::thanos_sidecar::{CLIENT_FILE, client_secret_name};
use crate::prometheus::Instance;
use crate::workload::operator::OperatorConfig;
use crate::workload::secret::with_file;

/// The configuration, compressed.
pub fn configuration(instance: &Instance<'_>, operator: &OperatorConfig, compressed: Vec<u8>) -> Secret {
    let (name, key) = (instance.configuration_name(), instance.naming.configuration_key);
    with_file(instance, operator, name, key, compressed)
}

/// How the Thanos sidecar connects to the server. Both are in one pod, so the certificate, which is issued for clients outside
/// of the pod, is not verified.
pub fn thanos_client(instance: &Instance<'_>, operator: &OperatorConfig) -> Secret {
    let tls = Map::new().with("insecure_skip_verify", true);
    let file = yaml::write(&Map::new().with("tls_config", tls).into());
    with_file(instance, operator, client_secret_name(instance), CLIENT_FILE, file)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use api_monitoring::Prometheus;
    use k8s_openapi::ByteString;

    use super::*;
    use crate::workload::secret::web_config;

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
    fn without_a_web_configuration_the_file_is_empty() {
        let prometheus = Prometheus::default();
        let instance = Instance::server(&prometheus).unwrap();
        let secret = web_config(&instance, &OperatorConfig::default(), "/etc").unwrap();
        let data = BTreeMap::from([("web-config.yaml".to_owned(), ByteString(Vec::new()))]);
        assert_eq!(secret.data, Some(data));
    }
}
