//! The StatefulSet of an Alertmanager.

use api_monitoring::Alertmanager;
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};

use super::pod;
use crate::alertmanager::Instance;
use crate::alertmanager::instance::defaulted;
use crate::workload::pod::PodError;
use crate::workload::statefulset::{self, PodInputs};

/// The StatefulSet.
pub fn build(alertmanager: &Alertmanager, inputs: PodInputs<'_>) -> Result<StatefulSet, PodError> {
    let alertmanager = defaulted(alertmanager);
    let instance = Instance::new(&alertmanager)?;
    let spec = spec(&instance, inputs)?;
    let retention = alertmanager.spec.persistent_volume_claim_retention_policy.as_ref();
    Ok(statefulset::assemble(&instance, inputs.operator, instance.object_name(), spec, retention))
}

/// The StatefulSet without the storage and the volumes that the user adds.
pub fn spec(instance: &Instance<'_>, inputs: PodInputs<'_>) -> Result<StatefulSetSpec, PodError> {
    let template = pod::build(instance, inputs)?;
    let selector = instance.selector(inputs.operator);
    Ok(statefulset::spec(instance, instance.workload.replicas, selector, template))
}

#[cfg(test)]
mod tests {
    use api_monitoring::alertmanager::{AlertmanagerWebSpec, ClusterTlsConfig};
    use api_monitoring::pod::Argument;
    use api_monitoring::web::WebTlsConfig;

    use super::*;
    use crate::workload::operator::OperatorConfig;

    fn error(change: impl FnOnce(&mut Alertmanager)) -> String {
        let mut alertmanager = Alertmanager::default();
        change(&mut alertmanager);
        let operator = OperatorConfig::default();
        let inputs = PodInputs { operator: &operator, tls_secrets: &[], rule_config_maps: &[] };
        build(&alertmanager, inputs).unwrap_err().to_string()
    }

    #[test]
    fn invalid_specs_are_rejected() {
        assert!(
            error(|alertmanager| alertmanager.spec.version = "latest".into())
                .starts_with("failed to parse alertmanager version: ")
        );
        assert!(
            error(|alertmanager| alertmanager.spec.base_image = "?".into())
                .starts_with("failed to build image path: ")
        );
        assert_eq!(
            error(|alertmanager| {
                let mut web = AlertmanagerWebSpec::default();
                web.file.tls_config = Some(WebTlsConfig::default());
                alertmanager.spec.web = Some(web);
            }),
            "TLS private key must be defined"
        );
        assert_eq!(
            error(|alertmanager| alertmanager.spec.cluster_tls = Some(ClusterTlsConfig::default())),
            "failed to create the cluster TLS configuration: invalid server TLS configuration: TLS private key must \
             be defined"
        );
        assert_eq!(
            error(|alertmanager| {
                let argument = Argument { name: "storage.path".into(), value: "/".into() };
                alertmanager.spec.workload.additional_args = vec![argument];
            }),
            "can't set arguments which are already managed by the operator: storage.path"
        );
    }
}
