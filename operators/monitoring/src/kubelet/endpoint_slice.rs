//! The EndpointSlices: all addresses, in slices of one address type. An address stays in its slice, so that a node that is
//! added or removed changes one slice.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::discovery::v1::{Endpoint, EndpointConditions, EndpointPort, EndpointSlice};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use sha2::{Digest, Sha256};

use crate::kubelet::address::KubeletAddress;
use crate::kubelet::settings::KubeletSettings;

/// The label with the Service of a slice.
const SERVICE_NAME: &str = "kubernetes.io/service-name";
/// The label with the manager of a slice.
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const MANAGER: &str = "prometheus-operator";

/// The desired slices of the Service, and those to delete.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slices {
    /// The desired slices.
    pub wanted: Vec<EndpointSlice>,
    /// Names of present slices that are empty now.
    pub surplus: Vec<String>,
}

/// The desired slices of a Service, given the present ones.
pub fn build(
    settings: &KubeletSettings,
    service: &Service,
    addresses: &[KubeletAddress],
    present: Vec<EndpointSlice>,
) -> Slices {
    let mut filling = Filling {
        settings,
        owner: service.metadata.uid.clone().unwrap_or_default(),
        waiting: addresses.iter().map(|address| (address.ip.as_str(), address)).collect(),
        slices: present,
    };
    filling.keep();
    filling.fill_up(addresses);
    filling.add_slices(addresses);
    filling.finish()
}

/// The label selector of our slices of the Service. Labels that the operator adds to all objects take precedence.
pub fn selector(settings: &KubeletSettings) -> String {
    let own = [(SERVICE_NAME, settings.name.as_str()), (MANAGED_BY, MANAGER)];
    let label = |(key, value): (&str, &str)| {
        format!("{key}={}", settings.labels.get(key).map_or(value, String::as_str))
    };
    own.map(label).join(",")
}

/// The ports of every slice.
pub fn ports(settings: &KubeletSettings) -> Vec<EndpointPort> {
    let port = |(name, port): (&str, i32)| EndpointPort {
        name: Some(name.into()),
        port: Some(port),
        ..EndpointPort::default()
    };
    settings.ports().map(port).collect()
}

/// Slices that are being filled.
struct Filling<'f> {
    settings: &'f KubeletSettings,
    /// Unique id of the Service.
    owner: String,
    /// Addresses that are in no slice yet.
    waiting: BTreeMap<&'f str, &'f KubeletAddress>,
    slices: Vec<EndpointSlice>,
}

impl<'f> Filling<'f> {
    /// Keeps every address in its slice, and removes those that no longer exist.
    fn keep(&mut self) {
        for slice in &mut self.slices {
            let present = slice.endpoints.take().unwrap_or_default();
            let kept = present
                .iter()
                .filter_map(|endpoint| match endpoint.addresses.as_slice() {
                    [ip] => self.waiting.remove(ip.as_str()).map(self::endpoint),
                    _ => None,
                })
                .collect();
            slice.endpoints = Some(kept);
            // The API server rejects objects with managed fields.
            slice.metadata.managed_fields = None;
        }
    }

    /// Puts new addresses into slices with room.
    fn fill_up(&mut self, addresses: &'f [KubeletAddress]) {
        let most = self.settings.endpoints_a_slice;
        for address in addresses {
            if !self.waiting.contains_key(address.ip.as_str()) {
                continue;
            }
            let has_room = |slice: &&mut EndpointSlice| {
                address.ipv4 == (slice.address_type == "IPv4") && held(slice) < most
            };
            if let Some(slice) = self.slices.iter_mut().find(has_room) {
                slice.endpoints.get_or_insert_default().push(endpoint(address));
                self.waiting.remove(address.ip.as_str());
            }
        }
    }

    /// Puts the remaining addresses into new slices.
    fn add_slices(&mut self, addresses: &'f [KubeletAddress]) {
        for ipv4 in [true, false] {
            let left: Vec<&KubeletAddress> = addresses
                .iter()
                .filter(|address| address.ipv4 == ipv4)
                .filter(|address| self.waiting.remove(address.ip.as_str()).is_some())
                .collect();
            for part in left.chunks(self.settings.endpoints_a_slice.max(1)) {
                let slice = self.slice(ipv4, part);
                self.slices.push(slice);
            }
        }
    }

