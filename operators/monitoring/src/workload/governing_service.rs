//! The Service that provides the DNS names of the pods of all workloads of a kind in a namespace.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::workload::instance::Instance;
use crate::workload::labels::{self, labels};
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;

/// A headless Service with these ports and a label that names the application.
pub(crate) fn headless<S>(
    instance: &Instance<'_, S>,
    operator: &OperatorConfig,
    label: &str,
    ports: Vec<ServicePort>,
) -> Service {
    let operated = labels([(label, "true")]);
    Service {
        metadata: metadata::shared(instance.owner, operator, instance.naming.governing_service, &operated),
        spec: Some(ServiceSpec {
            cluster_ip: Some("None".into()),
            ports: Some(ports),
            selector: Some(labels([(labels::APPLICATION, instance.naming.application)])),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

/// A port of a Service that targets the port of the pods with the same name.
pub(crate) fn port(name: &str, port: i32) -> ServicePort {
    ServicePort {
        name: Some(name.to_owned()),
        port,
        target_port: Some(IntOrString::String(name.to_owned())),
        ..ServicePort::default()
    }
}
