//! The two Services: one for clients, one that gives each instance a name.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::metadata;
use crate::adopt::Frame;
use crate::gather::Inputs;
use crate::names;
use crate::validate::Valid;

/// For clients. One that was there before us keeps its ports: somebody uses them.
pub(super) fn clients(valid: &Valid, inputs: &Inputs) -> Service {
    let is_adopted = inputs.frame != Frame::ours(&valid.name);
    let found = inputs.service.as_ref().filter(|service| is_adopted || !service.ours);
    let kept = found.and_then(|service| service.object.spec.as_ref()?.ports.clone());
    let spec = ServiceSpec {
        ports: Some(kept.filter(|ports| !ports.is_empty()).unwrap_or_else(|| vec![port(80)])),
        selector: Some(inputs.frame.selector.clone()),
        ..ServiceSpec::default()
    };
    Service { metadata: metadata(valid, valid.name.clone()), spec: Some(spec), ..Service::default() }
}

/// For instances and for us. It names them also while they are not ready: they find each other through it.
pub(super) fn instances(valid: &Valid, inputs: &Inputs) -> Service {
    let spec = ServiceSpec {
        cluster_ip: Some("None".into()),
        publish_not_ready_addresses: Some(true),
        ports: Some(vec![port(names::PORT)]),
        selector: Some(inputs.frame.selector.clone()),
        ..ServiceSpec::default()
    };
    Service {
        metadata: metadata(valid, inputs.frame.service.clone()),
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
