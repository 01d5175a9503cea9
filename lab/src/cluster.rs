//! Starts and stops labs (`up`, `down`) and single nodes.
//!
//! `up` creates what is missing and starts what does not run, so it also repairs an incomplete lab. `down` inspects the
//! machine and does not rely on records, so it also cleans up after an `up` that was killed.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use kube::Client;

use crate::addons;
use crate::cgroup::Hierarchies;
use crate::console::Progress;
use crate::control::{self, Control, Placement};
use crate::control_plane;
use crate::images;
use crate::layout::{Layout, NodeLayout, group_of};
use crate::mounts;
use crate::network;
use crate::node::{self, Node};
use crate::paths::{Cache, remove_all, write_atomically};
use crate::process::{Launch, ProcessRecords, end};
use crate::programs::Builder;
use crate::state::{Lab, LabKind, LabName, Ports, directory_of};
use crate::versions::{Image, Program, Versions};
use crate::volume::Volumes;

/// Ports of a control plane in its own network namespace.
const PORTS: Ports = Ports { api: 6443, etcd: 2379, etcd_peer: 2380, controllers: 10257 };

/// How long processes may take to stop by themselves if their data is kept.
const GRACE: Duration = Duration::from_secs(10);

/// The programs that nodes need in addition to those of the control plane.
fn node_programs(versions: &Versions) -> Result<Vec<Program>> {
    ["containerd", "runc", "cni-plugins"]
        .into_iter()
        .map(|name| versions.program(name, versions.default_version(name)?))
        .collect()
}

/// The images of every cluster: the sandbox of pods, DNS and a shell.
fn cluster_images(versions: &Versions) -> Result<Vec<Image>> {
    versions.select_images(&["pause".into(), "coredns".into(), "busybox".into()])
}

/// All programs that a lab needs.
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

/// Whether all programs are built, so that `up` builds none.
pub fn is_built() -> bool {
    let (versions, builder) = (Versions::built_in(), Builder::new(Cache::of_user()));
    programs(&versions, None, false)
        .is_ok_and(|programs| programs.iter().all(|program| builder.is_built(program)))
}

/// Builds the programs and images that a lab needs.
pub fn build(kubernetes: Option<&str>, control_plane_only: bool) -> Result<()> {
    let (versions, builder) = (Versions::built_in(), Builder::new(Cache::of_user()));
    builder.build(&programs(&versions, kubernetes, control_plane_only)?)?;
    if control_plane_only { Ok(()) } else { images::build(&builder, &versions, &cluster_images(&versions)?) }
}

