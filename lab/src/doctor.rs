//! Checks whether this machine can run a lab. `inspect` collects facts; `diagnose` derives the findings and is pure.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cgroup::Hierarchies;
use crate::paths::{self, Cache};
use crate::programs::install_packages;
use crate::shell::call;
use crate::versions::{HostTool, Versions};

/// The state of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Processor architecture.
    pub architecture: String,
    /// Whether this process is root.
    pub root: bool,
    /// The output of `go version`, if Go is installed.
    pub go: Option<String>,
    /// Debian packages whose command or file is missing.
    pub missing_packages: Vec<String>,
    /// Whether packages can be installed from here.
    pub has_apt: bool,
    /// Why control groups cannot be used, if so.
    pub control_groups: Option<String>,
    /// Whether a network namespace with a veth pair and a bridge can be created.
    pub network_namespaces: Result<(), String>,
    /// Whether nftables rules can be listed in a network namespace.
    pub nftables: bool,
    /// Whether an overlay can be mounted in the state directory.
    pub overlay: bool,
    /// Whether there are loop devices.
    pub loop_devices: bool,
    /// Whether the kernel supports XFS.
    pub xfs: bool,
    /// Free space for the cache, in MiB.
    pub cache_free_mib: u64,
    /// Free space for the state, in MiB.
    pub state_free_mib: u64,
    /// Whether all programs are built already.
    pub programs_built: bool,
}

/// What a finding prevents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No lab at all.
    NoLab,
    /// No pods; a control plane without nodes runs.
    NoPods,
    /// No volumes of a fixed size; volumes in directories work.
    NoSizedVolumes,
}

impl Severity {
    fn label(self) -> &'static str {
        match self {
            Self::NoLab => "no lab",
            Self::NoPods => "no pods, only --control-plane-only",
            Self::NoSizedVolumes => "no volumes of the class `sized`",
        }
    }
}

/// Something that is missing, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it prevents.
    pub severity: Severity,
    /// What is missing and what to do.
    pub message: String,
}

/// The disk space of a full build.
const CACHE_MIB: u64 = 12 * 1024;
/// The disk space of a cluster with pods.
const STATE_MIB: u64 = 4 * 1024;

/// Derives the findings from the facts.
pub fn diagnose(facts: &Facts) -> Vec<Finding> {
    use Severity::{NoLab, NoPods, NoSizedVolumes};
    let mut findings = Vec::new();
    let mut find = |severity, message: String| findings.push(Finding { severity, message });
    if facts.architecture != "x86_64" {
        find(NoLab, format!("the lab supports only x86_64; this machine is {}", facts.architecture));
    }
    if facts.go.is_none() && !facts.programs_built {
        find(
            NoLab,
            "Go is not installed, and the lab's programs are built with it: install Go 1.26 or newer".into(),
        );
    }
    if facts.cache_free_mib < CACHE_MIB && !facts.programs_built {
        find(
            NoLab,
            format!(
                "the cache has {} MiB free, but a full build needs {CACHE_MIB}: free space, or set MAINSTAY_CACHE to another directory",
                facts.cache_free_mib
            ),
        );
    }
    if !facts.root {
        find(NoPods, "not root: pods need network namespaces, control groups and mounts; run as root".into());
    }
    if !facts.missing_packages.is_empty() {
        let packages = facts.missing_packages.join(" ");
        let remedy = if facts.has_apt {
            format!("`cargo lab doctor --fix` or `apt-get install {packages}` installs them")
        } else {
            "install the packages of this distribution that provide them".into()
        };
        find(NoPods, format!("packages are missing: {packages}; {remedy}"));
    }
    if let Some(reason) = &facts.control_groups {
        find(NoPods, format!("control groups: {reason}"));
    }
    if let Err(reason) = &facts.network_namespaces {
        find(NoPods, format!("network namespaces, bridges and veth pairs cannot be made: {reason}"));
    }
    if !facts.nftables && facts.missing_packages.is_empty() {
        find(NoPods, "the kernel has no nftables, which kube-proxy needs: load or build nf_tables".into());
    }
    if !facts.overlay {
        find(NoPods, "overlayfs cannot be mounted in the state directory: set MAINSTAY_LAB_STATE to a directory on ext4 or XFS".into());
    }
    if facts.state_free_mib < STATE_MIB {
        find(
            NoPods,
            format!(
                "the state directory has {} MiB free, but a cluster needs {STATE_MIB}: free space, or set MAINSTAY_LAB_STATE to another directory",
                facts.state_free_mib
            ),
        );
    }
    if !facts.loop_devices {
        find(
            NoSizedVolumes,
            "no loop devices (/dev/loop-control): load the module `loop`; the class `standard` works".into(),
        );
    }
    if !facts.xfs {
        find(
            NoSizedVolumes,
            "the kernel does not support XFS: load the module `xfs`; the class `standard` works".into(),
        );
    }
    // Without root, most checks fail although nothing is missing.
    if !facts.root {
        findings.retain(|finding| finding.severity == NoLab || finding.message.starts_with("not root"));
    }
    findings
}

