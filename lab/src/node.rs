//! One node: containerd, kubelet and kube-proxy with their configuration, in a network namespace.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Node as KubernetesNode;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::clock::wait_for;
use crate::control::Control;
use crate::layout::{self, Layout};
use crate::paths::write_atomically;
use crate::pki::{Certificates, Subject};
use crate::process::{Launch, ProcessRecords};

/// Directories of the programs that only nodes run.
#[derive(Debug, Clone)]
pub struct Binaries {
    /// containerd, its shim and ctr.
    pub containerd: PathBuf,
    /// runc.
    pub runc: PathBuf,
    /// Network plug-ins.
    pub plugins: PathBuf,
}

/// A node and everything that its programs need.
#[derive(Debug)]
pub struct Node<'a> {
    /// Its names and addresses.
    pub layout: &'a layout::NodeLayout,
    /// The addresses of the cluster.
    pub cluster: &'a Layout,
    /// The control plane it belongs to.
    pub control: &'a Control,
    /// Its programs.
    pub binaries: &'a Binaries,
    /// Control group of its daemons.
    pub daemons: PathBuf,
    /// The control group of its pods, as the kubelet expects it.
    pub pods_group: String,
    /// The kubelet's `syncFrequency`.
    pub kubelet_sync: &'a str,
}

/// The identity of the kubelet of a node.
pub fn subject(node: &layout::NodeLayout) -> Subject {
    Subject {
        file: format!("node-{}", node.letter),
        user: format!("system:node:{}", node.name),
        group: Some("system:nodes"),
        names: vec![node.name.clone()],
        addresses: vec![node.host.address.into()],
    }
}

fn network_name(lab: &str) -> String {
    format!("mainstay-{lab}")
}

