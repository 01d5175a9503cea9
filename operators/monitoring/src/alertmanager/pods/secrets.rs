//! Secrets that the pods of an Alertmanager mount.

use std::collections::BTreeMap;

use crate::web::Invalid;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use super::instance::Instance;
use super::{CLUSTER_CONFIG, CONFIG_FILE, WEB_CONFIG};
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;

/// The configuration, compressed, beside all else that the Secret of the user holds.
pub fn configuration(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    compressed: Vec<u8>,
    mut others: BTreeMap<String, ByteString>,
) -> Secret {
    others.insert(CONFIG_FILE.into(), ByteString(compressed));
    secret(instance, operator, instance.generated_secret_name(), others)
}

/// How the web server is protected; empty, if it is not.
pub fn web_config(instance: &Instance<'_>, operator: &OperatorConfig) -> Result<Secret, Invalid> {
    let fields = instance.spec.web.as_ref().map(|web| web.file.clone()).unwrap_or_default();
    let file = crate::web::server::file(WEB_CONFIG, &fields)?;
    let data = BTreeMap::from([(crate::web::server::FILE.to_owned(), ByteString(file.into_bytes()))]);
    Ok(secret(instance, operator, instance.web_config_name(), data))
}

/// How the talk between peers is protected; empty, if it is not.
pub fn cluster_config(instance: &Instance<'_>, operator: &OperatorConfig) -> Result<Secret, Invalid> {
    let file = crate::web::cluster::file(CLUSTER_CONFIG, instance.spec.cluster_tls.as_ref())?;
    let data = BTreeMap::from([(crate::web::cluster::FILE.to_owned(), ByteString(file.into_bytes()))]);
    Ok(secret(instance, operator, instance.cluster_config_name(), data))
}

fn secret(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    name: String,
    data: BTreeMap<String, ByteString>,
) -> Secret {
    Secret {
        metadata: metadata::content(instance.owner(), operator, name),
        data: Some(data),
        ..Secret::default()
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::Alertmanager;

    use super::*;

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
            names(&web_config(&instance, &operator).unwrap()),
            (Some("alertmanager-main-web-config"), vec![("web-config.yaml", 0)])
        );
        assert_eq!(
            names(&cluster_config(&instance, &operator).unwrap()),
            (Some("alertmanager-main-cluster-tls-config"), vec![("cluster-tls-config.yaml", 0)])
        );
    }
}