/// Collects the facts.
pub fn inspect() -> Facts {
    let (cache, state) = (Cache::of_user(), paths::state_root());
    let root = paths::is_root();
    Facts {
        architecture: std::env::consts::ARCH.into(),
        root,
        go: call("go").arg("version").output().ok(),
        missing_packages: missing_packages(Versions::built_in().host_tools()),
        has_apt: call("apt-get").arg("--version").succeeds(),
        control_groups: control_groups(),
        network_namespaces: if root { try_network() } else { Ok(()) },
        nftables: root && call("unshare").args(["--net", "nft", "list", "tables"]).succeeds(),
        overlay: root && try_overlay(&state).is_ok(),
        loop_devices: Path::new("/dev/loop-control").exists(),
        xfs: supports_file_system("xfs"),
        cache_free_mib: free_mib(cache.directory()),
        state_free_mib: free_mib(&state),
        programs_built: crate::cluster::is_built(),
    }
}

fn missing_packages(tools: &[HostTool]) -> Vec<String> {
    let is_there = |tool: &HostTool| {
        let command = tool
            .command
            .as_ref()
            .is_none_or(|command| call("sh").args(["-c", "command -v \"$0\"", command]).succeeds());
        command && tool.file.as_ref().is_none_or(|file| Path::new(file).exists())
    };
    tools.iter().filter(|tool| !is_there(tool)).map(|tool| tool.package.clone()).collect()
}

fn control_groups() -> Option<String> {
    match Hierarchies::of_machine() {
        Err(error) => Some(format!("{error:#}")),
        Ok(hierarchies) => {
            let missing = hierarchies.missing();
            (!missing.is_empty())
                .then(|| format!("the kernel offers no {}: enable them at boot", missing.join(", ")))
        }
    }
}

/// Creates a temporary network namespace, and in it the interfaces that a lab needs.
fn try_network() -> Result<(), String> {
    let script = "ip link add probe type bridge && ip link add probe-a type veth peer name probe-b";
    call("unshare").args(["--net", "sh", "-ec", script]).run().map_err(|error| format!("{error:#}"))
}

/// Mounts an overlay in a temporary mount namespace.
fn try_overlay(state: &Path) -> Result<()> {
    std::fs::create_dir_all(state)?;
    let probe = state.join(format!("_probe-{}", std::process::id()));
    for part in ["lower", "upper", "work", "merged"] {
        std::fs::create_dir_all(probe.join(part))?;
    }
    let script = "cd \"$0\" && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged";
    let result = call("unshare").args(["--mount", "sh", "-ec", script]).arg(&probe).run();
    paths::remove_all(&probe)?;
    result
}

fn supports_file_system(name: &str) -> bool {
    let known = || {
        std::fs::read_to_string("/proc/filesystems")
            .unwrap_or_default()
            .lines()
            .any(|line| line.trim_end().ends_with(name))
    };
    known() || (call("modprobe").arg(name).succeeds() && known())
}

fn free_mib(path: &Path) -> u64 {
    // If the directory does not exist yet, its nearest existing ancestor is on the same file system.
    let existing = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("/"));
    rustix::fs::statvfs(existing)
        .map_or(0, |file_system| file_system.f_bavail * file_system.f_frsize / (1024 * 1024))
}

