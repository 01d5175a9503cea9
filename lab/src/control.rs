//! The programs of a control plane: their arguments and the order in which they start. Used for clusters and for
//! control planes without nodes, which differ only in their [`Placement`].

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kube::Client;

use crate::clock::wait_for;
use crate::kubeconfig;
use crate::paths::write_atomically;
use crate::pki::{Certificates, Subject};
use crate::process::{Launch, ProcessRecords};
use crate::programs::Builder;
use crate::state::Ports;
use crate::versions::Versions;

/// Where the programs of a control plane are.
#[derive(Debug, Clone)]
pub struct Binaries {
    /// Directory of kube-apiserver and its siblings.
    pub kubernetes: PathBuf,
    /// Directory of etcd.
    pub etcd: PathBuf,
}

impl Binaries {
    /// Builds them if they are missing.
    pub fn ensure(builder: &Builder, kubernetes: Option<&str>) -> Result<Self> {
        let versions = Versions::built_in();
        let kubernetes = kubernetes.map_or_else(|| versions.default_version("kubernetes"), Ok)?;
        let kubernetes = versions.program("kubernetes", kubernetes)?;
        let etcd = versions.program("etcd", versions.default_version("etcd")?)?;
        builder.build(&[kubernetes.clone(), etcd.clone()])?;
        Ok(Self { kubernetes: builder.directory(&kubernetes), etcd: builder.directory(&etcd) })
    }
}

/// Where a control plane runs, and which addresses it uses.
#[derive(Debug, Clone)]
pub struct Placement {
    /// Its network namespace; the host's own if absent.
    pub network: Option<PathBuf>,
    /// Control groups of its processes.
    pub groups: Vec<PathBuf>,
    /// The address that the API server listens on.
    pub address: Ipv4Addr,
    /// Its ports.
    pub ports: Ports,
    /// The address range of Services.
    pub service_range: String,
    /// The address of the Service `kubernetes`.
    pub api_service: Ipv4Addr,
    /// Whether there are nodes, so that the API server must reach kubelets and pods.
    pub nodes: bool,
}

/// The control plane of one lab.
#[derive(Debug, Clone)]
pub struct Control {
    /// The lab's name, for the kubeconfig.
    pub lab: String,
    /// The lab's directory.
    pub directory: PathBuf,
    /// Programs.
    pub binaries: Binaries,
    /// Where it runs.
    pub placement: Placement,
    /// Feature gates of the API server that differ from the defaults of its version, such as `WatchList=false`.
    pub gates: Vec<String>,
}

impl Control {
    fn certificates(&self) -> Certificates {
        Certificates::below(&self.directory)
    }

    /// Records of its processes.
    pub fn records(&self) -> ProcessRecords {
        ProcessRecords::below(&self.directory)
    }

    /// The API server's address for clients.
    pub fn server(&self) -> String {
        format!("https://{}:{}", self.placement.address, self.placement.ports.api)
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.directory.join("admin.kubeconfig")
    }

    /// Creates certificates and kubeconfigs, including those of `nodes`.
    pub fn write_credentials(&self, nodes: &[Subject]) -> Result<()> {
        let certificates = self.certificates();
        let mut subjects = self.subjects();
        subjects.extend_from_slice(nodes);
        certificates.ensure(&subjects)?;
        let own = ["admin", "controller-manager", "scheduler", "proxy"].map(str::to_owned);
        for subject in own.into_iter().chain(nodes.iter().map(|node| node.file.clone())) {
            kubeconfig::write(
                &self.kubeconfig_of(&subject),
                &self.lab,
                &self.server(),
                &subject,
                &certificates,
            )?;
        }
        Ok(())
    }

    /// The kubeconfig of one subject.
    pub fn kubeconfig_of(&self, subject: &str) -> PathBuf {
        self.directory.join(format!("{subject}.kubeconfig"))
    }

