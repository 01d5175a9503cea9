//! How a container is asked whether it is well.

use k8s_openapi::api::core::v1::{ExecAction, HTTPGetAction, Probe};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// Asks from outside of the pod.
pub fn http(path: impl Into<String>, port: IntOrString) -> Probe {
    let action = HTTPGetAction { path: Some(path.into()), port, ..HTTPGetAction::default() };
    Probe { http_get: Some(action), ..Probe::default() }
}

/// Asks from inside of the container, with what its image has: for containers that listen on the loopback address.
pub fn inside(url: &str) -> Probe {
    let script = format!(
        r#"if [ -x "$(command -v curl)" ]; then exec curl --fail {url}; elif [ -x "$(command -v wget)" ]; then exec wget -q -O /dev/null {url}; else exit 1; fi"#
    );
    let action = ExecAction { command: Some(vec!["sh".into(), "-c".into(), script]) };
    Probe { exec: Some(action), ..Probe::default() }
}
