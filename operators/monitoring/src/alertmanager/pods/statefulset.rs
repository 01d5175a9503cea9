//! The StatefulSet of an Alertmanager.

use api_monitoring::Alertmanager;
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};

use super::instance::{Instance, defaulted};
use super::pod::{self, PodError};
use crate::workload::labels::Labels;
use crate::workload::statefulset::{self, Additions, Pods, Surroundings};

/// The StatefulSet.
pub fn build(
    alertmanager: &Alertmanager,
    surroundings: Surroundings<'_>,
    input_hash: &str,
) -> Result<StatefulSet, PodError> {
    let alertmanager = defaulted(alertmanager);
    let mut spec = spec(&alertmanager, surroundings)?;
    spec.persistent_volume_claim_retention_policy
        .clone_from(&alertmanager.spec.persistent_volume_claim_retention_policy);
    let instance = Instance::new(&alertmanager)?;
    let additions = Additions {
        labels: &Labels::new(),
        storage: alertmanager.spec.storage.as_ref(),
        volume_name: &instance.volume_name(),
        volumes: &alertmanager.spec.volumes,
        image_pull_secrets: &alertmanager.spec.image_pull_secrets,
    };
    let owner = (instance.owner(), surroundings.operator);
    Ok(statefulset::assemble(owner, &instance.object_name(), input_hash, spec, additions))
}

/// The StatefulSet without what the user adds to it, from an Alertmanager in which nothing is missing.
pub fn spec(
    alertmanager: &Alertmanager,
    surroundings: Surroundings<'_>,
) -> Result<StatefulSetSpec, PodError> {
    let image = pod::image(&alertmanager.spec, surroundings.operator)?;
    let instance = Instance::new(alertmanager)?;
    let template = pod::build(&instance, surroundings, image)?;
    let spec = instance.spec;
    Ok(statefulset::spec(Pods {
        service_name: instance.service_name(),
        replicas: spec.replicas,
        min_ready_seconds: spec.min_ready_seconds,
        management: spec.pod_management_policy.as_ref(),
        update_strategy: spec.update_strategy.as_ref(),
        selector: instance.selector(surroundings.operator),
        template,
    }))
}

#[cfg(test)]
mod tests {
    use api_monitoring::alertmanager::{AlertmanagerWebSpec, ClusterTlsConfig};
    use api_monitoring::pod::Argument;
    use api_monitoring::web::WebTlsConfig;

    use super::*;
    use crate::workload::operator::OperatorConfig;

    fn refusal(change: impl FnOnce(&mut Alertmanager)) -> String {
        let mut alertmanager = Alertmanager::default();
        change(&mut alertmanager);
        let operator = OperatorConfig::default();
        let surroundings = Surroundings { operator: &operator, tls_secrets: &[] };
        build(&alertmanager, surroundings, "").unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_run_is_refused() {
        assert!(
            refusal(|alertmanager| alertmanager.spec.version = "latest".into())
                .starts_with("failed to parse alertmanager version: ")
        );
        assert!(
            refusal(|alertmanager| alertmanager.spec.base_image = "?".into())
                .starts_with("failed to build image path: ")
        );
        assert_eq!(
            refusal(|alertmanager| {
                let mut web = AlertmanagerWebSpec::default();
                web.file.tls_config = Some(WebTlsConfig::default());
                alertmanager.spec.web = Some(web);
            }),
            "TLS private key must be defined"
        );
        assert_eq!(
            refusal(|alertmanager| alertmanager.spec.cluster_tls = Some(ClusterTlsConfig::default())),
            "failed to create the cluster TLS configuration: invalid server TLS configuration: TLS private key must \
             be defined"
        );
        assert_eq!(
            refusal(|alertmanager| {
                let argument = Argument { name: "storage.path".into(), value: "/".into() };
                alertmanager.spec.additional_args = vec![argument];
            }),
            "can't set arguments which are already managed by the operator: storage.path"
        );
    }
}
