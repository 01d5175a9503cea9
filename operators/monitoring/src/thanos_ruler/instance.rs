//! A Thanos Ruler at the version that its spec sets.

use api_monitoring::ThanosRuler;
use api_monitoring::thanos_ruler::ThanosRulerSpec;
use formats::version;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::kind::version_text;
use crate::thanos_ruler::OfThanosRuler;
use crate::workload::instance::Instance as WorkloadInstance;
use crate::workload::labels::{Labels, merged};
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::PodError;

/// A Thanos Ruler.
pub type Instance<'i> = WorkloadInstance<'i, ThanosRulerSpec>;

impl<'i> Instance<'i> {
    /// A Thanos Ruler at the version that its spec sets.
    pub fn new(ruler: &'i ThanosRuler) -> Result<Self, PodError> {
        let text = version_text::<OfThanosRuler>(ruler);
        let version = version::parse(text)
            .map_err(|source| PodError::ThanosRulerVersion { text: text.to_owned(), source })?;
        Ok(Self::of::<OfThanosRuler>(ruler, &ruler.spec, version))
    }

    /// The selector of the pods; it includes labels of the user. It cannot be changed later.
    pub(crate) fn selector(&self, operator: &OperatorConfig) -> Labels {
        merged([&self.user_labels(), &operator.labels, &self.common_labels()])
    }

    /// Labels and annotations of the pods.
    pub(crate) fn metadata(&self, operator: &OperatorConfig) -> ObjectMeta {
        self.pod_metadata(merged([&self.selector(operator), &self.version_label()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::labels::{self, labels};

    #[test]
    fn the_selector_contains_labels_of_the_user_but_not_the_version() {
        let mut ruler = ThanosRuler::default();
        let metadata = ruler.spec.workload.pod_metadata.get_or_insert_default();
        metadata.labels =
            labels([("a", "user"), ("b", "user"), ("thanos-ruler", "user"), (labels::VERSION, "1")]);
        let operator = OperatorConfig { labels: labels([("b", "operator")]), ..OperatorConfig::default() };
        let instance = Instance::new(&ruler).unwrap();
        let own = labels([("a", "user"), ("b", "operator"), (labels::VERSION, "1")]);
        assert_eq!(instance.selector(&operator), merged([&own, &instance.common_labels()]));
        let version = instance.version_label();
        assert_eq!(
            instance.metadata(&operator).labels,
            Some(merged([&instance.selector(&operator), &version]))
        );
    }
}