/// Removes what kubelets and network plug-ins leave in directories of the host that cannot be configured.
pub fn remove_traces(lab: &str, directory: &Path) {
    for path in entries(Path::new("/var/lib/cni/results")) {
        let container =
            path.file_name().and_then(|name| container_of_result(name.to_str()?, &network_name(lab)));
        if let Some(container) = container {
            let _ = std::fs::remove_file(path.with_file_name(format!("cni-loopback-{container}-lo")));
            let _ = std::fs::remove_file(&path);
        }
    }
    for socket in shim_sockets(directory) {
        let _ = std::fs::remove_file(socket);
    }
    for path in entries(Path::new("/var/log/containers")) {
        if std::fs::read_link(&path).is_ok_and(|target| target.starts_with(directory)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The sockets of a lab's containerd shims. A shim listens in a directory of the host, and leaves its socket behind
/// when it is killed. Its `bootstrap.json` contains the path.
fn shim_sockets(directory: &Path) -> Vec<PathBuf> {
    let mut sockets = Vec::new();
    for node in entries(&directory.join("nodes")) {
        for bundle in entries(&node.join("containerd-state/io.containerd.runtime.v2.task/k8s.io")) {
            let start = std::fs::read_to_string(bundle.join("bootstrap.json")).unwrap_or_default();
            let start: Value = serde_json::from_str(&start).unwrap_or_default();
            let address = start["address"].as_str().and_then(|address| address.strip_prefix("unix://"));
            sockets.extend(address.map(PathBuf::from));
        }
    }
    sockets
}

/// A result file is named NETWORK-CONTAINER-INTERFACE; container IDs have 64 characters.
fn container_of_result(name: &str, network: &str) -> Option<String> {
    let (container, _) = name.strip_prefix(network)?.strip_prefix('-')?.split_once('-')?;
    (container.len() == 64).then(|| container.to_owned())
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(directory).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

/// Names of a node's processes.
pub fn processes(letter: char) -> [String; 3] {
    ["kubelet", "proxy", "containerd"].map(|name| format!("{name}-{letter}"))
}

impl Node<'_> {
    /// The directory of the node.
    fn directory(&self) -> PathBuf {
        self.control.directory.join("nodes").join(self.layout.letter.to_string())
    }

    fn path(&self, below: &str) -> String {
        self.directory().join(below).display().to_string()
    }

    fn records(&self) -> ProcessRecords {
        self.control.records()
    }

    fn start(&self, name: &str, program: &Path, arguments: &[String]) -> Result<()> {
        // containerd finds runc and its shim on the `PATH`.
        let path = format!(
            "{}:{}:/usr/sbin:/usr/bin:/sbin:/bin",
            self.binaries.containerd.display(),
            self.binaries.runc.display()
        );
        self.records().start(&Launch {
            name: &format!("{name}-{}", self.layout.letter),
            network: Some(&self.layout.host.path()),
            groups: std::slice::from_ref(&self.daemons),
            program,
            arguments,
            environment: &[("PATH", path)],
        })
    }

    /// Starts containerd, which needs no API server.
    pub fn start_containerd(&self) -> Result<()> {
        let directory = self.directory();
        write_atomically(
            &directory.join("containerd.toml"),
            toml::to_string(&self.containerd_configuration())?,
        )?;
        write_atomically(&directory.join("cni/10-lab.conflist"), self.network_configuration().to_string())?;
        write_atomically(
            &directory.join("registry/_default/hosts.toml"),
            toml::to_string(&self.mirror_configuration())?,
        )?;
        let program = self.binaries.containerd.join("containerd");
        self.start("containerd", &program, &["--config".into(), self.path("containerd.toml")])
    }

    /// Starts kubelet and kube-proxy as soon as containerd listens.
    pub async fn start_kubelet(&self) -> Result<()> {
        let name = format!("containerd-{}", self.layout.letter);
        let socket = self.directory().join("containerd.sock");
        // A containerd that was killed leaves its socket behind, so only a successful connection proves that it runs.
        let connect = || async { UnixStream::connect(&socket).ok() };
        let listens = wait_for(Duration::from_mins(1), connect).await;
        listens.with_context(|| format!("{name} does not listen; {}", self.records().log_tail(&name)))?;

        let directory = self.directory();
        std::fs::create_dir_all(directory.join("volume-plugins"))?;
        // Pods with the DNS policy `Default` have no name server.
        write_atomically(&directory.join("resolv.conf"), "")?;
        write_atomically(&directory.join("kubelet.json"), self.kubelet_configuration().to_string())?;
        write_atomically(&directory.join("proxy.json"), self.proxy_configuration().to_string())?;
        let kubernetes = &self.control.binaries.kubernetes;
        let labels =
            format!("topology.kubernetes.io/zone={},topology.kubernetes.io/region=lab", self.layout.zone);
        let kubeconfig = self.control.kubeconfig_of(&subject(self.layout).file);
        let kubelet = [
            format!("--config={}", self.path("kubelet.json")),
            format!("--kubeconfig={}", kubeconfig.display()),
            format!("--hostname-override={}", self.layout.name),
            format!("--node-ip={}", self.layout.host.address),
            format!("--root-dir={}", self.path("kubelet")),
            format!("--cert-dir={}", self.path("kubelet-certificates")),
            format!("--node-labels={labels}"),
        ];
        self.start("kubelet", &kubernetes.join("kubelet"), &kubelet)?;
        self.start(
            "proxy",
            &kubernetes.join("kube-proxy"),
            &[format!("--config={}", self.path("proxy.json"))],
        )
    }

    /// Whether its kubelet runs.
    pub fn is_running(&self) -> bool {
        self.records().alive(&format!("kubelet-{}", self.layout.letter)).is_some()
    }

    /// When the kubelet last renewed its lease.
    pub async fn heartbeat(&self, client: &Client) -> Option<MicroTime> {
        let leases: Api<Lease> = Api::namespaced(client.clone(), "kube-node-lease");
        leases.get(&self.layout.name).await.ok()?.spec?.renew_time
    }

    /// Waits until the node is ready and its lease was renewed after `before`, because a stopped node stays `Ready` for
    /// a while.
    pub async fn wait_until_ready(&self, client: &Client, before: Option<MicroTime>) -> Result<()> {
        let nodes: Api<KubernetesNode> = Api::all(client.clone());
        let (records, kubelet) = (self.records(), format!("kubelet-{}", self.layout.letter));
        let outcome = wait_for(Duration::from_mins(4), || async {
            if records.alive(&kubelet).is_none() {
                return Some(Err(anyhow!("{kubelet} exited during startup; {}", records.log_tail(&kubelet))));
            }
            let conditions = nodes.get(&self.layout.name).await.ok()?.status?.conditions?;
            let ready =
                conditions.iter().any(|condition| condition.type_ == "Ready" && condition.status == "True");
            (ready && self.heartbeat(client).await > before).then_some(Ok(()))
        });
        let name = &self.layout.name;
        outcome.await.with_context(|| format!("node {name} is not ready: see `lab logs {kubelet}`"))?
    }

    fn containerd_configuration(&self) -> Value {
        json!({
            "version": 3,
            "root": self.path("containerd"),
            "state": self.path("containerd-state"),
            "grpc": {"address": self.path("containerd.sock")},
            "plugins": {
                "io.containerd.cri.v1.images": {
                    "snapshotter": "overlayfs",
                    "pinned_images": {"sandbox": "registry.k8s.io/pause:3.10"},
                    "registry": {"config_path": self.path("registry")},
                },
                "io.containerd.cri.v1.runtime": {
                    // Without CAP_SYS_RESOURCE the OOM score of a process cannot be lowered.
                    "restrict_oom_score_adj": true,
                    "netns_mounts_under_state_dir": true,
                    "max_container_log_line_size": 16384,
                    "cni": {"bin_dirs": [self.binaries.plugins], "conf_dir": self.path("cni")},
                    "containerd": {
                        "default_runtime_name": "runc",
                        "runtimes": {"runc": {
                            "runtime_type": "io.containerd.runc.v2",
                            "options": {
                                "SystemdCgroup": false,
                                "BinaryName": self.binaries.runc.join("runc"),
                                "Root": self.path("runc"),
                            },
                        }},
                    },
                },
                "io.containerd.nri.v1.nri": {"disable": true},
            },
        })
    }

    /// Redirects all registries to the lab's registry.
    fn mirror_configuration(&self) -> Value {
        let registry = format!("http://{}", self.cluster.registry());
        json!({"server": registry, "host": {registry.clone(): {"capabilities": ["pull", "resolve"]}}})
    }

    fn network_configuration(&self) -> Value {
        let addresses = json!({
            "type": "host-local",
            "dataDir": self.path("addresses"),
            "ranges": [[{"subnet": self.layout.pods}]],
            "routes": [{"dst": "0.0.0.0/0"}],
        });
        json!({
            "cniVersion": "1.0.0",
            "name": network_name(&self.control.lab),
            "plugins": [
                {"type": "bridge", "bridge": "pods", "isGateway": true, "ipMasq": false, "hairpinMode": true, "ipam": addresses},
                {"type": "portmap", "capabilities": {"portMappings": true}},
            ],
        })
    }

    fn kubelet_configuration(&self) -> Value {
        let certificates = Certificates::below(&self.control.directory);
        let own = subject(self.layout).file;
        json!({
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": self.layout.host.address,
            "healthzBindAddress": "127.0.0.1",
            "authentication": {
                "anonymous": {"enabled": false},
                "webhook": {"enabled": true},
                "x509": {"clientCAFile": certificates.certificate("ca")},
            },
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": certificates.certificate(&own),
            "tlsPrivateKeyFile": certificates.key(&own),
            "containerRuntimeEndpoint": format!("unix://{}", self.path("containerd.sock")),
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": self.pods_group,
            "failCgroupV1": false,
            "enforceNodeAllocatable": [],
            // Lets the kubelet run where it may not change kernel settings or its own OOM score.
            "featureGates": {"KubeletInUserNamespace": true},
            "clusterDNS": [self.cluster.dns()],
            "clusterDomain": "cluster.local",
            "resolvConf": self.path("resolv.conf"),
            "syncFrequency": self.kubelet_sync,
            "nodeStatusUpdateFrequency": "4s",
            "nodeLeaseDurationSeconds": 12,
            "maxPods": 200,
            "serializeImagePulls": false,
            "registryPullQPS": 50,
            "eventRecordQPS": 0,
            "failSwapOn": false,
            "imageGCHighThresholdPercent": 100,
            "imageGCLowThresholdPercent": 99,
            "evictionHard": {
                "memory.available": "200Mi",
                "nodefs.available": "1%",
                "imagefs.available": "1%",
                "nodefs.inodesFree": "1%",
            },
            // Kubelets that share a log directory delete each other's logs.
            "podLogsDir": self.path("pod-logs"),
            "volumePluginDir": self.path("volume-plugins"),
        })
    }

    fn proxy_configuration(&self) -> Value {
        json!({
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "clientConnection": {"kubeconfig": self.control.kubeconfig_of("proxy")},
            "mode": "nftables",
            "clusterCIDR": self.cluster.pods(),
            "hostnameOverride": self.layout.name,
            "healthzBindAddress": "127.0.0.1:10256",
            "metricsBindAddress": "127.0.0.1:10249",
            // Zero leaves these settings of the whole machine unchanged.
            "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
            "nftables": {"minSyncPeriod": "200ms", "syncPeriod": "30s"},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_result_belongs_to_one_lab() {
        let container = "0123456789abcdef".repeat(4);
        let name = format!("mainstay-e2e-{container}-eth0");
        assert_eq!(container_of_result(&name, "mainstay-e2e"), Some(container.clone()));
        assert_eq!(container_of_result(&name, "mainstay-e"), None);
        assert_eq!(container_of_result(&format!("mainstay-e2e-x-{container}-eth0"), "mainstay-e2e"), None);
    }
}
