//! A lab from its first process to its last trace: `up`, `down`, and stopping and starting its nodes.
//!
//! `up` makes what is missing and starts what does not run, so it is also the repair of a half-started lab. `down`
//! looks at the machine, not at what it remembers, so it also cleans up after a killed `up`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use kube::Client;

use crate::addons;
use crate::cgroup::Hierarchies;
use crate::console::Progress;
use crate::control::{self, Control, Place};
use crate::control_plane;
use crate::images;
use crate::layout::{Layout, group_of};
use crate::mounts;
use crate::network;
use crate::node::{self, Node};
use crate::paths::{Cache, remove_all, write_atomically};
use crate::process::{Launch, Ledger, end};
use crate::programs::Workshop;
use crate::state::{Kind, Lab, LabName, Ports, directory_of};
use crate::versions::{Image, Program, Versions};
use crate::volume::Volumes;

/// Ports of a control plane that has a namespace to itself.
const PORTS: Ports = Ports { api: 6443, etcd: 2379, etcd_peer: 2380, controllers: 10257 };

/// How long processes get to end by themselves where their data is to be used again.
const GRACE: Duration = Duration::from_secs(10);

/// The programs that nodes need beside those of the control plane.
fn node_programs(versions: &Versions) -> Result<Vec<Program>> {
    ["containerd", "runc", "cni-plugins"]
        .into_iter()
        .map(|name| versions.program(name, versions.default_version(name)?))
        .collect()
}

/// The images that every cluster has: pods' sandboxes, DNS and a shell.
fn cluster_images(versions: &Versions) -> Result<Vec<Image>> {
    versions.select_images(&["pause".into(), "coredns".into(), "busybox".into()])
}

/// Everything that a lab runs on.
fn programs(versions: &Versions, kubernetes: Option<&str>, control_plane_only: bool) -> Result<Vec<Program>> {
    let kubernetes = kubernetes.map_or_else(|| versions.default_version("kubernetes"), Ok)?;
    let mut programs = vec![
        versions.program("kubernetes", kubernetes)?,
        versions.program("etcd", versions.default_version("etcd")?)?,
    ];
    if !control_plane_only {
        programs.extend(node_programs(versions)?);
        programs.extend(cluster_images(versions)?.into_iter().map(|image| image.program));
    }
    Ok(programs)
}

/// Whether `up` would build no program.
pub fn is_built() -> bool {
    let (versions, workshop) = (Versions::built_in(), Workshop::new(Cache::of_user()));
    programs(&versions, None, false)
        .is_ok_and(|programs| programs.iter().all(|program| workshop.is_built(program)))
}

/// Builds what a lab needs before it starts.
pub fn build(kubernetes: Option<&str>, control_plane_only: bool) -> Result<()> {
    let (versions, workshop) = (Versions::built_in(), Workshop::new(Cache::of_user()));
    workshop.build(&programs(&versions, kubernetes, control_plane_only)?)?;
    if control_plane_only { Ok(()) } else { images::build(&workshop, &versions, &cluster_images(&versions)?) }
}

/// Starts what does not run yet and waits until it is ready.
pub async fn up(lab: &Lab, progress: &mut Progress) -> Result<()> {
    let control_plane_only = matches!(lab.shape.kind, Kind::ControlPlane { .. });
    build(Some(&lab.shape.kubernetes), control_plane_only)?;
    let binaries = control::Binaries::ensure(&Workshop::new(Cache::of_user()), Some(&lab.shape.kubernetes))?;
    match &lab.shape.kind {
        Kind::ControlPlane { extent, ports } => {
            let control = control_plane::of_ports(lab.name.as_str(), &lab.directory, binaries, *ports);
            control_plane::run(&control, *extent).await?;
            progress.say("API server ready");
            Ok(())
        }
        Kind::Cluster { kubelet_sync, .. } => {
            let layout = Layout::of(lab).context("a cluster has a layout")?;
            Cluster::new(lab, layout, binaries, kubelet_sync)?.up(progress).await
        }
    }
}

/// A lab with nodes.
struct Cluster<'a> {
    lab: &'a Lab,
    layout: Layout,
    control: Control,
    binaries: node::Binaries,
    hierarchies: Hierarchies,
    kubelet_sync: &'a str,
}

