//! The description of a lab: its name, shape, directory and lock. All files of a lab are below one directory. Its
//! description is written first and removed last.

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
            bail!("`{name}` cannot be a lab's name: use at most 20 lower-case letters, digits and dashes");
        }
        Ok(Self(name.into()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The shape of a lab, fixed when it is first started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// Distinguishes the addresses of labs that run at the same time.
    pub index: u8,
    /// Kubernetes version.
    pub kubernetes: String,
    /// With nodes, or only a control plane.
    pub kind: LabKind,
}

/// What runs in a lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LabKind {
    /// A whole cluster.
    Cluster {
        /// Number of nodes.
        nodes: u8,
        /// The kubelet's `syncFrequency`.
        kubelet_sync: String,
    },
    /// API server, etcd and optionally the controller-manager, on loopback ports of the host.
    ControlPlane {
        /// Which components run.
        extent: Extent,
        /// The ports of the components.
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

/// Control planes use four consecutive ports each, from here on. They are below the range that the kernel uses for
/// outgoing connections, one of which could otherwise take a port between the choice and the start.
const FIRST_PORT: u16 = 20_000;
const QUADRUPLES: u32 = 3_000;

static CHOSEN: AtomicU32 = AtomicU32::new(0);

impl Ports {
    /// Four ports that are free now. The search of each process begins at a different port, so that processes which
    /// start at the same time do not conflict.
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

/// How many labs can exist at the same time.
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
                    format!(
                        "{}/lab.json was written by another version: run `lab down` first",
                        directory.display()
                    )
                })?;
                Ok(Some(Self { name: name.clone(), shape, directory }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}/lab.json", directory.display())),
        }
    }

    /// The lab of this name, or an error that says how to create it.
    pub fn existing(name: &LabName) -> Result<Self> {
        Self::find(name)?.with_context(|| {
            format!("there is no lab `{0}`: `cargo lab up --name {0}` creates it", name.as_str())
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

    /// The lab for `up`: the existing one, if it has the requested shape, or a new one.
    pub fn request(options: &args::Up, default_kubernetes: &str) -> Result<Self> {
        let name = LabName::new(&options.lab.name)?;
        if let Some(lab) = Self::find(&name)? {
            lab.check_shape(options)?;
            return Ok(lab);
        }
        let kubernetes = options.kubernetes.as_deref().unwrap_or(default_kubernetes);
        if let Some(extent) = options.control_plane_only {
            return Self::control_plane(&name, extent, kubernetes);
        }
        let kubelet_sync = options.kubelet_sync.clone().unwrap_or_else(|| "10s".into());
        Self::create(&name, kubernetes, LabKind::Cluster { nodes: options.nodes.unwrap_or(1), kubelet_sync })
    }

    /// The control plane of this name: the existing one, or a new one.
    pub fn control_plane(name: &LabName, extent: Extent, kubernetes: &str) -> Result<Self> {
        match Self::find(name)? {
            Some(lab) => Ok(lab),
            None => Self::create(name, kubernetes, LabKind::ControlPlane { extent, ports: Ports::free()? }),
        }
    }

    fn create(name: &LabName, kubernetes: &str, kind: LabKind) -> Result<Self> {
        let shape = Shape { index: free_index()?, kubernetes: kubernetes.into(), kind };
        let lab = Self { name: name.clone(), shape, directory: directory_of(name) };
        write_atomically(&lab.directory.join("lab.json"), serde_json::to_vec_pretty(&lab.shape)?)?;
        Ok(lab)
    }

    fn check_shape(&self, options: &args::Up) -> Result<()> {
        let differs = |what: &str, existing: &str| {
            bail!(
                "lab `{0}` exists with {what} {existing}: run `cargo lab down --name {0}` first",
                self.name.as_str()
            )
        };
        if options.kubernetes.as_ref().is_some_and(|kubernetes| *kubernetes != self.shape.kubernetes) {
            return differs("Kubernetes", &self.shape.kubernetes);
        }
        match (&self.shape.kind, options.control_plane_only) {
            (LabKind::Cluster { .. }, Some(_)) => differs("nodes,", "not as a control plane only"),
            (LabKind::ControlPlane { extent, .. }, Some(wanted)) if *extent != wanted => {
                differs("another extent:", &format!("{extent:?}").to_lowercase())
            }
            (LabKind::Cluster { nodes, .. }, None)
                if options.nodes.is_some_and(|wanted| wanted != *nodes) =>
            {
                differs("a node count of", &nodes.to_string())
            }
            (LabKind::Cluster { kubelet_sync, .. }, None)
                if options.kubelet_sync.as_ref().is_some_and(|wanted| wanted != kubelet_sync) =>
            {
                differs("a kubelet sync of", kubelet_sync)
            }
            (LabKind::ControlPlane { .. }, None) if options.nodes.is_some() => {
                differs("no nodes,", "only a control plane")
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

/// The names of all lab directories, including those of incomplete labs.
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
        format!("{INDEXES} labs exist, and there are no addresses for more: `cargo lab status` lists them")
    })
}

/// Locks a lab until the returned file is dropped, so that `up`, `down` and `node` run one after the other.
pub fn lock(name: &LabName) -> Result<File> {
    lock_file(&state_root().join(format!("{}.lock", name.as_str())))
}

/// Locks the choice of addresses for a new lab.
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
                kind: LabKind::Cluster { nodes: 3, kubelet_sync: "10s".into() },
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
    fn names_are_checked() {
        for good in ["default", "e2e", "a-1"] {
            assert!(LabName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "E2E", "1a", "a-", "a/b", "..", "_planes", "twenty-one-letters-ab"] {
            assert!(LabName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_existing_lab_keeps_its_shape() {
        let lab = three_nodes();
        assert!(lab.check_shape(&up("--name e2e")).is_ok());
        assert!(lab.check_shape(&up("--name e2e --nodes 3")).is_ok());
        let error = lab.check_shape(&up("--name e2e --nodes 2")).unwrap_err().to_string();
        assert_eq!(error, "lab `e2e` exists with a node count of 3: run `cargo lab down --name e2e` first");
        assert!(lab.check_shape(&up("--name e2e --control-plane-only")).is_err());
        assert!(lab.check_shape(&up("--name e2e --kubelet-sync 1m")).is_err());
        assert!(lab.check_shape(&up("--name e2e --kubernetes 1.35.0")).is_err());
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
