//! The Service that gives the pods of all Thanos Rulers of a namespace their names.

use k8s_openapi::api::core::v1::{Service, ServicePort};

use super::instance::Instance;
use super::{GRPC_PORT, WEB_PORT};
use crate::workload::governing_service::{self, port};
use crate::workload::labels::{self, labels};
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;

/// Its name.
pub const NAME: &str = "thanos-ruler-operated";

/// The Service.
pub fn build(instance: &Instance<'_>, operator: &OperatorConfig) -> Service {
    let operated = labels([("operated-thanos-ruler", "true")]);
    let metadata = metadata::service(instance.owner(), operator, NAME, &operated);
    let web = if instance.spec.port_name.is_empty() { "web" } else { &instance.spec.port_name };
    let tcp = |name, number| ServicePort { protocol: Some("TCP".into()), ..port(name, number) };
    let selector = labels([(labels::APPLICATION, "thanos-ruler")]);
    governing_service::headless(metadata, vec![tcp(web, WEB_PORT), tcp("grpc", GRPC_PORT)], selector)
}