impl<'a> Cluster<'a> {
    fn new(lab: &'a Lab, layout: Layout, binaries: control::Binaries, kubelet_sync: &'a str) -> Result<Self> {
        let (versions, workshop) = (Versions::built_in(), Workshop::new(Cache::of_user()));
        let directories: Vec<PathBuf> =
            node_programs(&versions)?.iter().map(|program| workshop.directory(program)).collect();
        let [containerd, runc, plugins] = directories.try_into().ok().context("three programs")?;
        let hierarchies = Hierarchies::of_machine()?;
        let host = layout.control_plane();
        let place = Place {
            network: Some(host.path()),
            groups: vec![hierarchies.make_daemons(&layout.group(), "daemons")?],
            address: host.address,
            ports: PORTS,
            services: (layout.services(), layout.api_service()),
            nodes: true,
        };
        let control = Control {
            lab: lab.name.as_str().into(),
            directory: lab.directory.clone(),
            binaries,
            place,
            gates: Vec::new(),
        };
        Ok(Self {
            lab,
            layout,
            control,
            binaries: node::Binaries { containerd, runc, plugins },
            hierarchies,
            kubelet_sync,
        })
    }

    async fn up(&self, progress: &mut Progress) -> Result<()> {
        network::ensure(&self.layout)?;
        raise_watch_limits();
        progress.say("network ready");

        let subjects: Vec<_> = self.layout.nodes().iter().map(node::subject).collect();
        self.control.write_credentials(&subjects)?;
        progress.say("certificates ready");

        Volumes::at(self.lab.directory.join("volumes")).mount_all()?;
        self.start_own("registry", &["registry".into(), format!("--listen={}", self.layout.registry())])?;
        self.control.start_api()?;
        let nodes = self.layout.nodes();
        for node in &nodes {
            self.node(node)?.start_containerd()?;
        }
        let client = self.control.wait_until_ready().await?;
        progress.say("API server ready");

        self.control.start_controllers()?;
        self.control.start_scheduler()?;
        let mut heartbeats = Vec::new();
        for node in &nodes {
            let node = self.node(node)?;
            heartbeats.push(node.heartbeat(&client).await.filter(|_| !node.is_running()));
            node.start_kubelet().await?;
        }
        let coredns = Versions::built_in();
        addons::apply(&client, &self.layout, coredns.default_version("coredns")?).await?;
        self.start_own("provisioner", &["provisioner".into(), format!("--name={}", self.lab.name.as_str())])?;
        for (node, before) in nodes.iter().zip(heartbeats) {
            self.node(node)?.wait_until_ready(&client, before).await?;
        }
        progress.say("nodes ready");

        addons::wait_for_dns(&client, &self.layout).await?;
        progress.say("DNS and storage ready");
        Ok(())
    }

    fn node(&'a self, layout: &'a crate::layout::Node) -> Result<Node<'a>> {
        let group = self.layout.group();
        Ok(Node {
            layout,
            cluster: &self.layout,
            control: &self.control,
            binaries: &self.binaries,
            daemons: self.hierarchies.make_daemons(&group, &format!("daemons-{}", layout.letter))?,
            pods_group: self.hierarchies.make_pods(&group, &layout.letter.to_string())?,
            kubelet_sync: self.kubelet_sync,
        })
    }

    /// Starts this very program as one of the lab's own daemons, on the host's network.
    ///
    /// From a copy, because a rebuild replaces the file.
    fn start_own(&self, name: &str, arguments: &[String]) -> Result<()> {
        let ledger = self.control.ledger();
        if ledger.alive(name).is_some() {
            return Ok(());
        }
        let program = self.lab.directory.join("lab");
        let own = std::env::current_exe().context("cannot find this program's own file")?;
        write_atomically(&program, std::fs::read(&own)?)?;
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        let groups = &self.control.place.groups;
        ledger.start(&Launch { name, network: None, groups, program: &program, arguments, environment: &[] })
    }
}

/// Every kubelet and every watching pod takes some of these, and a default machine has 128 for all.
fn raise_watch_limits() {
    for (file, least) in [("max_user_instances", 8192u64), ("max_user_watches", 1_048_576)] {
        let path = format!("/proc/sys/fs/inotify/{file}");
        let present = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u64>().ok());
        if present.is_some_and(|present| present < least) {
            // A machine that does not allow it runs small labs all the same.
            let _ = std::fs::write(&path, least.to_string());
        }
    }
}

