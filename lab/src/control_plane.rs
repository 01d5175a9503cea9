//! A control plane without nodes, for tests that need an API server but no pods. Several can run at the same time,
//! without root. A test starts its own, or shares one and uses separate namespaces. If a test was killed, the next
//! start removes its control plane.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use kube::Client;

use crate::args::Extent;
use crate::control::{Binaries, Control, Placement};
use crate::kubeconfig;
use crate::paths::{Cache, remove_all, state_root, write_atomically};
use crate::process::{Identity, ProcessRecords};
use crate::programs::Builder;
use crate::state::{self, Lab, LabKind, LabName, Ports};
use crate::versions::Versions;

/// An API server. Unless it is shared, it is stopped and removed when this is dropped.
#[derive(Debug)]
pub struct ControlPlane {
    control: Control,
    sharing: Sharing,
}

#[derive(Debug, PartialEq, Eq)]
enum Sharing {
    Own,
    Shared,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl ControlPlane {
    /// An API server and its etcd.
    pub async fn start() -> Result<Self> {
        Self::start_with(Extent::Api).await
    }

    /// An API server, and with `Extent::Controllers` the controller-manager.
    pub async fn start_with(extent: Extent) -> Result<Self> {
        Self::start_gated(extent, &[]).await
    }

    /// The same with other feature gates: an API server that behaves like an older or newer version.
    pub async fn start_gated(extent: Extent, gates: &[&str]) -> Result<Self> {
        let binaries = Binaries::ensure(&Builder::new(Cache::of_user()), None)?;
        remove_orphans();
        let own = std::process::id();
        let directory = planes().join(format!("{own}-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        if let Some(identity) = i32::try_from(own).ok().and_then(Identity::of) {
            write_atomically(&directory.join("owner"), identity.to_record())?;
        }
        let gates = gates.iter().map(|gate| (*gate).to_owned()).collect();
        let control = Control { gates, ..of_ports("test", &directory, binaries, Ports::free()?) };
        let plane = Self { control, sharing: Sharing::Own };
        run(&plane.control, extent).await?;
        Ok(plane)
    }

    /// A control plane that several test processes share. The first one starts it, and it runs until it is stopped with
    /// `lab down`.
    pub async fn shared(name: &str, extent: Extent) -> Result<Self> {
        let name = LabName::new(name)?;
        let _lock = state::lock(&name)?;
        let versions = Versions::built_in();
        let lab = {
            let _table = state::lock_table()?;
            Lab::control_plane(&name, extent, versions.default_version("kubernetes")?)?
        };
        let LabKind::ControlPlane { extent, ports } = lab.shape.kind else {
            bail!("lab `{}` has nodes and cannot be shared: use another name", name.as_str())
        };
        let binaries = Binaries::ensure(&Builder::new(Cache::of_user()), Some(&lab.shape.kubernetes))?;
        let control = of_ports(name.as_str(), &lab.directory, binaries, ports);
        run(&control, extent).await?;
        Ok(Self { control, sharing: Sharing::Shared })
    }

    /// The kubeconfig of its administrator.
    pub fn kubeconfig(&self) -> PathBuf {
        self.control.kubeconfig()
    }

    /// A client with all permissions.
    pub async fn client(&self) -> Result<Client> {
        kubeconfig::client(&self.kubeconfig()).await
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        if self.sharing == Sharing::Own {
            remove(&self.control.directory);
        }
    }
}

/// The control plane of a lab without nodes.
pub(crate) fn of_ports(lab: &str, directory: &Path, binaries: Binaries, ports: Ports) -> Control {
    let placement = Placement {
        network: None,
        groups: Vec::new(),
        address: Ipv4Addr::LOCALHOST,
        ports,
        service_range: "10.96.0.0/16".into(),
        api_service: Ipv4Addr::new(10, 96, 0, 1),
        nodes: false,
    };
    Control { lab: lab.into(), directory: directory.into(), binaries, placement, gates: Vec::new() }
}

/// Starts a control plane without nodes and waits until it is ready.
pub(crate) async fn run(control: &Control, extent: Extent) -> Result<Client> {
    control.write_credentials(&[])?;
    control.start_api()?;
    let client = control.wait_until_ready().await?;
    match extent {
        Extent::Api => {}
        Extent::Controllers => control.start_controllers()?,
    }
    Ok(client)
}

fn planes() -> PathBuf {
    state_root().join("_planes")
}

/// Removes control planes whose owner process no longer runs.
pub fn remove_orphans() {
    let Ok(entries) = std::fs::read_dir(planes()) else { return };
    for directory in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let owner = std::fs::read_to_string(directory.join("owner")).unwrap_or_default();
        if Identity::from_record(&owner).is_none_or(|owner| !owner.is_alive()) {
            remove(&directory);
        }
    }
}

fn remove(directory: &Path) {
    let records = ProcessRecords::below(directory);
    // Their data is removed, so they need not stop gracefully.
    records.stop(&records.names(), Duration::ZERO);
    // Leftovers cost disk space only, and the next start tries again.
    let _ = remove_all(directory);
}