/// Starts what does not run yet and waits until it is ready.
pub async fn up(lab: &Lab, progress: &mut Progress) -> Result<()> {
    let control_plane_only = matches!(lab.shape.kind, LabKind::ControlPlane { .. });
    build(Some(&lab.shape.kubernetes), control_plane_only)?;
    let binaries = control::Binaries::ensure(&Builder::new(Cache::of_user()), Some(&lab.shape.kubernetes))?;
    match &lab.shape.kind {
        LabKind::ControlPlane { extent, ports } => {
            let control = control_plane::of_ports(lab.name.as_str(), &lab.directory, binaries, *ports);
            control_plane::run(&control, *extent).await?;
            progress.say("API server ready");
            Ok(())
        }
        LabKind::Cluster { kubelet_sync, .. } => {
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
        let (versions, builder) = (Versions::built_in(), Builder::new(Cache::of_user()));
        let directories: Vec<PathBuf> =
            node_programs(&versions)?.iter().map(|program| builder.directory(program)).collect();
        let [containerd, runc, plugins] = directories.try_into().ok().context("three programs")?;
        let hierarchies = Hierarchies::of_machine()?;
        let host = layout.control_plane();
        let placement = Placement {
            network: Some(host.path()),
            groups: vec![hierarchies.make_daemons(&layout.group(), "daemons")?],
            address: host.address,
            ports: PORTS,
            service_range: layout.services(),
            api_service: layout.api_service(),
            nodes: true,
        };
        let control = Control {
            lab: lab.name.as_str().into(),
            directory: lab.directory.clone(),
            binaries,
            placement,
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
        let versions = Versions::built_in();
        addons::apply(&client, &self.layout, versions.default_version("coredns")?).await?;
        self.start_own("provisioner", &["provisioner".into(), format!("--name={}", self.lab.name.as_str())])?;
        for (node, before) in nodes.iter().zip(heartbeats) {
            self.node(node)?.wait_until_ready(&client, before).await?;
        }
        progress.say("nodes ready");

        addons::wait_for_dns(&client, &self.layout).await?;
        progress.say("DNS and storage ready");
        Ok(())
    }

    fn node(&'a self, layout: &'a NodeLayout) -> Result<Node<'a>> {
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

    /// Starts this program as a daemon of the lab, in the host's network namespace. It runs from a copy, because a
    /// rebuild replaces the file.
    fn start_own(&self, name: &str, arguments: &[String]) -> Result<()> {
        let records = self.control.records();
        if records.alive(name).is_some() {
            return Ok(());
        }
        let program = self.lab.directory.join("lab");
        let own = std::env::current_exe().context("cannot find the file of this program")?;
        write_atomically(&program, std::fs::read(&own)?)?;
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        let groups = &self.control.placement.groups;
        records.start(&Launch { name, network: None, groups, program: &program, arguments, environment: &[] })
    }
}

/// Every kubelet and every pod that watches files uses inotify instances, of which a machine has 128 by default.
fn raise_watch_limits() {
    for (file, least) in [("max_user_instances", 8192u64), ("max_user_watches", 1_048_576)] {
        let path = format!("/proc/sys/fs/inotify/{file}");
        let present = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u64>().ok());
        if present.is_some_and(|present| present < least) {
            // Where this is not permitted, small labs still run.
            let _ = std::fs::write(&path, least.to_string());
        }
    }
}

/// Stops a lab and removes what is on the machine under its name, also if its description is missing. Only its network
/// cannot be found without the description.
pub fn down(name: &LabName, keep_state: bool) -> Result<()> {
    let directory = directory_of(name);
    let records = ProcessRecords::below(&directory);
    // An unreadable description must not prevent the clean-up.
    let lab = Lab::find(name).ok().flatten();
    let has_nodes = lab.as_ref().is_none_or(|lab| Layout::of(lab).is_some()) && crate::paths::is_root();

    let grace = if keep_state { GRACE } else { Duration::from_millis(500) };
    let hierarchies = has_nodes.then(Hierarchies::of_machine).transpose()?;
    // Clients stop before servers, because a server waits until its clients have disconnected.
    stop(&records, &["kubelet", "provisioner", "controller-manager", "scheduler"], grace);
    if let Some(hierarchies) = &hierarchies {
        let pods = |letter: char| hierarchies.members(&format!("{}/{letter}", group_of(name)));
        end(&('a'..='c').flat_map(pods).collect::<Vec<_>>(), grace);
    }
    stop(&records, &["apiserver", "containerd", "proxy", "registry"], grace);
    stop(&records, &[""], grace);
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

/// Stops the processes whose names begin with one of these.
fn stop(records: &ProcessRecords, beginnings: &[&str], grace: Duration) {
    let mut names = records.names();
    names.retain(|name| beginnings.iter().any(|beginning| name.starts_with(beginning)));
    records.stop(&names, grace);
}

fn cluster_of(lab: &Lab) -> Result<(Layout, &str)> {
    match &lab.shape.kind {
        LabKind::Cluster { kubelet_sync, .. } => {
            Ok((Layout::of(lab).context("a cluster has a layout")?, kubelet_sync))
        }
        LabKind::ControlPlane { .. } => {
            anyhow::bail!("lab `{}` has no nodes: it is only a control plane", lab.name.as_str())
        }
    }
}

fn find_node(layout: &Layout, letter: &str) -> Result<NodeLayout> {
    let nodes = layout.nodes();
    let known: Vec<String> = nodes.iter().map(|node| node.letter.to_string()).collect();
    let matches = |node: &NodeLayout| node.letter.to_string() == letter || node.name == letter;
    let found = nodes.into_iter().find(matches);
    found.with_context(|| format!("no node `{letter}`; there are: {}", known.join(", ")))
}

/// The Kubernetes name of the node with this letter.
pub fn node_name(lab: &Lab, letter: &str) -> Result<String> {
    Ok(find_node(&cluster_of(lab)?.0, letter)?.name)
}

/// Stops a node immediately; with `keep_pods` only its daemons.
pub fn stop_node(lab: &Lab, letter: &str, keep_pods: bool) -> Result<()> {
    let (layout, _) = cluster_of(lab)?;
    let node = find_node(&layout, letter)?;
    let records = ProcessRecords::below(&lab.directory);
    if !keep_pods {
        network::disconnect(&node.host)?;
    }
    records.stop(&node::processes(node.letter), Duration::ZERO);
    if !keep_pods {
        let hierarchies = Hierarchies::of_machine()?;
        for group in [format!("daemons-{}", node.letter), node.letter.to_string()] {
            end(&hierarchies.members(&format!("{}/{group}", layout.group())), Duration::ZERO);
        }
    }
    Ok(())
}

/// Starts a stopped node and waits until it is ready.
pub async fn start_node(lab: &Lab, letter: &str, client: &Client) -> Result<()> {
    let (layout, kubelet_sync) = cluster_of(lab)?;
    let node = find_node(&layout, letter)?;
    network::ensure(&layout)?;
    let binaries = control::Binaries::ensure(&Builder::new(Cache::of_user()), Some(&lab.shape.kubernetes))?;
    let cluster = Cluster::new(lab, layout, binaries, kubelet_sync)?;
    let node = cluster.node(&node)?;
    let before = node.heartbeat(client).await;
    node.start_containerd()?;
    node.start_kubelet().await?;
    node.wait_until_ready(client, before).await
}
