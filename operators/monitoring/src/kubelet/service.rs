//! The Service: it selects no pods, and has no address of its own.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};

use crate::kubelet::settings::Settings;

/// The Service. What a server does not let change is taken from the one that stands.
pub fn build(settings: &Settings, standing: Option<&Service>) -> Service {
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
    if let Some(standing) = standing {
        let standing = standing.spec.clone().unwrap_or_default();
        spec.cluster_ip = standing.cluster_ip;
        spec.cluster_ips = standing.cluster_ips;
        spec.ip_families = standing.ip_families;
        spec.ip_family_policy = standing.ip_family_policy;
    }
    Service { metadata: settings.metadata(settings.name.clone(), &[]), spec: Some(spec), status: None }
}