    fn subjects(&self) -> Vec<Subject> {
        let service = "kubernetes.default.svc.cluster.local";
        let names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", service, "localhost"];
        vec![
            Subject {
                file: "apiserver".into(),
                user: "kube-apiserver".into(),
                group: None,
                names: names.map(str::to_owned).into(),
                addresses: vec![
                    Ipv4Addr::LOCALHOST.into(),
                    self.placement.address.into(),
                    self.placement.api_service.into(),
                ],
            },
            Subject::client("admin", "admin", Some("system:masters")),
            Subject::client("controller-manager", "system:kube-controller-manager", None),
            Subject::client("scheduler", "system:kube-scheduler", None),
            Subject::client("proxy", "system:kube-proxy", None),
            Subject::client("kubelet-client", "apiserver-kubelet-client", Some("system:masters")),
        ]
    }

    fn start(&self, name: &str, program: &Path, arguments: &[String]) -> Result<()> {
        self.records().start(&Launch {
            name,
            network: self.placement.network.as_deref(),
            groups: &self.placement.groups,
            program,
            arguments,
            environment: &[],
        })
    }

    /// Starts etcd and the API server.
    pub fn start_api(&self) -> Result<()> {
        write_atomically(&self.directory.join(AUDIT_POLICY), audit_policy().to_string())?;
        self.start("etcd", &self.binaries.etcd.join("etcd"), &self.etcd_arguments())?;
        self.start("apiserver", &self.binaries.kubernetes.join("kube-apiserver"), &self.api_arguments())
    }

    /// Starts the controller-manager.
    pub fn start_controllers(&self) -> Result<()> {
        let program = self.binaries.kubernetes.join("kube-controller-manager");
        self.start("controller-manager", &program, &self.controller_arguments())
    }

    /// Starts the scheduler.
    pub fn start_scheduler(&self) -> Result<()> {
        self.start("scheduler", &self.binaries.kubernetes.join("kube-scheduler"), &self.scheduler_arguments())
    }

    /// Waits until the API server is ready.
    pub async fn wait_until_ready(&self) -> Result<Client> {
        let client = kubeconfig::client(&self.kubeconfig()).await?;
        let records = self.records();
        let outcome = wait_for(Duration::from_mins(3), || async {
            if kubeconfig::is_ready(&client).await {
                return Some(Ok(()));
            }
            let dead = ["etcd", "apiserver"].into_iter().find(|name| records.alive(name).is_none())?;
            Some(Err(dead))
        });
        match outcome
            .await
            .context("the API server was not ready after three minutes: see `lab logs apiserver`")?
        {
            Ok(()) => Ok(client),
            Err(dead) => bail!("{dead} exited during startup; {}", records.log_tail(dead)),
        }
    }

    fn etcd_arguments(&self) -> Vec<String> {
        let Ports { etcd, etcd_peer, .. } = self.placement.ports;
        vec![
            format!("--data-dir={}", self.directory.join("etcd").display()),
            format!("--listen-client-urls=http://127.0.0.1:{etcd}"),
            format!("--advertise-client-urls=http://127.0.0.1:{etcd}"),
            format!("--listen-peer-urls=http://127.0.0.1:{etcd_peer}"),
            format!("--initial-advertise-peer-urls=http://127.0.0.1:{etcd_peer}"),
            format!("--initial-cluster=default=http://127.0.0.1:{etcd_peer}"),
            // A lab need not survive a power failure of the host, and tests are faster without waiting for the disk.
            "--unsafe-no-fsync".into(),
            "--quota-backend-bytes=4294967296".into(),
        ]
    }