/// Ends a lab. What is on the machine under its name goes, whether it was ever described or not.
pub fn down(name: &LabName, keep_state: bool) -> Result<()> {
    let directory = directory_of(name);
    let ledger = Ledger::below(&directory);
    // A description that cannot be read must not keep anybody from cleaning up.
    let lab = Lab::find(name).ok().flatten();
    let has_nodes = lab.as_ref().is_none_or(|lab| Layout::of(lab).is_some()) && crate::paths::is_root();

    let grace = if keep_state { GRACE } else { Duration::from_millis(500) };
    let hierarchies = has_nodes.then(Hierarchies::of_machine).transpose()?;
    // Clients before servers: a server waits for its clients to leave.
    stop(&ledger, &["kubelet", "provisioner", "controller-manager", "scheduler"], grace);
    if let Some(hierarchies) = &hierarchies {
        let pods = |letter: char| hierarchies.members(&format!("{}/{letter}", group_of(name)));
        end(&('a'..='c').flat_map(pods).collect::<Vec<_>>(), grace);
    }
    stop(&ledger, &["apiserver", "containerd", "proxy", "registry"], grace);
    stop(&ledger, &[""], grace);
    if let Some(hierarchies) = hierarchies {
        hierarchies.remove(&group_of(name), grace)?;
        mounts::release(&directory, &BTreeSet::new())?;
        node::remove_traces(name.as_str(), &directory);
        Volumes::at(directory.join("volumes")).release()?;
        if let Some(lab) = &lab {
            network::remove(&Layout::widest(name, lab.shape.index))?;
        }
    }
    if keep_state { Ok(()) } else { remove_all(&directory) }
}

/// Ends the processes whose names begin with one of these.
fn stop(ledger: &Ledger, beginnings: &[&str], grace: Duration) {
    let mut names = ledger.names();
    names.retain(|name| beginnings.iter().any(|beginning| name.starts_with(beginning)));
    ledger.stop(&names, grace);
}

fn cluster_of(lab: &Lab) -> Result<(Layout, &str)> {
    match &lab.shape.kind {
        Kind::Cluster { kubelet_sync, .. } => {
            Ok((Layout::of(lab).context("a cluster has a layout")?, kubelet_sync))
        }
        Kind::ControlPlane { .. } => {
            anyhow::bail!("lab `{}` has no nodes: it is a control plane alone", lab.name.as_str())
        }
    }
}

fn find_node(layout: &Layout, letter: &str) -> Result<crate::layout::Node> {
    let nodes = layout.nodes();
    let known: Vec<String> = nodes.iter().map(|node| node.letter.to_string()).collect();
    let is_asked = |node: &crate::layout::Node| node.letter.to_string() == letter || node.name == letter;
    let found = nodes.into_iter().find(is_asked);
    found.with_context(|| format!("no node `{letter}`; there are: {}", known.join(", ")))
}

/// The name in Kubernetes of a node that is given by letter.
pub fn node_name(lab: &Lab, letter: &str) -> Result<String> {
    Ok(find_node(&cluster_of(lab)?.0, letter)?.name)
}

/// Stops a node at once; with `keep_pods` only its daemons.
pub fn stop_node(lab: &Lab, letter: &str, keep_pods: bool) -> Result<()> {
    let (layout, _) = cluster_of(lab)?;
    let node = find_node(&layout, letter)?;
    let ledger = Ledger::below(&lab.directory);
    if !keep_pods {
        network::unplug(&node.host)?;
    }
    ledger.stop(&node::processes(node.letter), Duration::ZERO);
    if !keep_pods {
        let hierarchies = Hierarchies::of_machine()?;
        for group in [format!("daemons-{}", node.letter), node.letter.to_string()] {
            end(&hierarchies.members(&format!("{}/{group}", layout.group())), Duration::ZERO);
        }
    }
    Ok(())
}

/// Starts a stopped node and waits until Kubernetes finds it ready.
pub async fn start_node(lab: &Lab, letter: &str, client: &Client) -> Result<()> {
    let (layout, kubelet_sync) = cluster_of(lab)?;
    let node = find_node(&layout, letter)?;
    network::ensure(&layout)?;
    let binaries = control::Binaries::ensure(&Workshop::new(Cache::of_user()), Some(&lab.shape.kubernetes))?;
    let cluster = Cluster::new(lab, layout, binaries, kubelet_sync)?;
    let node = cluster.node(&node)?;
    let before = node.heartbeat(client).await;
    node.start_containerd()?;
    node.start_kubelet().await?;
    node.wait_until_ready(client, before).await
}
