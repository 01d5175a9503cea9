//! An Alertmanager at the version that its spec sets.

use api_monitoring::Alertmanager;
use api_monitoring::alertmanager::AlertmanagerSpec;
use formats::version;

use crate::alertmanager::OfAlertmanager;
use crate::kind::version_text;
use crate::workload::instance::Instance as WorkloadInstance;
use crate::workload::labels::{Labels, merged};
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::PodError;
use crate::workload::statefulset;

/// An Alertmanager.
pub type Instance<'i> = WorkloadInstance<'i, AlertmanagerSpec>;

impl<'i> Instance<'i> {
    /// An Alertmanager at the version that its spec sets.
    pub fn new(alertmanager: &'i Alertmanager) -> Result<Self, PodError> {
        let text = version_text::<OfAlertmanager>(alertmanager);
        let version = version::parse(text).map_err(PodError::AlertmanagerVersion)?;
        Ok(Self::of::<OfAlertmanager>(alertmanager, &alertmanager.spec, version))
    }

    /// The name of the Secret with the settings of the connections between peers.
    pub fn cluster_config_name(&self) -> String {
        format!("{}-cluster-tls-config", self.object_name())
    }

    /// The selector of the pods. It cannot be changed later.
    pub(crate) fn selector(&self, operator: &OperatorConfig) -> Labels {
        merged([&self.common_labels(), &operator.labels])
    }
}

/// The same with the defaults that the API server would set, and with the default memory request.
pub fn defaulted(alertmanager: &Alertmanager) -> Alertmanager {
    let mut alertmanager = alertmanager.clone();
    let spec = &mut alertmanager.spec;
    if spec.workload.port_name.is_empty() {
        spec.workload.port_name = "web".into();
    }
    if spec.retention.is_empty() {
        spec.retention = "120h".into();
    }
    spec.workload.replicas = Some(spec.workload.replicas.unwrap_or(1).max(0));
    statefulset::put_memory(&mut spec.workload.resources);
    alertmanager
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

    use super::*;

    #[test]
    fn missing_fields_get_defaults() {
        let mut alertmanager = Alertmanager::default();
        alertmanager.spec.workload.replicas = Some(-2);
        alertmanager.spec.workload.resources.requests = Some([("cpu".into(), Quantity("1".into()))].into());
        let spec = defaulted(&alertmanager).spec;
        let workload = &spec.workload;
        assert_eq!((&*workload.port_name, &*spec.retention, workload.replicas), ("web", "120h", Some(0)));
        let requests = [("cpu", "1"), ("memory", "200Mi")];
        let requests = requests.map(|(resource, amount)| (resource.to_owned(), Quantity(amount.into())));
        assert_eq!(workload.resources.requests, Some(requests.into()));
    }

    #[test]
    fn fields_that_the_user_sets_are_kept() {
        let mut alertmanager = Alertmanager::default();
        alertmanager.spec.workload.port_name = "http".into();
        alertmanager.spec.retention = "1h".into();
        alertmanager.spec.workload.replicas = Some(3);
        alertmanager.spec.workload.resources.requests =
            Some([("memory".into(), Quantity("1Gi".into()))].into());
        assert_eq!(defaulted(&alertmanager), alertmanager);
    }
}