    fn api_arguments(&self) -> Vec<String> {
        let certificates = self.certificates();
        let (certificate, key) = (|file| certificates.certificate(file), |file| certificates.key(file));
        let mut arguments = vec![
            format!("--etcd-servers=http://127.0.0.1:{}", self.placement.ports.etcd),
            format!("--bind-address={}", self.placement.address),
            format!("--advertise-address={}", self.placement.address),
            format!("--secure-port={}", self.placement.ports.api),
            format!("--service-cluster-ip-range={}", self.placement.service_range),
            "--authorization-mode=Node,RBAC".into(),
            "--enable-admission-plugins=NodeRestriction".into(),
            "--allow-privileged=true".into(),
            format!("--client-ca-file={}", certificate("ca")),
            format!("--tls-cert-file={}", certificate("apiserver")),
            format!("--tls-private-key-file={}", key("apiserver")),
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local".into(),
            format!("--service-account-key-file={}", certificates.service_account_public_key()),
            format!("--service-account-signing-key-file={}", key("service-accounts")),
            format!("--requestheader-client-ca-file={}", certificate("front-proxy-ca")),
            "--requestheader-allowed-names=front-proxy-client".into(),
            "--requestheader-extra-headers-prefix=X-Remote-Extra-".into(),
            "--requestheader-group-headers=X-Remote-Group".into(),
            "--requestheader-username-headers=X-Remote-User".into(),
            format!("--proxy-client-cert-file={}", certificate("front-proxy")),
            format!("--proxy-client-key-file={}", key("front-proxy")),
            format!("--audit-policy-file={}", self.directory.join(AUDIT_POLICY).display()),
            format!("--audit-log-path={}", self.directory.join(AUDIT_LOG).display()),
            "--audit-log-maxsize=100".into(),
            "--audit-log-maxbackup=1".into(),
        ];
        if !self.gates.is_empty() {
            arguments.push(format!("--feature-gates={}", self.gates.join(",")));
        }
        if self.placement.nodes {
            arguments.extend([
                format!("--kubelet-client-certificate={}", certificate("kubelet-client")),
                format!("--kubelet-client-key={}", key("kubelet-client")),
                format!("--kubelet-certificate-authority={}", certificate("ca")),
                "--kubelet-preferred-address-types=InternalIP".into(),
                // Webhooks are called at the addresses of their pods: the network namespace of the control plane has no
                // kube-proxy.
                "--enable-aggregator-routing=true".into(),
            ]);
        } else {
            // A loopback address cannot be an endpoint of the service `kubernetes`.
            arguments.push("--endpoint-reconciler-type=none".into());
        }
        arguments
    }

    fn controller_arguments(&self) -> Vec<String> {
        let certificates = self.certificates();
        let kubeconfig = self.kubeconfig_of("controller-manager").display().to_string();
        // With the default limit of 20 requests per second, tests that share a control plane would wait for each other.
        let (rate, burst) = if self.placement.nodes { (20, 30) } else { (200, 400) };
        vec![
            format!("--kube-api-qps={rate}"),
            format!("--kube-api-burst={burst}"),
            format!("--kubeconfig={kubeconfig}"),
            format!("--authentication-kubeconfig={kubeconfig}"),
            format!("--authorization-kubeconfig={kubeconfig}"),
            "--bind-address=127.0.0.1".into(),
            format!("--secure-port={}", self.placement.ports.controllers),
            "--leader-elect=false".into(),
            "--use-service-account-credentials=true".into(),
            "--allocate-node-cidrs=false".into(),
            // Shorter than the default, so that tests need not wait long until a lost node is detected.
            "--node-monitor-grace-period=20s".into(),
            format!("--root-ca-file={}", certificates.certificate("ca")),
            format!("--service-account-private-key-file={}", certificates.key("service-accounts")),
            format!("--cluster-signing-cert-file={}", certificates.certificate("ca")),
            format!("--cluster-signing-key-file={}", certificates.key("ca")),
        ]
    }

    fn scheduler_arguments(&self) -> Vec<String> {
        let kubeconfig = self.kubeconfig_of("scheduler").display().to_string();
        vec![
            format!("--kubeconfig={kubeconfig}"),
            format!("--authentication-kubeconfig={kubeconfig}"),
            format!("--authorization-kubeconfig={kubeconfig}"),
            "--bind-address=127.0.0.1".into(),
            "--leader-elect=false".into(),
        ]
    }
}

/// The audit policy, below the directory of a lab.
const AUDIT_POLICY: &str = "audit-policy.json";
/// The audit log, below the directory of a lab: one JSON object per line.
pub const AUDIT_LOG: &str = "audit.log";

/// Logs the writes of service accounts, with the request body except for Secrets. The components of Kubernetes are left
/// out.
fn audit_policy() -> serde_json::Value {
    let writes = ["create", "update", "patch", "delete", "deletecollection"];
    serde_json::json!({
        "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "omitManagedFields": true,
        "rules": [
            {"level": "None", "userGroups": ["system:serviceaccounts:kube-system"]},
            {"level": "Metadata", "verbs": writes, "userGroups": ["system:serviceaccounts"],
             "resources": [{"group": "", "resources": ["secrets", "serviceaccounts/token"]}]},
            {"level": "Request", "verbs": writes, "userGroups": ["system:serviceaccounts"]},
            {"level": "None"},
        ],
    })
}
