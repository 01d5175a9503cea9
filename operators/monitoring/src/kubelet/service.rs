//! The Service: it is headless and selects no pods.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};

use crate::kubelet::settings::KubeletSettings;

/// The desired Service. Immutable fields are copied from the existing one.
pub fn build(settings: &KubeletSettings, present: Option<&Service>) -> Service {
    let ports = settings
        .ports()
        .map(|(name, port)| ServicePort { name: Some(name.into()), port, ..ServicePort::default() })
        .collect();
    let mut spec = ServiceSpec {
        type_: Some("ClusterIP".into()),
        cluster_ip: Some("None".into()),
        ports: Some(ports),
        ..ServiceSpec::default()
    };
    if let Some(present) = present {
        let present = present.spec.clone().unwrap_or_default();
        spec.cluster_ip = present.cluster_ip;
        spec.cluster_ips = present.cluster_ips;
        spec.ip_families = present.ip_families;
        spec.ip_family_policy = present.ip_family_policy;
    }
    Service { metadata: settings.metadata(settings.name.clone(), &[]), spec: Some(spec), status: None }
}
