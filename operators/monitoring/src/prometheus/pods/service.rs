//! The Service that gives the pods of all servers, or of all agents, of a namespace their names.

use k8s_openapi::api::core::v1::Service;

use super::instance::Instance;
use crate::workload::labels::{self, labels};
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;
use crate::workload::{governing_service, governing_service::port};

/// The Service; with a port for queries of Thanos, if there is a sidecar.
pub fn build(instance: &Instance<'_>, operator: &OperatorConfig, sidecar: bool) -> Service {
    let operated = labels([("operated-prometheus", "true")]);
    let name = instance.kind.governing_service();
    let metadata = metadata::service(instance.owner(), operator, name, &operated);
    let mut ports = vec![port(instance.port_name(), 9090)];
    if sidecar {
        ports.push(port("grpc", 10901));
    }
    let selector = labels([(labels::APPLICATION, instance.kind.application())]);
    governing_service::headless(metadata, ports, selector)
}

#[cfg(test)]
mod tests {
    use api_monitoring::{Prometheus, PrometheusAgent};

    use super::*;

    #[test]
    fn servers_and_agents_have_services_of_their_own() {
        let operator = OperatorConfig::default();
        let (mut prometheus, agent) = (Prometheus::default(), PrometheusAgent::default());
        prometheus.spec.shared.port_name = "http".into();
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
