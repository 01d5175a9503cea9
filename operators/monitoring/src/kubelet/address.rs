//! Which address of which node is scraped.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use k8s_openapi::api::core::v1::{Node, ObjectReference};

use crate::kubelet::settings::AddressPriority;

/// A node at one of its addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeletAddress {
    /// The address, as the node writes it.
    pub ip: String,
    /// Whether it is IPv4.
    pub ipv4: bool,
    /// Name of the node.
    pub node: String,
    /// Unique id of the node.
    pub uid: String,
}

impl KubeletAddress {
    /// A reference to the node.
    pub(crate) fn reference(&self) -> ObjectReference {
        ObjectReference {
            api_version: Some("v1".into()),
            kind: Some("Node".into()),
            name: Some(self.node.clone()),
            uid: (!self.uid.is_empty()).then(|| self.uid.clone()),
            ..ObjectReference::default()
        }
    }
}

/// Why a node, or one of its addresses, is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// It has no address.
    #[error("failed to determine hostname for node {node:?} (priority: {priority}): host address unknown")]
    NoAddress {
        /// The node.
        node: String,
        /// Which addresses are preferred.
        priority: &'static str,
    },
    /// An address cannot be parsed.
    #[error("failed to parse IP address {address:?} for node {node:?} (priority: {priority})")]
    NotAnAddress {
        /// The invalid address.
        address: String,
        /// The node.
        node: String,
        /// Which addresses are preferred.
        priority: &'static str,
    },
}

/// At most one IPv4 and one IPv6 address for each node, by name of the node, and what was left out.
///
/// A node with unknown readiness is left out if another one has its address: it no longer exists, and the other one
/// replaces it.
pub fn of_nodes<'n>(
    nodes: impl IntoIterator<Item = &'n Node>,
    priority: AddressPriority,
) -> (Vec<KubeletAddress>, Vec<Unreachable>) {
    let mut nodes: Vec<&Node> = nodes.into_iter().collect();
    nodes.sort_by_key(|node| name(node));
    let (mut found, mut unreachable) = (Vec::new(), Vec::new());
    for node in nodes {
        let is_known = is_readiness_known(node);
        let addresses = addresses(node, priority, &mut unreachable);
        found.extend(addresses.into_iter().map(|address| (address, is_known)));
    }
    (without_gone(found), unreachable)
}

fn name(node: &Node) -> &str {
    node.metadata.name.as_deref().unwrap_or_default()
}

/// The first address of each family among the preferred ones.
fn addresses(
    node: &Node,
    priority: AddressPriority,
    unreachable: &mut Vec<Unreachable>,
) -> Vec<KubeletAddress> {
    let all = node.status.iter().flat_map(|status| status.addresses.iter().flatten());
    let of_type = |wanted: &str| -> Vec<&str> {
        all.clone().filter(|one| one.type_ == wanted).map(|one| one.address.as_str()).collect()
    };
    let order = match priority {
        AddressPriority::Internal => ["InternalIP", "ExternalIP"],
        AddressPriority::External => ["ExternalIP", "InternalIP"],
    };
    let Some(candidates) = order.into_iter().map(of_type).find(|found| !found.is_empty()) else {
        unreachable.push(Unreachable::NoAddress { node: name(node).to_owned(), priority: priority.as_str() });
        return Vec::new();
    };
    let mut chosen: Vec<KubeletAddress> = Vec::new();
    for ip in candidates {
        let Some(ipv4) = is_ipv4(ip) else {
            unreachable.push(Unreachable::NotAnAddress {
                address: ip.to_owned(),
                node: name(node).to_owned(),
                priority: priority.as_str(),
            });
            continue;
        };
        if chosen.iter().all(|other| other.ipv4 != ipv4) {
            let uid = node.metadata.uid.clone().unwrap_or_default();
            chosen.push(KubeletAddress { ip: ip.to_owned(), ipv4, node: name(node).to_owned(), uid });
        }
    }
    chosen
}

/// Whether it is IPv4, if it is an address.
fn is_ipv4(ip: &str) -> Option<bool> {
    Some(match ip.parse().ok()? {
        IpAddr::V4(_) => true,
        IpAddr::V6(ip) => ip.to_ipv4_mapped().is_some(),
    })
}

/// Whether the readiness of a node is known.
fn is_readiness_known(node: &Node) -> bool {
    let conditions = node.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status != "Unknown")
}

