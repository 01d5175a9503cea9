//! The Service that governs the StatefulSets of all Alertmanagers of a namespace.

use k8s_openapi::api::core::v1::{Service, ServicePort};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{MESH_PORT, MESH_TCP, MESH_UDP, WEB_PORT};
use crate::alertmanager::Instance;
use crate::workload::governing_service::headless;
use crate::workload::operator::OperatorConfig;

/// The Service. It also publishes pods that are not ready, because they need their peers to become ready.
pub fn build(instance: &Instance<'_>, operator: &OperatorConfig) -> Service {
    let web = instance.port_name();
    let ports = [
        (web, WEB_PORT, web, "TCP"),
        ("tcp-mesh", MESH_PORT, MESH_TCP, "TCP"),
        ("udp-mesh", MESH_PORT, MESH_UDP, "UDP"),
    ];
    let port = |(name, port, target, protocol): (&str, i32, &str, &str)| ServicePort {
        name: Some(name.into()),
        port,
        target_port: Some(IntOrString::String(target.into())),
        protocol: Some(protocol.into()),
        ..ServicePort::default()
    };
    let mut service = headless(instance, operator, "operated-alertmanager", ports.map(port).to_vec());
    service.spec.get_or_insert_default().publish_not_ready_addresses = Some(true);
    service
}

#[cfg(test)]
mod tests {
    use api_monitoring::Alertmanager;
    use k8s_openapi::api::core::v1::ServiceSpec;

    use super::*;
    use crate::workload::labels::{self, labels};

    #[test]
    fn peers_find_each_other_before_they_are_ready() {
        let alertmanager = Alertmanager::default();
        let instance = Instance::new(&alertmanager).unwrap();
        let service = build(&instance, &OperatorConfig::default());
        let port = |name: &str, port, target: &str, protocol: &str| ServicePort {
            name: Some(name.into()),
            port,
            target_port: Some(IntOrString::String(target.into())),
            protocol: Some(protocol.into()),
            ..ServicePort::default()
        };
        let expected = ServiceSpec {
            cluster_ip: Some("None".into()),
            publish_not_ready_addresses: Some(true),
            ports: Some(vec![
                port("web", 9093, "web", "TCP"),
                port("tcp-mesh", 9094, "mesh-tcp", "TCP"),
                port("udp-mesh", 9094, "mesh-udp", "UDP"),
            ]),
            selector: Some(labels([(labels::APPLICATION, "alertmanager")])),
            ..ServiceSpec::default()
        };
        assert_eq!(service.metadata.name.as_deref(), Some("alertmanager-operated"));
        assert_eq!(service.spec, Some(expected));
    }
}
