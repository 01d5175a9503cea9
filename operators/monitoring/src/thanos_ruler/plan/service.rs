//! The Service that governs the StatefulSets of all Thanos Rulers of a namespace.

use k8s_openapi::api::core::v1::{Service, ServicePort};

use super::{GRPC_PORT, WEB_PORT};
use crate::thanos_ruler::Instance;
use crate::workload::governing_service::{headless, port};
use crate::workload::operator::OperatorConfig;

/// The Service.
pub fn build(instance: &Instance<'_>, operator: &OperatorConfig) -> Service {
    let tcp = |name, number| ServicePort { protocol: Some("TCP".into()), ..port(name, number) };
    let ports = vec![tcp(instance.port_name(), WEB_PORT), tcp("grpc", GRPC_PORT)];
    headless(instance, operator, "operated-thanos-ruler", ports)
}
