//! The Secret of a Thanos Ruler with the remote write endpoints.

use k8s_openapi::api::core::v1::Secret;

use crate::thanos_ruler::Instance;
use crate::workload::labels::Labels;
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;
use crate::workload::secret::with_file;

/// The Secret. It has no controller: the Prometheus Operator writes it that way, and the owner of an object must not change.
pub fn remote_write(instance: &Instance<'_>, operator: &OperatorConfig, file: String) -> Secret {
    let (name, key) = (instance.configuration_name(), instance.naming.configuration_key);
    Secret {
        metadata: metadata::shared(instance.owner, operator, &name, &Labels::new()),
        ..with_file(instance, operator, name, key, file)
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::ThanosRuler;
    use k8s_openapi::ByteString;

    use super::*;
    use crate::workload::secret::web_config;

    #[test]
    fn no_owner_controls_the_endpoints() {
        let mut ruler = ThanosRuler::default();
        ruler.metadata.name = Some("main".into());
        let instance = Instance::new(&ruler).unwrap();
        let operator = OperatorConfig::default();
        let secret = remote_write(&instance, &operator, "remote_write: []\n".into());
        assert_eq!(secret.metadata.name.as_deref(), Some("thanos-ruler-main-config"));
        let file = ByteString(b"remote_write: []\n".to_vec());
        assert_eq!(secret.data, Some([("remote-write.yaml".to_owned(), file)].into()));
        let controllers = |secret: &Secret| -> Vec<Option<bool>> {
            secret.metadata.owner_references.iter().flatten().map(|owner| owner.controller).collect()
        };
        assert_eq!(controllers(&secret), [None]);
        let web = web_config(&instance, &operator, "/etc").unwrap();
        assert_eq!(web.metadata.name.as_deref(), Some("thanos-ruler-main-web-config"));
        assert_eq!(controllers(&web), [Some(true)]);
    }
}
