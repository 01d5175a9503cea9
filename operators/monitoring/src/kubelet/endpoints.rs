//! The Endpoints: one address for each node, because readers scrape every address.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{EndpointAddress, EndpointPort, EndpointSubset, Endpoints, Service};

use crate::kubelet::address::KubeletAddress;
use crate::kubelet::settings::KubeletSettings;

/// The Endpoints of the existing Service.
pub fn build(
    settings: &KubeletSettings,
    service: Option<&Service>,
    addresses: &[KubeletAddress],
) -> Endpoints {
    // The cluster must not mirror this object to EndpointSlices if we write them.
    let no_mirror: &[_] = &[("endpointslice.kubernetes.io/skip-mirror", "true")];
    let more = if settings.endpoint_slices { no_mirror } else { &[] };
    let addresses: Vec<EndpointAddress> =
        one_a_node(prefers_ipv4(service), addresses).into_iter().map(endpoint).collect();
    let ports = settings
        .ports()
        .map(|(name, port)| EndpointPort { name: Some(name.into()), port, ..EndpointPort::default() })
        .collect();
    let subset = EndpointSubset {
        addresses: (!addresses.is_empty()).then_some(addresses),
        ports: Some(ports),
        ..EndpointSubset::default()
    };
    Endpoints { metadata: settings.metadata(settings.name.clone(), more), subsets: Some(vec![subset]) }
}

/// Whether the Service prefers IPv4, if it says so.
fn prefers_ipv4(service: Option<&Service>) -> Option<bool> {
    let families = service?.spec.as_ref()?.ip_families.as_ref()?;
    Some(families.first()? == "IPv4")
}

/// The first address of each node, or the last one of the preferred family.
fn one_a_node(prefers_ipv4: Option<bool>, addresses: &[KubeletAddress]) -> Vec<&KubeletAddress> {
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut chosen: Vec<&KubeletAddress> = Vec::with_capacity(addresses.len());
    for address in addresses {
        match positions.get(address.node.as_str()) {
            None => {
                positions.insert(&address.node, chosen.len());
                chosen.push(address);
            }
            Some(position) if prefers_ipv4 == Some(address.ipv4) => chosen[*position] = address,
            Some(_) => {}
        }
    }
    chosen
}

fn endpoint(address: &KubeletAddress) -> EndpointAddress {
    EndpointAddress {
        ip: address.ip.clone(),
        node_name: Some(address.node.clone()),
        target_ref: Some(address.reference()),
        ..EndpointAddress::default()
    }
}
