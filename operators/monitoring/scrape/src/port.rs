//! Ports with a name or a number.

use formats::yaml::Map;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::kubernetes_sd::Role;
use crate::relabel;

/// The port as a text, if it is set.
pub(crate) fn text(port: &IntOrString) -> Option<String> {
    match port {
        IntOrString::String(name) => Some(name.clone()).filter(|name| !name.is_empty()),
        IntOrString::Int(number) => Some(number.to_string()),
    }
}

/// Keeps a port of a container.
pub(crate) fn keep(port: &IntOrString) -> Option<Map> {
    match port {
        IntOrString::String(name) if name.is_empty() => None,
        IntOrString::String(name) => Some(keep_name(name.clone())),
        IntOrString::Int(0) => None,
        IntOrString::Int(number) => Some(keep_number(*number)),
    }
}

/// Keeps the port of a container that has this name.
pub(crate) fn keep_name(name: String) -> Map {
    relabel::keep(vec!["__meta_kubernetes_pod_container_port_name".into()], name)
}

/// Keeps the port of a container that has this number.
pub(crate) fn keep_number(number: i32) -> Map {
    relabel::keep(vec!["__meta_kubernetes_pod_container_port_number".into()], number)
}

/// The label with the name of a port of a Service.
pub(crate) fn service_label(role: Role) -> &'static str {
    match role {
        Role::EndpointSlice => "__meta_kubernetes_endpointslice_port_name",
        Role::Endpoints | Role::Pod | Role::Ingress => "__meta_kubernetes_endpoint_port_name",
    }
}
