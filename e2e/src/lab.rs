//! The lab that the tests run in: its API, its nodes, its command.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use k8s_openapi::api::core::v1::Node;
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt};

use crate::command::{Program, Running, lab_name};
use crate::wait::{Look, until};

/// How many nodes the tests need.
const NODES: usize = 3;

/// A running lab.
#[derive(Clone)]
pub struct Lab {
    name: String,
    client: Client,
    command: Program,
    directory: PathBuf,
}

impl Lab {
    /// The lab of this test run, with all nodes ready.
    pub async fn connect() -> Result<Self> {
        let name = lab_name();
        let lab = Self::open(&name).await.map_err(|error| {
            anyhow!(
                "lab {name} is not running: run `cargo lab up --name {name} --nodes {NODES}`, or `make test` ({error:#})"
            )
        })?;
        lab.nodes_ready(NODES).await?;
        Ok(lab)
    }

    /// A lab by name. It is an error if its API server does not respond.
    pub async fn open(name: &str) -> Result<Self> {
        let command = Program::lab();
        let path = command.run(&["kubeconfig", "--name", name])?;
        let client = connect(Path::new(&path)).await?;
        let directory = Path::new(&path).parent().context("a kubeconfig has a directory")?.to_owned();
        Ok(Self { name: name.to_owned(), client, command, directory })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its API.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The Kubernetes name of the node that the lab calls `letter`.
    pub fn node(&self, letter: &str) -> String {
        format!("{}-{letter}", self.name)
    }

    /// Its nodes.
    pub fn nodes(&self) -> Api<Node> {
        Api::all(self.client())
    }

    /// Waits until `count` nodes are ready and accept pods.
    pub async fn nodes_ready(&self, count: usize) -> Result<()> {
        until(&format!("{count} nodes of lab {} to be ready", self.name), async || {
            let nodes = self.nodes().list(&ListParams::default()).await?;
            let ready = nodes.iter().filter(|node| node_is_ready(node) && !node_is_cordoned(node)).count();
            let seen: Vec<String> = nodes
                .iter()
                .map(|node| {
                    format!(
                        "{} ready {} cordoned {}",
                        node.name_any(),
                        node_is_ready(node),
                        node_is_cordoned(node)
                    )
                })
                .collect();
            Ok(if ready == count { Look::Found(()) } else { Look::NotYet(seen.join(", ")) })
        })
        .await
    }

    /// Runs kubectl on this lab and returns its standard output.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        self.command.run(&[&["kubectl", "--lab", &self.name], arguments].concat())
    }

    /// Starts kubectl on this lab.
    pub fn start_kubectl(&self, arguments: &[&str]) -> Result<Running> {
        self.command.start(&[&["kubectl", "--lab", &self.name], arguments].concat())
    }

    /// Runs `lab up` for this lab again.
    pub fn up(&self) -> Result<String> {
        self.command.run(&["up", "--name", &self.name, "--nodes", &NODES.to_string()])
    }

    /// Stops a node. It is started again when the result is dropped.
    pub fn stop_node(&self, letter: &str, pods: Pods) -> Result<Stopped> {
        let stopped = Stopped { lab: self.clone(), letter: letter.to_owned(), started: false };
        let keep: &[&str] = match pods {
            Pods::End => &[],
            Pods::Keep => &["--keep-pods"],
        };
        self.command.run(&[&["node", "stop", letter, "--name", &self.name], keep].concat())?;
        Ok(stopped)
    }

    /// Drains a node. It is uncordoned when the result is dropped.
    pub fn drain_node(&self, letter: &str) -> Result<Drained> {
        let drained = Drained { lab: self.clone(), letter: letter.to_owned() };
        self.command.run(&["node", "drain", letter, "--name", &self.name])?;
        Ok(drained)
    }
}

/// Whether the node is ready.
pub fn node_is_ready(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// Whether the node is cordoned.
pub fn node_is_cordoned(node: &Node) -> bool {
    node.spec.as_ref().and_then(|spec| spec.unschedulable) == Some(true)
}

/// What happens to the pods of a stopped node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pods {
    /// They are killed with it, as in a power failure.
    End,
    /// They keep running. Only kubelet, containerd and kube-proxy are stopped.
    Keep,
}

/// A node that is stopped.
pub struct Stopped {
    lab: Lab,
    letter: String,
    started: bool,
}

impl Stopped {
    /// Starts it again.
    pub fn start(mut self) -> Result<()> {
        self.started = true;
        self.lab.command.run(&["node", "start", &self.letter, "--name", &self.lab.name]).map(drop)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if !self.started {
            // The test has already failed. A second error would hide the first one.
            let _ = self.lab.command.run(&["node", "start", &self.letter, "--name", &self.lab.name]);
        }
    }
}

/// A node that is drained.
pub struct Drained {
    lab: Lab,
    letter: String,
}

impl Drop for Drained {
    fn drop(&mut self) {
        let _ = self.lab.kubectl(&["uncordon", &self.lab.node(&self.letter)]);
    }
}

async fn connect(kubeconfig: &Path) -> Result<Client> {
    let client = ::lab::kubeconfig::client(kubeconfig).await?;
    tokio::time::timeout(Duration::from_secs(15), client.apiserver_version())
        .await
        .context("the API server does not respond")?
        .context("the API server does not respond")?;
    Ok(client)
}
