//! The command line. `cargo xtask gen` writes the help texts into the reference in `docs/`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// A real Kubernetes on a bare Linux machine, for tests.
///
/// The cluster runs in network namespaces that cannot reach other machines. Built programs and images are kept in a
/// cache (MAINSTAY_CACHE, else ~/.cache/mainstay) that all labs share. The state of a lab is one directory below
/// MAINSTAY_LAB_STATE (else /var/lib/mainstay-lab).
#[derive(Debug, Parser)]
#[command(name = "lab", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a lab, or repair one that is incomplete
    Up(Up),
    /// Stop a lab and remove everything that it created on the machine
    Down(Down),
    /// List the labs, and the processes of one of them
    Status(Name),
    /// Print the path of a lab's kubeconfig
    Kubeconfig(Name),
    /// Run kubectl against a lab
    #[command(disable_help_flag = true)]
    Kubectl(Kubectl),
    /// Build the programs and images of a lab without starting it
    Build(Build),
    /// Build or list the container images of the lab's registry
    #[command(subcommand)]
    Image(ImageCommand),
    /// Stop, start or drain a node
    #[command(subcommand)]
    Node(NodeCommand),
    /// Print the log of a component
    Logs(Logs),
    /// Check whether this machine can run a lab
    Doctor(Doctor),
    /// Serve the images of the cache, read-only (started by `up`)
    #[command(hide = true)]
    Registry(Registry),
    /// Provision the volumes of a lab (started by `up`)
    #[command(hide = true)]
    Provisioner(Name),
}

/// Which lab.
#[derive(Debug, Clone, Args)]
pub struct Name {
    /// Name of the lab; several labs can run at the same time
    #[arg(long, short = 'n', default_value = "default", env = "MAINSTAY_LAB")]
    pub name: String,
}

/// Arguments of `up`.
#[derive(Debug, Clone, Args)]
pub struct Up {
    /// Which lab.
    #[command(flatten)]
    pub lab: Name,
    /// Number of nodes, each in its own zone [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=3), conflicts_with = "control_plane_only")]
    pub nodes: Option<u8>,
    /// Start only the API server and etcd, which takes seconds; `=controllers` adds the controller-manager
    #[arg(long, value_name = "EXTENT", num_args = 0..=1, require_equals = true, default_missing_value = "api")]
    pub control_plane_only: Option<Extent>,
    /// Kubernetes version; a version other than the tested one is built from its Go module
    #[arg(long, value_name = "VERSION")]
    pub kubernetes: Option<String>,
    /// How often the kubelet refreshes mounted Secrets and ConfigMaps; the default of the kubelet is 1m [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = go_duration, conflicts_with = "control_plane_only")]
    pub kubelet_sync: Option<String>,
    /// Start and stop the lab this many times, and print the median time of each stage
    #[arg(long, value_name = "RUNS", num_args = 0..=1, require_equals = true, default_missing_value = "5")]
    pub timing: Option<u8>,
}

/// Which components of a control plane run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// API server and etcd.
    Api,
    /// API server, etcd and controller-manager.
    Controllers,
}

/// Arguments of `down`.
#[derive(Debug, Clone, Args)]
pub struct Down {
    /// Which lab.
    #[command(flatten)]
    pub lab: Name,
    /// Stop every lab of this machine
    #[arg(long, conflicts_with = "name")]
    pub all: bool,
    /// Keep the lab's data for the next `up`
    #[arg(long)]
    pub keep_state: bool,
}

/// Arguments of `kubectl`.
#[derive(Debug, Clone, Args)]
pub struct Kubectl {
    /// Name of the lab
    #[arg(long = "lab", default_value = "default", env = "MAINSTAY_LAB", value_name = "NAME")]
    pub name: String,
    /// Arguments of kubectl
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<String>,
}

/// Arguments of `build`.
#[derive(Debug, Clone, Args)]
pub struct Build {
    /// Kubernetes version, if not the tested one
    #[arg(long, value_name = "VERSION")]
    pub kubernetes: Option<String>,
    /// Build only what `up --control-plane-only` needs
    #[arg(long)]
    pub control_plane_only: bool,
    /// Build only these programs, in all versions (`promtool`) or in one (`promtool@3.13.2`)
    #[arg(value_name = "PROGRAMS", conflicts_with_all = ["kubernetes", "control_plane_only"])]
    pub programs: Vec<String>,
}

/// Image commands.
#[derive(Debug, Clone, Subcommand)]
pub enum ImageCommand {
    /// Build images into the lab's registry: `all`, a group, `prometheus`, `prometheus:3.13.1` or a full name
    Build {
        /// Which images
        #[arg(required = true)]
        images: Vec<String>,
    },
    /// List the images, and whether each is built
    List,
}

/// Node commands.
#[derive(Debug, Clone, Subcommand)]
pub enum NodeCommand {
    /// Stop a node as a power failure would: its daemons and pods are killed at once
    Stop {
        /// Which node: a, b or c
        node: String,
        /// Which lab.
        #[command(flatten)]
        lab: Name,
        /// Stop only kubelet, containerd and kube-proxy; the containers keep running
        #[arg(long)]
        keep_pods: bool,
    },
    /// Start a stopped node
    Start {
        /// Which node: a, b or c
        node: String,
        /// Which lab.
        #[command(flatten)]
        lab: Name,
    },
    /// Evict the pods of a node and mark it as unschedulable (`kubectl uncordon` reverts that)
    Drain {
        /// Which node: a, b or c
        node: String,
        /// Which lab.
        #[command(flatten)]
        lab: Name,
    },
}

/// Arguments of `logs`.
#[derive(Debug, Clone, Args)]
pub struct Logs {
    /// Which lab.
    #[command(flatten)]
    pub lab: Name,
    /// Component, such as apiserver or kubelet-a; without one, the components are listed
    pub component: Option<String>,
}

/// Arguments of `doctor`.
#[derive(Debug, Clone, Args)]
pub struct Doctor {
    /// Install the Debian packages that are missing
    #[arg(long)]
    pub fix: bool,
}

/// Arguments of `registry`.
#[derive(Debug, Clone, Args)]
pub struct Registry {
    /// Address and port to listen on
    #[arg(long)]
    pub listen: std::net::SocketAddr,
}

/// Accepts the durations of a kubelet configuration: `10s`, `1m`, `1m30s`.
fn go_duration(text: &str) -> Result<String, String> {
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(rest.len());
        let unit =
            rest[digits..].find(|next: char| next.is_ascii_digit()).map_or(rest.len(), |unit| digits + unit);
        if digits == 0 || !["ms", "s", "m", "h"].contains(&&rest[digits..unit]) {
            return Err("expected a duration such as 10s, 1m or 1m30s".into());
        }
        rest = &rest[unit..];
    }
    if text.is_empty() { Err("expected a duration such as 10s".into()) } else { Ok(text.into()) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn durations_are_parsed_as_go_does() {
        for good in ["10s", "1m", "1m30s", "500ms"] {
            assert_eq!(go_duration(good), Ok(good.to_owned()));
        }
        for bad in ["", "10", "s", "1d", "10 s"] {
            assert!(go_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn control_plane_only_has_two_extents() {
        let extent = |words: &str| {
            let Command::Up(up) = Arguments::try_parse_from(words.split(' ')).unwrap().command else {
                panic!("not up")
            };
            up.control_plane_only
        };
        assert_eq!(extent("lab up"), None);
        assert_eq!(extent("lab up --control-plane-only"), Some(Extent::Api));
        assert_eq!(extent("lab up --control-plane-only=controllers"), Some(Extent::Controllers));
    }
}
