//! The Service that gives pods their names. A user may have one of his own; then it must be there and find the pods.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::workload::labels::{self, Labels};

/// A Service of the user that does not do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotGoverning {
    /// It is not there.
    #[error("failed to get custom governing service {namespace}/{name}: services {name:?} not found")]
    Missing {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// It finds other pods.
    #[error(
        "custom governing service {namespace}/{name} with selector {selector:?} does not select pods with labels {pods:?}"
    )]
    OtherPods {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// What it looks for.
        selector: String,
        /// What there is.
        pods: String,
    },
}

/// A Service without an address of its own.
pub fn headless(metadata: ObjectMeta, ports: Vec<ServicePort>, selector: Labels) -> Service {
    Service {
        metadata,
        spec: Some(ServiceSpec {
            cluster_ip: Some("None".into()),
            ports: Some(ports),
            selector: Some(selector),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

/// A port of a Service that leads to a named port of the pods.
pub fn port(name: &str, port: i32) -> ServicePort {
    ServicePort {
        name: Some(name.to_owned()),
        port,
        target_port: Some(IntOrString::String(name.to_owned())),
        ..ServicePort::default()
    }
}

/// Checks a Service that the user names.
pub fn check(
    (namespace, name): (&str, &str),
    service: Option<&Service>,
    pods: &Labels,
) -> Result<(), NotGoverning> {
    let (namespace, name) = (namespace.to_owned(), name.to_owned());
    let Some(service) = service else { return Err(NotGoverning::Missing { namespace, name }) };
    let selector = service.spec.as_ref().and_then(|spec| spec.selector.clone()).unwrap_or_default();
    if selector.iter().all(|(key, value)| pods.get(key) == Some(value)) {
        return Ok(());
    }
    let (selector, pods) = (labels::printed(&selector), labels::printed(pods));
    Err(NotGoverning::OtherPods { namespace, name, selector, pods })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::labels::labels;

    #[test]
    fn a_service_must_find_the_pods() {
        let service = headless(ObjectMeta::default(), vec![], labels([("a", "1")]));
        let pods = labels([("a", "1"), ("b", "2")]);
        assert_eq!(check(("ns", "own"), Some(&service), &pods), Ok(()));
        assert_eq!(
            check(("ns", "own"), Some(&service), &labels([("b", "2"), ("a", "2")])).unwrap_err().to_string(),
            "custom governing service ns/own with selector \"a=1\" does not select pods with labels \"a=2,b=2\""
        );
        assert_eq!(
            check(("ns", "own"), None, &pods).unwrap_err().to_string(),
            "failed to get custom governing service ns/own: services \"own\" not found"
        );
    }

    #[test]
    fn a_service_without_a_selector_finds_everything() {
        assert_eq!(check(("ns", "own"), Some(&Service::default()), &labels([("a", "1")])), Ok(()));
    }
}
