//! An Alertmanager: names, labels, addresses.

use api_monitoring::Alertmanager;
use api_monitoring::alertmanager::AlertmanagerSpec;
use formats::version::{self, NotAVersion, Version};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::workload::defaults::{self, or_default};
use crate::workload::labels::{self, Labels, labels, merged};
use crate::workload::metadata::Owner;
use crate::workload::operator::OperatorConfig;
use crate::workload::statefulset;

/// A version that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to parse alertmanager version: {0}")]
pub struct VersionError(#[from] NotAVersion);

/// An Alertmanager.
#[derive(Debug, Clone)]
pub struct Instance<'i> {
    /// The metadata of the resource.
    pub metadata: &'i ObjectMeta,
    /// What the user says.
    pub spec: &'i AlertmanagerSpec,
    /// The version that runs.
    pub version: Version,
}

/// The same with what a server would fill in, and with the least memory that is requested.
pub fn defaulted(alertmanager: &Alertmanager) -> Alertmanager {
    let mut alertmanager = alertmanager.clone();
    let spec = &mut alertmanager.spec;
    if spec.port_name.is_empty() {
        spec.port_name = "web".into();
    }
    if spec.retention.is_empty() {
        spec.retention = "120h".into();
    }
    spec.replicas = Some(spec.replicas.unwrap_or(1).max(0));
    statefulset::put_memory(&mut spec.resources);
    alertmanager
}

impl<'i> Instance<'i> {
    /// An Alertmanager at the version that it asks for.
    pub fn new(alertmanager: &'i Alertmanager) -> Result<Self, VersionError> {
        let version = version::parse(version_text(&alertmanager.spec))?;
        Ok(Self { metadata: &alertmanager.metadata, spec: &alertmanager.spec, version })
    }

    /// The resource, as owner of objects.
    pub fn owner(&self) -> Owner<'i> {
        Owner { api_version: "monitoring.coreos.com/v1", kind: "Alertmanager", metadata: self.metadata }
    }

    /// What all names of objects begin with; also the name of the StatefulSet.
    pub fn object_name(&self) -> String {
        format!("alertmanager-{}", self.owner().name())
    }

    /// The name of the Secret with the configuration that the user writes.
    pub fn config_secret_name(&self) -> String {
        defaults::given(&self.spec.config_secret).unwrap_or_else(|| self.object_name())
    }

    /// The name of the Secret with the configuration that runs.
    pub fn generated_secret_name(&self) -> String {
        format!("{}-generated", self.object_name())
    }

    /// The name of the Secret with the file that protects the web server.
    pub fn web_config_name(&self) -> String {
        format!("{}-web-config", self.object_name())
    }

    /// The name of the Secret with the file that protects the talk between peers.
    pub fn cluster_config_name(&self) -> String {
        format!("{}-cluster-tls-config", self.object_name())
    }

    /// The name of the volume with the data.
    pub(crate) fn volume_name(&self) -> String {
        format!("{}-db", self.object_name())
    }

    /// The Service that gives pods their names.
    pub(crate) fn service_name(&self) -> &'i str {
        self.spec.service_name.as_deref().unwrap_or(super::service::NAME)
    }

    /// What paths of the web server begin with.
    pub(crate) fn route_prefix(&self) -> &'i str {
        if self.spec.route_prefix.is_empty() { "/" } else { &self.spec.route_prefix }
    }

    /// Whether the version is 0 with that minor one, or a later one.
    pub(crate) fn at_least(&self, minor: u64) -> bool {
        self.version >= Version::new(0, minor, 0)
    }

    /// Whether the web server speaks TLS.
    pub(crate) fn has_tls(&self) -> bool {
        self.at_least(22) && self.spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    /// Labels that all pods have.
    pub fn common_labels(&self) -> Labels {
        let name = self.owner().name();
        labels([
            (labels::APPLICATION, "alertmanager"),
            (labels::MANAGED_BY, labels::OPERATOR),
            (labels::INSTANCE, name),
            ("alertmanager", name),
        ])
    }

    /// Labels by which the StatefulSet knows its pods. They cannot be changed later.
    pub(crate) fn selector(&self, operator: &OperatorConfig) -> Labels {
        merged([&self.common_labels(), &operator.labels])
    }

    /// Labels and annotations of the pods.
    pub(crate) fn pod_metadata(&self, operator: &OperatorConfig) -> ObjectMeta {
        let version = Labels::from([(labels::VERSION.to_owned(), self.version.to_string())]);
        let container = labels([(labels::DEFAULT_CONTAINER, "alertmanager")]);
        let none = Labels::new();
        let users = self.spec.pod_metadata.as_ref();
        let (user_labels, user_annotations) =
            users.map_or((&none, &none), |users| (&users.labels, &users.annotations));
        ObjectMeta {
            labels: Some(merged([&version, user_labels, &self.common_labels(), &operator.labels])),
            annotations: Some(merged([user_annotations, &container])),
            ..ObjectMeta::default()
        }
    }
}

/// The version, as the user writes it or as it is by default.
pub(crate) fn version_text(spec: &AlertmanagerSpec) -> &str {
    or_default(&spec.version, defaults::ALERTMANAGER_VERSION)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

    use super::*;

    #[test]
    fn what_is_missing_is_filled_in() {
        let mut alertmanager = Alertmanager::default();
        alertmanager.spec.replicas = Some(-2);
        alertmanager.spec.resources.requests = Some([("cpu".into(), Quantity("1".into()))].into());
        let spec = defaulted(&alertmanager).spec;
        assert_eq!((&*spec.port_name, &*spec.retention, spec.replicas), ("web", "120h", Some(0)));
        let requests = [("cpu", "1"), ("memory", "200Mi")];
        let requests = requests.map(|(resource, amount)| (resource.to_owned(), Quantity(amount.into())));
        assert_eq!(spec.resources.requests, Some(requests.into()));
    }

    #[test]
    fn what_the_user_says_stays() {
        let mut alertmanager = Alertmanager::default();
        alertmanager.spec.port_name = "http".into();
        alertmanager.spec.retention = "1h".into();
        alertmanager.spec.replicas = Some(3);
        alertmanager.spec.resources.requests = Some([("memory".into(), Quantity("1Gi".into()))].into());
        assert_eq!(defaulted(&alertmanager), alertmanager);
    }

    #[test]
    fn the_main_container_is_shown_first_whatever_the_user_says() {
        let mut alertmanager = Alertmanager::default();
        let metadata = alertmanager.spec.pod_metadata.get_or_insert_default();
        metadata.annotations = labels([(labels::DEFAULT_CONTAINER, "other"), ("a", "1")]);
        metadata.labels = labels([(labels::VERSION, "mine"), ("alertmanager", "other")]);
        let instance = Instance::new(&alertmanager).unwrap();
        let pods = instance.pod_metadata(&OperatorConfig::default());
        assert_eq!(pods.annotations, Some(labels([(labels::DEFAULT_CONTAINER, "alertmanager"), ("a", "1")])));
        let expected = merged([&instance.common_labels(), &labels([(labels::VERSION, "mine")])]);
        assert_eq!(pods.labels, Some(expected));
    }
}
