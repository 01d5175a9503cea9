//! Parts of all containers of the operator: security context, ports, probes.

use k8s_openapi::api::core::v1::{
    Capabilities, Container, ContainerPort, EnvVar, EnvVarSource, ExecAction, HTTPGetAction,
    ObjectFieldSelector, Probe, SecurityContext,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::workload::defaults::given;

/// The environment variable with the name of the pod.
pub const POD_NAME: &str = "POD_NAME";

/// A container without privileges and with a read-only root file system.
pub(crate) fn restricted(name: &str, image: &str, image_pull_policy: &str) -> Container {
    Container {
        name: name.to_owned(),
        image: given(image),
        image_pull_policy: given(image_pull_policy),
        termination_message_policy: Some("FallbackToLogsOnError".into()),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            read_only_root_filesystem: Some(true),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), ..Capabilities::default() }),
            ..SecurityContext::default()
        }),
        ..Container::default()
    }
}

/// A port for connections.
pub(crate) fn tcp_port(name: &str, number: i32) -> ContainerPort {
    ContainerPort {
        name: given(name),
        container_port: number,
        protocol: Some("TCP".into()),
        ..ContainerPort::default()
    }
}

/// An environment variable with a field of the pod.
pub fn from_pod(name: &str, field: &str) -> EnvVar {
    let field = ObjectFieldSelector { field_path: field.into(), ..ObjectFieldSelector::default() };
    let source = EnvVarSource { field_ref: Some(field), ..EnvVarSource::default() };
    EnvVar { name: name.into(), value_from: Some(source), ..EnvVar::default() }
}

/// A request from outside of the pod.
pub(crate) fn http_probe(path: impl Into<String>, port: IntOrString, tls: bool) -> Probe {
    let scheme = tls.then(|| "HTTPS".to_owned());
    let action = HTTPGetAction { path: Some(path.into()), port, scheme, ..HTTPGetAction::default() };
    Probe { http_get: Some(action), ..Probe::default() }
}

/// A request from inside of the container, with a program of its image: for containers that listen on the loopback address.
pub(crate) fn exec_probe(url: &str) -> Probe {
    let script = format!(
        r#"if [ -x "$(command -v curl)" ]; then exec curl --fail {url}; elif [ -x "$(command -v wget)" ]; then exec wget -q -O /dev/null {url}; else exit 1; fi"#
    );
    let action = ExecAction { command: Some(vec!["sh".into(), "-c".into(), script]) };
    Probe { exec: Some(action), ..Probe::default() }
}
