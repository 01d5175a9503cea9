//! Names and addresses of a cluster, all derived from the lab's name and number. Pure.
//!
//! One bridge on the host connects a network namespace for the control plane and one for each node. They have no
//! default route, so no packet leaves the machine.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use crate::state::{Lab, LabKind, LabName};

/// The addresses of one cluster.
#[derive(Debug, Clone)]
pub struct Layout {
    lab: LabName,
    index: u8,
    nodes: u8,
}

/// One network namespace on the bridge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Name of the network namespace.
    pub namespace: String,
    /// Name of its veth interface on the host.
    pub veth: String,
    /// Address on the bridge.
    pub address: Ipv4Addr,
}

impl Host {
    /// The path of the network namespace.
    pub fn path(&self) -> PathBuf {
        PathBuf::from("/run/netns").join(&self.namespace)
    }
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeLayout {
    /// `a`, `b` or `c`.
    pub letter: char,
    /// Its name in Kubernetes.
    pub name: String,
    /// Its network namespace.
    pub host: Host,
    /// The addresses of its pods.
    pub pods: String,
    /// Its zone.
    pub zone: String,
}

impl Layout {
    /// The layout of a lab with nodes; `None` for a control plane without nodes.
    pub fn of(lab: &Lab) -> Option<Self> {
        match lab.shape.kind {
            LabKind::Cluster { nodes, .. } => {
                Some(Self { lab: lab.name.clone(), index: lab.shape.index, nodes })
            }
            LabKind::ControlPlane { .. } => None,
        }
    }

    /// The layout with the largest number of nodes, to remove everything that a lab of this name may have.
    pub fn widest(lab: &LabName, index: u8) -> Self {
        Self { lab: lab.clone(), index, nodes: 3 }
    }

    fn host(&self, suffix: &str, number: u8) -> Host {
        Host {
            namespace: format!("mainstay-{}-{suffix}", self.lab.as_str()),
            // Interface names have at most 15 characters, so they contain the lab's index instead of its name.
            veth: format!("mainstay{}-{}", self.index, &suffix[..1]),
            address: Ipv4Addr::new(10, 190, self.index, number),
        }
    }

    /// The bridge on the host.
    pub fn bridge(&self) -> String {
        format!("mainstay{}", self.index)
    }

    /// The host's own address on the bridge.
    pub fn host_address(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, 190, self.index, 1)
    }

    /// Where the registry listens.
    pub fn registry(&self) -> std::net::SocketAddr {
        (self.host_address(), 5000).into()
    }

    /// The namespace of the control plane.
    pub fn control_plane(&self) -> Host {
        // The letters of nodes start at `a`, so `x` is free.
        Host { namespace: format!("mainstay-{}-control", self.lab.as_str()), ..self.host("x", 2) }
    }

    /// The nodes.
    pub fn nodes(&self) -> Vec<NodeLayout> {
        ('a'..='c')
            .zip(1u8..)
            .take(usize::from(self.nodes))
            .map(|(letter, number)| NodeLayout {
                letter,
                name: format!("{}-{letter}", self.lab.as_str()),
                host: self.host(&letter.to_string(), 10 + number),
                pods: format!("10.{}.{number}.0/24", 200 + u16::from(self.index)),
                zone: format!("zone-{letter}"),
            })
            .collect()
    }

    /// The addresses of all pods.
    pub fn pods(&self) -> String {
        format!("10.{}.0.0/16", 200 + u16::from(self.index))
    }

    /// The addresses of all services.
    pub fn services(&self) -> String {
        format!("10.{}.0.0/16", 96 + u16::from(self.index))
    }

    /// The address of the service `kubernetes`.
    pub fn api_service(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, 96 + self.index, 0, 1)
    }

    /// The address of the cluster's DNS.
    pub fn dns(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, 96 + self.index, 0, 10)
    }

    /// The control group of the whole lab, below the root of each hierarchy.
    pub fn group(&self) -> String {
        group_of(&self.lab)
    }
}

/// The control group of a lab, below the root of each hierarchy.
pub fn group_of(lab: &LabName) -> String {
    format!("mainstay-{}", lab.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labs_have_different_names_and_addresses() {
        let mut seen = std::collections::BTreeSet::new();
        for (name, index) in [("default", 0), ("e2e", 9)] {
            let layout = Layout { lab: LabName::new(name).unwrap(), index, nodes: 3 };
            let hosts: Vec<Host> =
                layout.nodes().into_iter().map(|node| node.host).chain([layout.control_plane()]).collect();
            for text in hosts
                .iter()
                .flat_map(|host| [host.namespace.clone(), host.veth.clone(), host.address.to_string()])
                .chain(layout.nodes().into_iter().map(|node| node.pods))
                .chain([layout.bridge(), layout.services(), layout.host_address().to_string()])
            {
                assert!(seen.insert(text.clone()), "{text} is used twice");
            }
            assert!(hosts.iter().all(|host| host.veth.len() <= 15));
        }
    }

    #[test]
    fn the_third_node_of_the_second_lab() {
        let layout = Layout { lab: LabName::new("e2e").unwrap(), index: 1, nodes: 3 };
        let expected = NodeLayout {
            letter: 'c',
            name: "e2e-c".into(),
            host: Host {
                namespace: "mainstay-e2e-c".into(),
                veth: "mainstay1-c".into(),
                address: Ipv4Addr::new(10, 190, 1, 13),
            },
            pods: "10.201.3.0/24".into(),
            zone: "zone-c".into(),
        };
        assert_eq!(layout.nodes()[2], expected);
    }
}
