//! What a lab is and where it is written down: its name, its shape, its directory, its lock.
//! Everything of a lab lies below one directory; its description is the first thing written and the last removed.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::args::{self, Extent};
use crate::paths::{state_root, write_atomically};

/// A checked name: it becomes part of host, namespace and control group names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabName(String);

impl LabName {
    /// Lower-case letters, digits and dashes, at most twenty of them.
    pub fn new(name: &str) -> Result<Self> {
        let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
        if !starts_well || name.ends_with('-') || name.len() > 20 || !name.chars().all(fits) {
            bail!(
                "`{name}` cannot be a lab's name: it takes at most 20 lower-case letters, digits and dashes"
            );
        }
        Ok(Self(name.into()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The shape of a lab, fixed when it is first brought up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// Tells the addresses of labs apart that run side by side.
    pub index: u8,
    /// Kubernetes version.
    pub kubernetes: String,
    /// With pods, or the control plane alone.
    pub kind: Kind,
}

/// What runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Kind {
    /// A whole cluster.
    Cluster {
        /// Number of nodes.
        nodes: u8,
        /// The kubelet's `syncFrequency`.
        kubelet_sync: String,
    },
    /// API server and etcd, perhaps the controller-manager, on ports of the host's loopback.
    ControlPlane {
        /// How much of it.
        extent: Extent,
        /// Where it listens.
        ports: Ports,
    },
}

/// Loopback ports of a control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ports {
    /// The API server's.
    pub api: u16,
    /// etcd's for clients.
    pub etcd: u16,
    /// etcd's for peers.
    pub etcd_peer: u16,
    /// The controller-manager's.
    pub controllers: u16,
}

/// The ports that control planes take, four at a time: below those that the kernel gives to outgoing connections, one
/// of which could otherwise take a port between the choice and the start.
const FIRST_PORT: u16 = 20_000;
const QUADRUPLES: u32 = 3_000;

static CHOSEN: AtomicU32 = AtomicU32::new(0);

impl Ports {
    /// Four ports that are free at this moment. Each process begins at a place of its own, so that those which start
    /// together do not meet.
    pub fn free() -> Result<Self> {
        let is_free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        (0..QUADRUPLES)
            .map(|_| Self::quadruple(std::process::id() + CHOSEN.fetch_add(1, Ordering::Relaxed)))
            .find(|ports| {
                [ports.api, ports.etcd, ports.etcd_peer, ports.controllers].into_iter().all(is_free)
            })
            .context("no four free ports on 127.0.0.1 from 20000 up")
    }

