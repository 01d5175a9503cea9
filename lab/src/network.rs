//! The network of a cluster: a bridge on the host, and a network namespace for the control plane and for each node,
//! connected by veth pairs. Every step checks first, so that an incomplete network is completed.

use std::path::Path;

use anyhow::Result;

use crate::layout::{Host, Layout};
use crate::mounts;
use crate::shell::{Call, call};

fn ip(words: &str) -> Call {
    call("ip").words(words)
}

fn ip_in(host: &Host, words: &str) -> Call {
    call("nsenter").arg(format!("--net={}", host.path().display())).arg("ip").words(words)
}

/// Creates what is missing.
pub fn ensure(layout: &Layout) -> Result<()> {
    let bridge = layout.bridge();
    if !exists(&bridge) {
        ip(&format!("link add {bridge} type bridge")).run()?;
    }
    ip(&format!("addr replace {}/24 dev {bridge}", layout.host_address())).run()?;
    // Interface names are too short for the name of a lab, so the alias contains it.
    let owner = layout.group();
    ip(&format!("link set {bridge} up alias {owner}")).run()?;

    let control = layout.control_plane();
    connect(&control, &bridge, &owner)?;
    for node in layout.nodes() {
        connect(&node.host, &bridge, &owner)?;
        let address = node.host.address;
        // From the host and the control plane, pods are reached through their node.
        ip(&format!("route replace {} via {address}", node.pods)).run()?;
        ip_in(&control, &format!("route replace {} via {address}", node.pods)).run()?;
        for other in layout.nodes().into_iter().filter(|other| other.letter != node.letter) {
            ip_in(&node.host, &format!("route replace {} via {}", other.pods, other.host.address)).run()?;
        }
        // The address of a Service needs a route before kube-proxy can rewrite it; an empty bridge is enough.
        if !ip_in(&node.host, "link show services").succeeds() {
            ip_in(&node.host, "link add services type bridge").run()?;
        }
        ip_in(&node.host, "link set services up").run()?;
        ip_in(&node.host, &format!("route replace {} dev services src {address}", layout.services()))
            .run()?;
        forward_packets(&node.host)?;
    }
    if let Some(first) = layout.nodes().first() {
        ip(&format!("route replace {} via {}", layout.services(), first.host.address)).run()?;
    }
    Ok(())
}

fn exists(interface: &str) -> bool {
    Path::new("/sys/class/net").join(interface).exists()
}

/// Creates a network namespace and connects it to the bridge. Without a default route it cannot reach other machines.
fn connect(host: &Host, bridge: &str, owner: &str) -> Result<()> {
    let is_mounted = mounts::all()?.iter().any(|mount| mount.point == host.path());
    if !is_mounted {
        // After a restart of the machine a name may be left without its namespace.
        let _ = std::fs::remove_file(host.path());
        ip(&format!("netns add {}", host.namespace)).run()?;
    }
    let Host { namespace, veth, address } = host;
    if !ip_in(host, "link show eth0").succeeds() {
        if exists(veth) {
            ip(&format!("link del {veth}")).run()?;
        }
        ip(&format!("link add {veth} type veth peer name eth0 netns {namespace}")).run()?;
    }
    ip(&format!("link set {veth} master {bridge} up alias {owner}")).run()?;
    ip_in(host, "link set lo up").run()?;
    ip_in(host, &format!("addr replace {address}/24 dev eth0")).run()?;
    ip_in(host, "link set eth0 up").run()
}

/// Enables forwarding between the pods of a node and the bridge, and lets kube-proxy see packets between its own pods.
fn forward_packets(host: &Host) -> Result<()> {
    let script = "echo 1 >/proc/sys/net/ipv4/ip_forward; \
                  if [ -e /proc/sys/net/bridge ]; then echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables; fi";
    call("nsenter").arg(format!("--net={}", host.path().display())).args(["sh", "-ec", script]).run()
}

/// Disconnects a node, as a power failure would.
pub fn disconnect(host: &Host) -> Result<()> {
    ip(&format!("link set {} down", host.veth)).run()
}

/// Removes the network. Missing parts are ignored.
pub fn remove(layout: &Layout) -> Result<()> {
    for host in layout.nodes().into_iter().map(|node| node.host).chain([layout.control_plane()]) {
        if host.path().exists() {
            ip(&format!("netns del {}", host.namespace)).run()?;
        }
        if exists(&host.veth) {
            // Deleting the namespace also deletes both ends of the veth pair, but not immediately.
            let _ = ip(&format!("link del {}", host.veth)).run();
        }
    }
    if exists(&layout.bridge()) {
        ip(&format!("link del {}", layout.bridge())).run()?;
    }
    Ok(())
}
