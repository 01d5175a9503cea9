//! The control plane's programs: which arguments they get and in which order they start. Used by whole clusters and
//! by control planes alone; the difference between the two is a [`Place`].

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kube::Client;

use crate::clock::wait_for;
use crate::kubeconfig;
use crate::paths::write_atomically;
use crate::pki::{Certificates, Subject};
use crate::process::{Launch, Ledger};
use crate::programs::Workshop;
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
    /// Builds them if they are not there.
    pub fn ensure(workshop: &Workshop, kubernetes: Option<&str>) -> Result<Self> {
        let versions = Versions::built_in();
        let kubernetes = kubernetes.map_or_else(|| versions.default_version("kubernetes"), Ok)?;
        let kubernetes = versions.program("kubernetes", kubernetes)?;
        let etcd = versions.program("etcd", versions.default_version("etcd")?)?;
        workshop.build(&[kubernetes.clone(), etcd.clone()])?;
        Ok(Self { kubernetes: workshop.directory(&kubernetes), etcd: workshop.directory(&etcd) })
    }
}

/// Where a control plane lives.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its network namespace; the host's own if absent.
    pub network: Option<PathBuf>,
    /// Control groups of its processes.
    pub groups: Vec<PathBuf>,
    /// The address that the API server listens on.
    pub address: Ipv4Addr,
    /// Its ports.
    pub ports: Ports,
    /// Addresses of services, and the one of the API server among them.
    pub services: (String, Ipv4Addr),
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
    /// Where it lives.
    pub place: Place,
    /// Features of the API server that are not as its version has them: `WatchList=false`.
    pub gates: Vec<String>,
}

impl Control {
    fn certificates(&self) -> Certificates {
        Certificates::below(&self.directory)
    }

    /// Records of its processes.
    pub fn ledger(&self) -> Ledger {
        Ledger::below(&self.directory)
    }

    /// The API server's address for clients.
    pub fn server(&self) -> String {
        format!("https://{}:{}", self.place.address, self.place.ports.api)
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.directory.join("admin.kubeconfig")
    }

    /// Makes certificates and kubeconfigs, those of `nodes` included.
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
                    self.place.address.into(),
                    self.place.services.1.into(),
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
        self.ledger().start(&Launch {
            name,
            network: self.place.network.as_deref(),
            groups: &self.place.groups,
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

    /// Waits until the API server answers that it is ready.
    pub async fn wait_until_ready(&self) -> Result<Client> {
        let client = kubeconfig::client(&self.kubeconfig()).await?;
        let ledger = self.ledger();
        let outcome = wait_for(Duration::from_mins(3), || async {
            if kubeconfig::is_ready(&client).await {
                return Some(Ok(()));
            }
            let dead = ["etcd", "apiserver"].into_iter().find(|name| ledger.alive(name).is_none())?;
            Some(Err(dead))
        });
        match outcome
            .await
            .context("the API server was not ready after three minutes: see `lab logs apiserver`")?
        {
            Ok(()) => Ok(client),
            Err(dead) => bail!("{dead} ended at its start; {}", ledger.last_words(dead)),
        }
    }

    fn etcd_arguments(&self) -> Vec<String> {
        let Ports { etcd, etcd_peer, .. } = self.place.ports;
        vec![
            format!("--data-dir={}", self.directory.join("etcd").display()),
            format!("--listen-client-urls=http://127.0.0.1:{etcd}"),
            format!("--advertise-client-urls=http://127.0.0.1:{etcd}"),
            format!("--listen-peer-urls=http://127.0.0.1:{etcd_peer}"),
            format!("--initial-advertise-peer-urls=http://127.0.0.1:{etcd_peer}"),
            format!("--initial-cluster=default=http://127.0.0.1:{etcd_peer}"),
            // A lab outlives no power cut of the host, and tests are faster without waiting for the disk.
            "--unsafe-no-fsync".into(),
            "--quota-backend-bytes=4294967296".into(),
        ]
    }

    fn api_arguments(&self) -> Vec<String> {
        let certificates = self.certificates();
        let (certificate, key) = (|file| certificates.certificate(file), |file| certificates.key(file));
        let mut arguments = vec![
            format!("--etcd-servers=http://127.0.0.1:{}", self.place.ports.etcd),
            format!("--bind-address={}", self.place.address),
            format!("--advertise-address={}", self.place.address),
            format!("--secure-port={}", self.place.ports.api),
            format!("--service-cluster-ip-range={}", self.place.services.0),
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
        if self.place.nodes {
            arguments.extend([
                format!("--kubelet-client-certificate={}", certificate("kubelet-client")),
                format!("--kubelet-client-key={}", key("kubelet-client")),
                format!("--kubelet-certificate-authority={}", certificate("ca")),
                "--kubelet-preferred-address-types=InternalIP".into(),
                // Webhooks are called at their pods: the control plane's namespace has no kube-proxy.
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
        // Tests that share one control plane would wait for each other at the usual 20 requests a second.
        let (rate, burst) = if self.place.nodes { (20, 30) } else { (200, 400) };
        vec![
            format!("--kube-api-qps={rate}"),
            format!("--kube-api-burst={burst}"),
            format!("--kubeconfig={kubeconfig}"),
            format!("--authentication-kubeconfig={kubeconfig}"),
            format!("--authorization-kubeconfig={kubeconfig}"),
            "--bind-address=127.0.0.1".into(),
            format!("--secure-port={}", self.place.ports.controllers),
            "--leader-elect=false".into(),
            "--use-service-account-credentials=true".into(),
            "--allocate-node-cidrs=false".into(),
            // A lost node is noticed in a third of the usual time, so that tests need not wait.
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

/// Below a lab's directory: which requests are written down.
const AUDIT_POLICY: &str = "audit-policy.json";
/// Below a lab's directory: the requests that were written down, one JSON object a line.
pub const AUDIT_LOG: &str = "audit.log";

/// What programs in pods write, with what they sent, except Secrets. Kubernetes's own parts are left out.
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
