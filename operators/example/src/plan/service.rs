//! The two Services: one for clients, one that gives each instance a name.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::metadata;
use crate::adopt::ObjectNames;
use crate::gather::{Existing, Inputs};
use crate::names;
use crate::validate::Valid;

/// The Service for clients. One that existed before the operator keeps its ports, because clients use them.
pub(super) fn clients(valid: &Valid, inputs: &Inputs) -> Service {
    let is_adopted = inputs.names != ObjectNames::ours(&valid.name);
    let found = inputs.service.as_ref().filter(|service| is_adopted || is_adopted_by_itself(service));
    let kept = found.and_then(|service| service.object.spec.as_ref()?.ports.clone());
    let kept = kept.filter(|ports| !ports.is_empty());
    let mut metadata = metadata(valid, valid.name.clone());
    // In the next pass the Service is ours: the annotation says that its ports were not.
    if kept.is_some() {
        metadata.annotations = Some(BTreeMap::from([(names::ADOPTED.into(), "ports".into())]));
    }
    let spec = ServiceSpec {
        ports: Some(kept.unwrap_or_else(|| vec![port(80)])),
        selector: Some(inputs.names.selector.clone()),
        ..ServiceSpec::default()
    };
    Service { metadata, spec: Some(spec), ..Service::default() }
}

/// Whether the Service existed before the operator adopted it.
fn is_adopted_by_itself(service: &Existing<Service>) -> bool {
    let annotations = service.object.metadata.annotations.as_ref();
    !service.is_ours || annotations.is_some_and(|annotations| annotations.contains_key(names::ADOPTED))
}

/// The Service for instances and for the operator. It also gives host names to instances that are not ready.
pub(super) fn instances(valid: &Valid, inputs: &Inputs) -> Service {
    let spec = ServiceSpec {
        cluster_ip: Some("None".into()),
        publish_not_ready_addresses: Some(true),
        ports: Some(vec![port(names::PORT)]),
        selector: Some(inputs.names.selector.clone()),
        ..ServiceSpec::default()
    };
    Service {
        metadata: metadata(valid, inputs.names.service.clone()),
        spec: Some(spec),
        ..Service::default()
    }
}

fn port(number: i32) -> ServicePort {
    ServicePort {
        name: Some("http".into()),
        port: number,
        target_port: Some(IntOrString::Int(names::PORT)),
        ..ServicePort::default()
    }
}

#[cfg(test)]
mod tests {
    use api_example::ExampleApp;
    use serde_json::json;

    use super::*;
    use crate::gather::Credentials;
    use crate::upgrade::Timing;
    use crate::validate::validate;

    #[test]
    fn an_adopted_service_keeps_its_ports_in_every_pass() {
        let app: ExampleApp = serde_json::from_value(json!({
            "metadata": {"name": "a", "namespace": "n", "uid": "1"}, "spec": {"appVersion": "0.0.1"},
        }))
        .unwrap();
        let found: Service =
            serde_json::from_value(json!({"spec": {"ports": [{"name": "http", "port": 8080}]}})).unwrap();
        let mut inputs = Inputs {
            service: Some(Existing { object: found, is_ours: false }),
            ..Inputs::empty("a", Credentials { username: "u".into(), password: "p".into() })
        };
        let valid = validate(&app, &inputs, Timing::default()).unwrap();
        let port = |service: &Service| service.spec.as_ref().unwrap().ports.as_ref().unwrap()[0].port;
        for _ in 0..3 {
            let built = clients(&valid, &inputs);
            assert_eq!(port(&built), 8080);
            inputs.service = Some(Existing { object: built, is_ours: true });
        }
        inputs.service = None;
        let created = clients(&valid, &inputs);
        assert_eq!((port(&created), created.metadata.annotations), (80, None));
    }
}
