//! The Service that governs the StatefulSets of all servers, or of all agents, of a namespace.

use k8s_openapi::api::core::v1::Service;

use crate::prometheus::Instance;
use crate::workload::governing_service::{headless, port};
use crate::workload::operator::OperatorConfig;

/// The Service; with a port for queries of Thanos, if there is a sidecar.
pub fn build(instance: &Instance<'_>, operator: &OperatorConfig, sidecar: bool) -> Service {
    let mut ports = vec![port(instance.port_name(), 9090)];
    ports.extend(sidecar.then(|| port("grpc", 10901)));
    headless(instance, operator, "operated-prometheus", ports)
}

#[cfg(test)]
mod tests {
    use api_monitoring::{Prometheus, PrometheusAgent};

    use super::*;
    use crate::workload::labels::{self, labels};

    #[test]
    fn servers_and_agents_have_services_of_their_own() {
        let operator = OperatorConfig::default();
        let (mut prometheus, agent) = (Prometheus::default(), PrometheusAgent::default());
        prometheus.spec.shared.workload.port_name = "http".into();
        let server = build(&Instance::server(&prometheus).unwrap(), &operator, true);
        let agent = build(&Instance::agent(&agent).unwrap(), &operator, false);
        let facts = |service: Service| {
            let spec = service.spec.unwrap();
            (
                service.metadata.name.unwrap(),
                spec.cluster_ip.unwrap(),
                spec.ports.unwrap(),
                spec.selector.unwrap(),
            )
        };
        assert_eq!(
            facts(server),
            (
                "prometheus-operated".into(),
                "None".into(),
                vec![port("http", 9090), port("grpc", 10901)],
                labels([(labels::APPLICATION, "prometheus")])
            )
        );
        assert_eq!(
            facts(agent),
            (
                "prometheus-agent-operated".into(),
                "None".into(),
                vec![port("web", 9090)],
                labels([(labels::APPLICATION, "prometheus-agent")])
            )
        );
    }
}
