//! The settings, the ports, and the labels of all objects.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The maximum number of endpoints in one slice.
const ENDPOINTS_A_SLICE: usize = 512;

/// Which addresses of a node are preferred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum AddressPriority {
    /// Internal addresses.
    #[default]
    Internal,
    /// External addresses.
    External,
}

impl AddressPriority {
    /// As the flag names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::External => "external",
        }
    }
}

/// The settings.
#[derive(Debug, Clone, PartialEq)]
pub struct KubeletSettings {
    /// Namespace of all objects.
    pub namespace: String,
    /// Name of the Service.
    pub name: String,
    /// Labels of all objects of the operator.
    pub labels: BTreeMap<String, String>,
    /// Annotations of all objects of the operator.
    pub annotations: BTreeMap<String, String>,
    /// Which addresses are preferred.
    pub priority: AddressPriority,
    /// Whether kubelets also serve without TLS.
    pub plain_http: bool,
    /// Whether EndpointSlices are written.
    pub endpoint_slices: bool,
    /// The maximum number of endpoints in one slice.
    pub endpoints_a_slice: usize,
}

impl Default for KubeletSettings {
    fn default() -> Self {
        Self {
            namespace: String::new(),
            name: String::new(),
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            priority: AddressPriority::default(),
            plain_http: true,
            endpoint_slices: false,
            endpoints_a_slice: ENDPOINTS_A_SLICE,
        }
    }
}

impl KubeletSettings {
    /// Names and numbers of the ports of a kubelet, in the order in which every object lists them.
    pub(crate) fn ports(&self) -> impl Iterator<Item = (&'static str, i32)> {
        let plain = self.plain_http.then_some(("http-metrics", 10255));
        [("https-metrics", 10250), ("cadvisor", 4194)].into_iter().chain(plain)
    }

    /// Name, labels and annotations of an object; labels of the operator take precedence over those of kubelets.
    pub(crate) fn metadata(&self, name: String, more: &[(&str, &str)]) -> ObjectMeta {
        let own = [
            ("k8s-app", "kubelet"),
            ("app.kubernetes.io/name", "kubelet"),
            ("app.kubernetes.io/managed-by", "prometheus-operator"),
        ];
        let mut labels: BTreeMap<String, String> =
            own.iter().chain(more).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        labels.extend(self.labels.clone());
        ObjectMeta {
            name: Some(name),
            namespace: Some(self.namespace.clone()),
            labels: Some(labels),
            annotations: (!self.annotations.is_empty()).then(|| self.annotations.clone()),
            ..ObjectMeta::default()
        }
    }
}