    fn quadruple(number: u32) -> Self {
        let offset = u16::try_from(number % QUADRUPLES * 4).expect("12,000 fits sixteen bits");
        let api = FIRST_PORT + offset;
        Self { api, etcd: api + 1, etcd_peer: api + 2, controllers: api + 3 }
    }
}

/// How many labs can have addresses at once.
const INDEXES: u8 = 10;

/// A lab on this machine.
#[derive(Debug, Clone)]
pub struct Lab {
    /// Its name.
    pub name: LabName,
    /// Its shape.
    pub shape: Shape,
    /// Its directory.
    pub directory: PathBuf,
}

impl Lab {
    /// The lab of this name, if there is one.
    pub fn find(name: &LabName) -> Result<Option<Self>> {
        let directory = directory_of(name);
        match std::fs::read(directory.join("lab.json")) {
            Ok(text) => {
                let shape = serde_json::from_slice(&text).with_context(|| {
                    format!("{}/lab.json is not of this version: `lab down` first", directory.display())
                })?;
                Ok(Some(Self { name: name.clone(), shape, directory }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}/lab.json", directory.display())),
        }
    }

    /// The lab of this name, or an error that says how to get one.
    pub fn existing(name: &LabName) -> Result<Self> {
        Self::find(name)?.with_context(|| {
            format!("there is no lab `{0}`: `cargo lab up --name {0}` makes one", name.as_str())
        })
    }

    /// All labs of this machine, by name.
    pub fn all() -> Result<Vec<Self>> {
        let mut labs = Vec::new();
        for name in names()? {
            labs.extend(Self::find(&name)?);
        }
        Ok(labs)
    }

    /// The lab that `up` was asked for: the one that is there, if it has that shape, or a new one.
    pub fn request(asked: &args::Up, default_kubernetes: &str) -> Result<Self> {
        let name = LabName::new(&asked.lab.name)?;
        if let Some(lab) = Self::find(&name)? {
            lab.must_fit(asked)?;
            return Ok(lab);
        }
        let kubernetes = asked.kubernetes.as_deref().unwrap_or(default_kubernetes);
        if let Some(extent) = asked.control_plane_only {
            return Self::control_plane(&name, extent, kubernetes);
        }
        let kubelet_sync = asked.kubelet_sync.clone().unwrap_or_else(|| "10s".into());
        Self::write_down(&name, kubernetes, Kind::Cluster { nodes: asked.nodes.unwrap_or(1), kubelet_sync })
    }

    /// The control plane of this name: the one that is there, or a new one.
    pub fn control_plane(name: &LabName, extent: Extent, kubernetes: &str) -> Result<Self> {
        match Self::find(name)? {
            Some(lab) => Ok(lab),
            None => Self::write_down(name, kubernetes, Kind::ControlPlane { extent, ports: Ports::free()? }),
        }
    }

    fn write_down(name: &LabName, kubernetes: &str, kind: Kind) -> Result<Self> {
        let shape = Shape { index: free_index()?, kubernetes: kubernetes.into(), kind };
        let lab = Self { name: name.clone(), shape, directory: directory_of(name) };
        write_atomically(&lab.directory.join("lab.json"), serde_json::to_vec_pretty(&lab.shape)?)?;
        Ok(lab)
    }

    fn must_fit(&self, asked: &args::Up) -> Result<()> {
        let differs = |what: &str, there: &str| {
            bail!(
                "lab `{0}` is there with {what} {there}: `cargo lab down --name {0}` first",
                self.name.as_str()
            )
        };
        if asked.kubernetes.as_ref().is_some_and(|kubernetes| *kubernetes != self.shape.kubernetes) {
            return differs("Kubernetes", &self.shape.kubernetes);
        }
        match (&self.shape.kind, asked.control_plane_only) {
            (Kind::Cluster { .. }, Some(_)) => differs("nodes,", "not as a control plane alone"),
            (Kind::ControlPlane { extent, .. }, Some(wanted)) if *extent != wanted => {
                differs("another extent:", &format!("{extent:?}").to_lowercase())
            }
            (Kind::Cluster { nodes, .. }, None) if asked.nodes.is_some_and(|wanted| wanted != *nodes) => {
                differs("a node count of", &nodes.to_string())
            }
            (Kind::Cluster { kubelet_sync, .. }, None)
                if asked.kubelet_sync.as_ref().is_some_and(|wanted| wanted != kubelet_sync) =>
            {
                differs("a kubelet sync of", kubelet_sync)
            }
            (Kind::ControlPlane { .. }, None) if asked.nodes.is_some() => {
                differs("no nodes,", "a control plane alone")
            }
            _ => Ok(()),
        }
    }

    /// The kubeconfig of its administrator.
    pub fn kubeconfig(&self) -> PathBuf {
        self.directory.join("admin.kubeconfig")
    }
}

/// The directory of a lab of this name.
pub fn directory_of(name: &LabName) -> PathBuf {
    state_root().join(name.as_str())
}

/// Names of all directories that are labs, whole or half made.
pub fn names() -> Result<Vec<LabName>> {
    let root = state_root();
    let entries = match std::fs::read_dir(&root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", root.display())),
    };
    let mut names: Vec<LabName> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| LabName::new(entry.file_name().to_str()?).ok())
        .collect();
    names.sort();
    Ok(names)
}

fn free_index() -> Result<u8> {
    let used: Vec<u8> = Lab::all()?.iter().map(|lab| lab.shape.index).collect();
    (0..INDEXES).find(|index| !used.contains(index)).with_context(|| {
        format!("{INDEXES} labs are there already, and there are no addresses for more: `cargo lab status` lists them")
    })
}

/// Holds the lock of a lab (or of the table of labs) until dropped: `up`, `down` and `node` follow each other.
pub fn lock(name: &LabName) -> Result<File> {
    lock_file(&state_root().join(format!("{}.lock", name.as_str())))
}

/// Holds the lock that is needed to choose addresses for a new lab.
pub fn lock_table() -> Result<File> {
    lock_file(&state_root().join("_table.lock"))
}

fn lock_file(path: &Path) -> Result<File> {
    let directory = path.parent().context("a lock has a directory")?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn up(words: &str) -> args::Up {
        use clap::Parser;
        let words = format!("lab up {words}");
        let command = args::Arguments::try_parse_from(words.split_whitespace()).unwrap().command;
        let args::Command::Up(up) = command else { panic!("not up") };
        up
    }

    fn three_nodes() -> Lab {
        Lab {
            name: LabName::new("e2e").unwrap(),
            shape: Shape {
                index: 0,
                kubernetes: "1.36.4".into(),
                kind: Kind::Cluster { nodes: 3, kubelet_sync: "10s".into() },
            },
            directory: "/nowhere".into(),
        }
    }

    #[test]
    fn chosen_ports_are_free_and_differ() {
        let (first, second) = (Ports::free().unwrap(), Ports::free().unwrap());
        assert_ne!(first.api, second.api);
        assert_eq!(first.controllers, first.api + 3);
        assert_eq!(Ports::quadruple(QUADRUPLES - 1).controllers, 31_999);
    }

    #[test]
    fn names_fit_where_they_are_used() {
        for good in ["default", "e2e", "a-1"] {
            assert!(LabName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "E2E", "1a", "a-", "a/b", "..", "_planes", "twenty-one-letters-ab"] {
            assert!(LabName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_lab_that_is_there_keeps_its_shape() {
        let lab = three_nodes();
        assert!(lab.must_fit(&up("--name e2e")).is_ok());
        assert!(lab.must_fit(&up("--name e2e --nodes 3")).is_ok());
        let error = lab.must_fit(&up("--name e2e --nodes 2")).unwrap_err().to_string();
        assert_eq!(error, "lab `e2e` is there with a node count of 3: `cargo lab down --name e2e` first");
        assert!(lab.must_fit(&up("--name e2e --control-plane-only")).is_err());
        assert!(lab.must_fit(&up("--name e2e --kubelet-sync 1m")).is_err());
        assert!(lab.must_fit(&up("--name e2e --kubernetes 1.35.0")).is_err());
    }

    #[test]
    fn a_shape_is_read_back_as_it_was_written() {
        let shape = three_nodes().shape;
        let text = serde_json::to_string(&shape).unwrap();
        assert_eq!(
            text,
            r#"{"index":0,"kubernetes":"1.36.4","kind":{"cluster":{"nodes":3,"kubeletSync":"10s"}}}"#
        );
        assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape);
    }
}
