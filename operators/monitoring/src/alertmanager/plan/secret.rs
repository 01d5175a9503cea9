//! The Secrets of an Alertmanager, except that of the web configuration file.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use super::CLUSTER_CONFIG;
use crate::alertmanager::Instance;
use crate::web::{WebConfigError, cluster};
use crate::workload::operator::OperatorConfig;
use crate::workload::secret::with_file;

/// The configuration, compressed, and the other keys of the Secret that the user writes.
pub fn configuration(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    compressed: Vec<u8>,
    others: BTreeMap<String, ByteString>,
) -> Secret {
    let (name, key) = (instance.configuration_name(), instance.naming.configuration_key);
    let mut secret = with_file(instance, operator, name, key, compressed);
    let own = secret.data.replace(others);
    secret.data.get_or_insert_default().extend(own.unwrap_or_default());
    secret
}

/// The settings of the connections between peers; empty, if the user sets none.
pub fn cluster_config(instance: &Instance<'_>, operator: &OperatorConfig) -> Result<Secret, WebConfigError> {
    let file = cluster::file(CLUSTER_CONFIG, instance.spec.cluster_tls.as_ref())?;
    Ok(with_file(instance, operator, instance.cluster_config_name(), cluster::FILE, file))
}

#[cfg(test)]
mod tests {
    use api_monitoring::Alertmanager;

    use super::*;
    use crate::workload::secret::web_config;

    fn names(secret: &Secret) -> (Option<&str>, Vec<(&str, usize)>) {
        let files = secret.data.iter().flatten().map(|(file, content)| (file.as_str(), content.0.len()));
        (secret.metadata.name.as_deref(), files.collect())
    }

    #[test]
    fn every_file_has_its_secret() {
        let mut alertmanager = Alertmanager::default();
        alertmanager.metadata.name = Some("main".into());
        let instance = Instance::new(&alertmanager).unwrap();
        let operator = OperatorConfig::default();
        let others = BTreeMap::from([("other.tmpl".to_owned(), ByteString(vec![1]))]);
        assert_eq!(
            names(&configuration(&instance, &operator, vec![1, 2], others)),
            (Some("alertmanager-main-generated"), vec![("alertmanager.yaml.gz", 2), ("other.tmpl", 1)])
        );
        assert_eq!(
            names(&web_config(&instance, &operator, "/etc").unwrap()),
            (Some("alertmanager-main-web-config"), vec![("web-config.yaml", 0)])
        );
        assert_eq!(
            names(&cluster_config(&instance, &operator).unwrap()),
            (Some("alertmanager-main-cluster-tls-config"), vec![("cluster-tls-config.yaml", 0)])
        );
    }
}
