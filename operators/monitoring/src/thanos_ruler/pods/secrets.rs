//! Secrets that the pods of a Thanos Ruler mount.

use std::collections::BTreeMap;

use crate::web::Invalid;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use super::instance::Instance;
use super::{REMOTE_WRITE_FILE, WEB_CONFIG};
use crate::workload::labels::Labels;
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;

/// The file with the endpoints that samples are sent to. Nobody manages this Secret: so the Prometheus Operator writes
/// it, and an object may not change hands.
pub fn remote_write(instance: &Instance<'_>, operator: &OperatorConfig, file: String) -> Secret {
    let name = instance.config_name();
    Secret {
        metadata: metadata::service(instance.owner(), operator, &name, &Labels::new()),
        data: Some(content(REMOTE_WRITE_FILE, file)),
        ..Secret::default()
    }
}

/// How the web server is protected; empty, if it is not.
pub fn web_config(instance: &Instance<'_>, operator: &OperatorConfig) -> Result<Secret, Invalid> {
    let fields = instance.spec.web.as_ref().map(|web| web.file.clone()).unwrap_or_default();
    let file = crate::web::server::file(WEB_CONFIG, &fields)?;
    Ok(Secret {
        metadata: metadata::content(instance.owner(), operator, instance.web_config_name()),
        data: Some(content(crate::web::server::FILE, file)),
        ..Secret::default()
    })
}

fn content(name: &str, file: String) -> BTreeMap<String, ByteString> {
    BTreeMap::from([(name.to_owned(), ByteString(file.into_bytes()))])
}

#[cfg(test)]
mod tests {
    use api_monitoring::ThanosRuler;

    use super::*;

    #[test]
    fn nobody_manages_the_endpoints() {
        let mut ruler = ThanosRuler::default();
        ruler.metadata.name = Some("main".into());
        let instance = Instance::new(&ruler).unwrap();
        let operator = OperatorConfig::default();
        let secret = remote_write(&instance, &operator, "remote_write: []\n".into());
        assert_eq!(secret.metadata.name.as_deref(), Some("thanos-ruler-main-config"));
        assert_eq!(secret.data, Some(content("remote-write.yaml", "remote_write: []\n".into())));
        let managed = |secret: &Secret| -> Vec<Option<bool>> {
            secret.metadata.owner_references.iter().flatten().map(|owner| owner.controller).collect()
        };
        assert_eq!(managed(&secret), [None]);
        let web = web_config(&instance, &operator).unwrap();
        assert_eq!(web.metadata.name.as_deref(), Some("thanos-ruler-main-web-config"));
        assert_eq!(managed(&web), [Some(true)]);
    }
}
