//! A Thanos Ruler: names, labels.

use api_monitoring::ThanosRuler;
use api_monitoring::thanos_ruler::ThanosRulerSpec;
use formats::version::{self, NotAVersion, Version};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::workload::defaults::{self, or_default};
use crate::workload::labels::{self, Labels, labels, merged};
use crate::workload::metadata::Owner;
use crate::workload::operator::OperatorConfig;

/// A version that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to parse Thanos Ruler version {text:?}: {source}")]
pub struct VersionError {
    text: String,
    source: NotAVersion,
}

/// A Thanos Ruler.
#[derive(Debug, Clone)]
pub struct Instance<'i> {
    /// The metadata of the resource.
    pub metadata: &'i ObjectMeta,
    /// What the user says.
    pub spec: &'i ThanosRulerSpec,
    /// The version that runs.
    pub version: Version,
}

impl<'i> Instance<'i> {
    /// A Thanos Ruler at the version that it asks for.
    pub fn new(ruler: &'i ThanosRuler) -> Result<Self, VersionError> {
        let text = version_text(&ruler.spec);
        let version =
            version::parse(text).map_err(|source| VersionError { text: text.to_owned(), source })?;
        Ok(Self { metadata: &ruler.metadata, spec: &ruler.spec, version })
    }

    /// The resource, as owner of objects.
    pub fn owner(&self) -> Owner<'i> {
        Owner { api_version: "monitoring.coreos.com/v1", kind: "ThanosRuler", metadata: self.metadata }
    }

    /// What all names of objects begin with; also the name of the StatefulSet.
    pub fn object_name(&self) -> String {
        format!("thanos-ruler-{}", self.owner().name())
    }

    /// The name of the Secret with the endpoints that samples are sent to.
    pub fn config_name(&self) -> String {
        format!("{}-config", self.object_name())
    }

    /// The name of the Secret with the file that protects the web server.
    pub fn web_config_name(&self) -> String {
        format!("{}-web-config", self.object_name())
    }

    /// The name of the volume with the data.
    pub(crate) fn volume_name(&self) -> String {
        format!("{}-data", self.object_name())
    }

    /// The Service that gives pods their names.
    pub(crate) fn service_name(&self) -> &'i str {
        self.spec.service_name.as_deref().unwrap_or(super::service::NAME)
    }

    /// Whether the version is 0 with that minor one, or a later one.
    pub(crate) fn at_least(&self, minor: u64) -> bool {
        self.version >= Version::new(0, minor, 0)
    }

    /// Whether the web server speaks TLS.
    pub(crate) fn has_tls(&self) -> bool {
        self.at_least(21) && self.spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    /// Labels that the pods of every Thanos Ruler have.
    pub fn common_labels(&self) -> Labels {
        let name = self.owner().name();
        labels([
            (labels::APPLICATION, "thanos-ruler"),
            (labels::MANAGED_BY, labels::OPERATOR),
            (labels::INSTANCE, name),
            ("thanos-ruler", name),
        ])
    }

    /// Labels by which the StatefulSet knows its pods: those of the user too. They cannot be changed later.
    pub(crate) fn selector(&self, operator: &OperatorConfig) -> Labels {
        let none = Labels::new();
        let users = self.spec.pod_metadata.as_ref().map_or(&none, |users| &users.labels);
        merged([users, &operator.labels, &self.common_labels()])
    }

    /// Labels and annotations of the pods.
    pub(crate) fn pod_metadata(&self, operator: &OperatorConfig) -> ObjectMeta {
        let version = Labels::from([(labels::VERSION.to_owned(), self.version.to_string())]);
        let container = labels([(labels::DEFAULT_CONTAINER, "thanos-ruler")]);
        let none = Labels::new();
        let users = self.spec.pod_metadata.as_ref().map_or(&none, |users| &users.annotations);
        ObjectMeta {
            labels: Some(merged([&self.selector(operator), &version])),
            annotations: Some(merged([users, &container])),
            ..ObjectMeta::default()
        }
    }
}

/// The version, as the user writes it or as it is by default.
pub(crate) fn version_text(spec: &ThanosRulerSpec) -> &str {
    or_default(spec.version.as_deref().unwrap_or_default(), defaults::THANOS_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pods_of_the_user_are_known_by_his_labels_and_never_by_their_version() {
        let mut ruler = ThanosRuler::default();
        let metadata = ruler.spec.pod_metadata.get_or_insert_default();
        metadata.labels =
            labels([("a", "user"), ("b", "user"), ("thanos-ruler", "user"), (labels::VERSION, "1")]);
        let operator = OperatorConfig { labels: labels([("b", "operator")]), ..OperatorConfig::default() };
        let instance = Instance::new(&ruler).unwrap();
        let own = labels([("a", "user"), ("b", "operator"), (labels::VERSION, "1")]);
        assert_eq!(instance.selector(&operator), merged([&own, &instance.common_labels()]));
        let version = labels([(labels::VERSION, &instance.version.to_string())]);
        assert_eq!(
            instance.pod_metadata(&operator).labels,
            Some(merged([&instance.selector(&operator), &version]))
        );
    }
}