    fn slice(&self, ipv4: bool, addresses: &[&KubeletAddress]) -> EndpointSlice {
        let service = &self.settings.name;
        let first = addresses.first().map(|address| address.ip.as_str()).unwrap_or_default();
        let mut metadata =
            self.settings.metadata(self.free_name(first), &[(SERVICE_NAME, service), (MANAGED_BY, MANAGER)]);
        metadata.owner_references = Some(vec![OwnerReference {
            api_version: "v1".into(),
            kind: "Service".into(),
            name: service.clone(),
            uid: self.owner.clone(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        }]);
        EndpointSlice {
            metadata,
            address_type: if ipv4 { "IPv4" } else { "IPv6" }.into(),
            endpoints: Some(addresses.iter().map(|address| endpoint(address)).collect()),
            ports: Some(ports(self.settings)),
        }
    }

    /// A name that no slice has, and that is the same whenever the same slice is planned: after a crash the next pass finds
    /// it again.
    fn free_name(&self, first: &str) -> String {
        let taken: BTreeSet<&str> =
            self.slices.iter().filter_map(|slice| slice.metadata.name.as_deref()).collect();
        let mut name = String::new();
        for attempt in 0..=taken.len() {
            let hash = Sha256::digest(format!("{first} {attempt}"));
            let suffix = hash.iter().take(5).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
            name = format!("{}-{suffix:010x}", self.settings.name);
            if !taken.contains(name.as_str()) {
                break;
            }
        }
        name
    }

    fn finish(self) -> Slices {
        let (wanted, empty): (Vec<_>, Vec<_>) = self.slices.into_iter().partition(|slice| held(slice) > 0);
        let surplus = empty.into_iter().filter_map(|slice| slice.metadata.name).collect();
        Slices { wanted, surplus }
    }
}

/// How many endpoints a slice has.
fn held(slice: &EndpointSlice) -> usize {
    slice.endpoints.as_ref().map_or(0, Vec::len)
}

fn endpoint(address: &KubeletAddress) -> Endpoint {
    Endpoint {
        addresses: vec![address.ip.clone()],
        conditions: Some(EndpointConditions { ready: Some(true), ..EndpointConditions::default() }),
        node_name: Some(address.node.clone()),
        target_ref: Some(address.reference()),
        ..Endpoint::default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settings(endpoints_a_slice: usize) -> KubeletSettings {
        KubeletSettings { name: "kubelet".into(), endpoints_a_slice, ..KubeletSettings::default() }
    }

    fn addresses(numbers: &BTreeSet<u8>) -> Vec<KubeletAddress> {
        let address = |number: &u8| {
            let ipv4 = !number.is_multiple_of(3);
            let ip = if ipv4 { format!("10.0.0.{number}") } else { format!("fd00::{number:x}") };
            KubeletAddress { ip, ipv4, node: format!("node-{number}"), uid: String::new() }
        };
        numbers.iter().map(address).collect()
    }

    fn ips(slices: &[EndpointSlice]) -> BTreeSet<String> {
        slices
            .iter()
            .flat_map(|slice| slice.endpoints.iter().flatten())
            .flat_map(|one| one.addresses.clone())
            .collect()
    }

    proptest! {
        #[test]
        fn slices_hold_every_address_once_and_none_is_too_full(
            before: BTreeSet<u8>, after: BTreeSet<u8>, most in 1_usize..5,
        ) {
            let (settings, service) = (settings(most), Service::default());
            let first = build(&settings, &service, &addresses(&before), Vec::new());
            let second = build(&settings, &service, &addresses(&after), first.wanted.clone());
            let wanted: BTreeSet<String> = addresses(&after).into_iter().map(|address| address.ip).collect();
            prop_assert_eq!(ips(&second.wanted), wanted);
            prop_assert_eq!(second.wanted.iter().map(held).sum::<usize>(), after.len());
            prop_assert!(second.wanted.iter().all(|slice| (1..=most).contains(&held(slice))));
            let names: BTreeSet<_> = second.wanted.iter().map(|slice| &slice.metadata.name).collect();
            prop_assert_eq!(names.len(), second.wanted.len());
            let third = build(&settings, &service, &addresses(&after), second.wanted.clone());
            prop_assert_eq!(third, Slices { surplus: Vec::new(), ..second });
        }
    }

    #[test]
    fn slices_are_found_by_the_labels_that_they_get() {
        let mut settings = settings(9);
        for (value, expected) in [(None, "prometheus-operator"), (Some("other"), "other")] {
            settings.labels.extend(value.map(|value| (MANAGED_BY.to_owned(), value.to_owned())));
            let built = build(&settings, &Service::default(), &addresses(&BTreeSet::from([1])), Vec::new());
            let labels = built.wanted[0].metadata.labels.clone().unwrap_or_default();
            assert_eq!(labels[MANAGED_BY], expected);
            assert_eq!(
                selector(&settings),
                format!("kubernetes.io/service-name=kubelet,{MANAGED_BY}={expected}")
            );
        }
    }

    #[test]
    fn names_of_slices_are_unique() {
        let (settings, service) = (settings(2), Service::default());
        let one = addresses(&BTreeSet::from([1, 2]));
        let present = build(&settings, &service, &one, Vec::new()).wanted;
        // The slice keeps its name when its first address goes, and that address comes back into another one.
        let without = build(&settings, &service, &addresses(&BTreeSet::from([2, 4])), present).wanted;
        let again = build(&settings, &service, &addresses(&BTreeSet::from([1, 2, 4])), without).wanted;
        assert_eq!(again.len(), 2);
        assert_ne!(again[0].metadata.name, again[1].metadata.name);
    }

    #[test]
    fn an_endpoint_with_several_addresses_is_split() {
        let mut endpoint = endpoint(&addresses(&BTreeSet::from([1]))[0]);
        endpoint.addresses.push("10.0.0.2".into());
        let present = EndpointSlice {
            address_type: "IPv4".into(),
            endpoints: Some(vec![endpoint]),
            ..EndpointSlice::default()
        };
        let both = addresses(&BTreeSet::from([1, 2]));
        let slices = build(&settings(9), &Service::default(), &both, vec![present]);
        assert_eq!(slices.wanted.iter().map(held).collect::<Vec<_>>(), [2]);
    }
}