/// Installs the packages that are missing.
pub fn fix(facts: &Facts) -> Result<()> {
    if facts.missing_packages.is_empty() {
        return Ok(());
    }
    if !facts.has_apt || !facts.root {
        bail!("only root on Debian can install packages: {}", facts.missing_packages.join(" "));
    }
    install_packages(&facts.missing_packages).context("installing what the lab needs on the host")
}

/// The findings, one per line.
pub fn report(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "this machine has everything that a lab needs\n".into();
    }
    let lines: Vec<String> =
        findings.iter().map(|finding| format!("{}: {}", finding.severity.label(), finding.message)).collect();
    lines.join("\n") + "\n"
}

/// Fails with the reasons if this machine cannot run a lab, with or without pods.
pub fn ensure_supported(findings: &[Finding], with_pods: bool) -> Result<()> {
    let needed = if with_pods { Severity::NoPods } else { Severity::NoLab };
    let blocking: Vec<Finding> =
        findings.iter().filter(|finding| finding.severity <= needed).cloned().collect();
    if blocking.is_empty() {
        return Ok(());
    }
    let hint = if blocking.iter().all(|finding| finding.severity == Severity::NoPods) {
        "`cargo lab up --control-plane-only` works here.\n"
    } else {
        ""
    };
    bail!("this machine cannot run the lab:\n{}{hint}", report(&blocking))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Facts {
        Facts {
            architecture: "x86_64".into(),
            root: true,
            go: Some("go version go1.26.8 linux/amd64".into()),
            missing_packages: Vec::new(),
            has_apt: true,
            control_groups: None,
            network_namespaces: Ok(()),
            nftables: true,
            overlay: true,
            loop_devices: true,
            xfs: true,
            cache_free_mib: 50_000,
            state_free_mib: 50_000,
            programs_built: false,
        }
    }

    fn severities(facts: &Facts) -> Vec<Severity> {
        diagnose(facts).into_iter().map(|finding| finding.severity).collect()
    }

    #[test]
    fn a_good_machine_has_no_findings() {
        assert_eq!(diagnose(&good()), []);
        assert!(ensure_supported(&diagnose(&good()), true).is_ok());
    }

    #[test]
    fn each_missing_part_has_its_severity() {
        use Severity::{NoLab, NoPods, NoSizedVolumes};
        type Change = fn(&mut Facts);
        let cases: [(Change, Severity); 11] = [
            (|facts| facts.architecture = "aarch64".into(), NoLab),
            (|facts| facts.go = None, NoLab),
            (|facts| facts.cache_free_mib = 100, NoLab),
            (|facts| facts.root = false, NoPods),
            (|facts| facts.missing_packages = vec!["nftables".into()], NoPods),
            (|facts| facts.control_groups = Some("none".into()), NoPods),
            (|facts| facts.network_namespaces = Err("not permitted".into()), NoPods),
            (|facts| facts.nftables = false, NoPods),
            (|facts| facts.overlay = false, NoPods),
            (|facts| facts.loop_devices = false, NoSizedVolumes),
            (|facts| facts.xfs = false, NoSizedVolumes),
        ];
        for (number, (change, severity)) in cases.into_iter().enumerate() {
            let mut facts = good();
            change(&mut facts);
            assert_eq!(severities(&facts), [severity], "case {number}");
        }
    }

    #[test]
    fn built_programs_need_neither_go_nor_space() {
        let facts = Facts { go: None, cache_free_mib: 0, programs_built: true, ..good() };
        assert_eq!(diagnose(&facts), []);
    }

    #[test]
    fn without_root_the_error_names_what_still_works() {
        let findings = diagnose(&Facts { root: false, ..good() });
        assert!(ensure_supported(&findings, false).is_ok());
        let refusal = ensure_supported(&findings, true).unwrap_err().to_string();
        assert!(
            refusal.contains("not root") && refusal.contains("--control-plane-only` works here"),
            "{refusal}"
        );
    }

    #[test]
    fn missing_volumes_do_not_prevent_a_lab() {
        let findings = diagnose(&Facts { loop_devices: false, ..good() });
        assert!(ensure_supported(&findings, true).is_ok());
    }
}