fn without_gone(found: Vec<(KubeletAddress, bool)>) -> Vec<KubeletAddress> {
    let known: BTreeMap<String, String> = found
        .iter()
        .filter(|(_, is_known)| *is_known)
        .map(|(address, _)| (address.ip.clone(), address.node.clone()))
        .collect();
    let unknown: BTreeSet<String> =
        found.iter().filter(|(_, is_known)| !is_known).map(|(address, _)| address.ip.clone()).collect();
    let gone = |address: &KubeletAddress| {
        unknown.contains(&address.ip) && known.get(&address.ip).is_some_and(|node| *node != address.node)
    };
    found.into_iter().map(|(address, _)| address).filter(|address| !gone(address)).collect()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{NodeAddress, NodeCondition, NodeStatus};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

    use super::*;

    fn node(name: &str, ready: &str, addresses: &[(&str, &str)]) -> Node {
        let addresses = addresses
            .iter()
            .map(|(type_, address)| NodeAddress { type_: (*type_).into(), address: (*address).into() })
            .collect();
        let condition =
            NodeCondition { type_: "Ready".into(), status: ready.into(), ..NodeCondition::default() };
        Node {
            metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() },
            status: Some(NodeStatus {
                addresses: Some(addresses),
                conditions: Some(vec![condition]),
                ..NodeStatus::default()
            }),
            ..Node::default()
        }
    }

    fn found(nodes: &[Node], priority: AddressPriority) -> Vec<(String, String)> {
        let (addresses, _) = of_nodes(nodes, priority);
        addresses.into_iter().map(|address| (address.node, address.ip)).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(one, other)| ((*one).into(), (*other).into())).collect()
    }

    #[test]
    fn preferred_addresses_are_used_if_a_node_has_them() {
        let nodes = [
            node("b", "True", &[("ExternalIP", "1.1.1.1"), ("InternalIP", "10.0.0.1")]),
            node("a", "True", &[("ExternalIP", "1.1.1.2"), ("Hostname", "a")]),
        ];
        assert_eq!(found(&nodes, AddressPriority::Internal), pairs(&[("a", "1.1.1.2"), ("b", "10.0.0.1")]));
        assert_eq!(found(&nodes, AddressPriority::External), pairs(&[("a", "1.1.1.2"), ("b", "1.1.1.1")]));
    }

    #[test]
    fn a_mapped_address_is_ipv4() {
        let nodes = [node("a", "True", &[("InternalIP", "::ffff:10.0.0.1"), ("InternalIP", "10.0.0.2")])];
        assert_eq!(found(&nodes, AddressPriority::Internal), pairs(&[("a", "::ffff:10.0.0.1")]));
    }

    #[test]
    fn unreachable_nodes_are_reported() {
        let nodes = [
            node("a", "True", &[("Hostname", "a")]),
            node("b", "True", &[("InternalIP", "host"), ("InternalIP", "::1")]),
        ];
        let (addresses, unreachable) = of_nodes(&nodes, AddressPriority::External);
        let messages: Vec<String> = unreachable.iter().map(ToString::to_string).collect();
        assert_eq!(addresses.len(), 1);
        assert_eq!(
            messages,
            [
                "failed to determine hostname for node \"a\" (priority: external): host address unknown",
                "failed to parse IP address \"host\" for node \"b\" (priority: external)",
            ]
        );
    }

    #[test]
    fn a_node_with_unknown_readiness_loses_an_address_that_another_node_has() {
        let nodes = [
            node("a", "Unknown", &[("InternalIP", "10.0.0.1")]),
            node("b", "False", &[("InternalIP", "10.0.0.1")]),
            node("c", "Unknown", &[("InternalIP", "10.0.0.2")]),
        ];
        assert_eq!(found(&nodes, AddressPriority::Internal), pairs(&[("b", "10.0.0.1"), ("c", "10.0.0.2")]));
    }

    #[test]
    fn nodes_with_known_readiness_keep_an_address_that_they_share() {
        let nodes = [
            node("a", "True", &[("InternalIP", "10.0.0.1")]),
            node("b", "True", &[("InternalIP", "10.0.0.1")]),
        ];
        assert_eq!(found(&nodes, AddressPriority::Internal), pairs(&[("a", "10.0.0.1"), ("b", "10.0.0.1")]));
    }
}
