//! What this machine lacks to run a lab, in words. Looking is separate from judging: `judge` is pure.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cgroup::Hierarchies;
use crate::paths::{self, Cache};
use crate::programs::install_packages;
use crate::shell::call;
use crate::versions::{HostTool, Versions};

/// What was seen on the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Processor architecture.
    pub architecture: String,
    /// Whether this process is root.
    pub root: bool,
    /// Go's own answer to `go version`, if there is Go.
    pub go: Option<String>,
    /// Packages whose proof was not found.
    pub missing_packages: Vec<String>,
    /// Whether packages can be installed from here.
    pub has_apt: bool,
    /// Why control groups cannot be used, if they cannot.
    pub control_groups: Option<String>,
    /// Whether a network namespace with a cable and a bridge can be made.
    pub network_namespaces: Result<(), String>,
    /// Whether packet rules can be read in a namespace.
    pub nftables: bool,
    /// Whether an overlay can be mounted where labs keep their state.
    pub overlay: bool,
    /// Whether there are loop devices and the XFS file system.
    pub loop_devices: bool,
    /// See `loop_devices`.
    pub xfs: bool,
    /// Free space in MiB for the cache and for the state.
    pub free_mib: (u64, u64),
    /// Whether all programs are built already.
    pub programs_built: bool,
}

/// How much of the lab a finding takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No lab at all.
    NoLab,
    /// No pods; a control plane alone runs.
    NoPods,
    /// No volumes with a size; directories serve.
    NoSizedVolumes,
}

impl Severity {
    fn words(self) -> &'static str {
        match self {
            Self::NoLab => "no lab",
            Self::NoPods => "no pods, only --control-plane-only",
            Self::NoSizedVolumes => "no volumes of the class `sized`",
        }
    }
}

/// One thing that is missing, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it takes away.
    pub severity: Severity,
    /// What is missing and what to do.
    pub words: String,
}

/// A full build takes about this much.
const CACHE_MIB: u64 = 12 * 1024;
/// A cluster with pods takes about this much.
const STATE_MIB: u64 = 4 * 1024;

/// What follows from the facts.
pub fn judge(facts: &Facts) -> Vec<Finding> {
    use Severity::{NoLab, NoPods, NoSizedVolumes};
    let mut findings = Vec::new();
    let mut find = |severity, words: String| findings.push(Finding { severity, words });
    if facts.architecture != "x86_64" {
        find(NoLab, format!("the lab is made for x86_64; this machine is {}", facts.architecture));
    }
    if facts.go.is_none() && !facts.programs_built {
        find(
            NoLab,
            "Go is not installed, and the lab's programs are built with it: install Go 1.26 or newer".into(),
        );
    }
    if facts.free_mib.0 < CACHE_MIB && !facts.programs_built {
        find(
            NoLab,
            format!(
                "the cache has {} MiB free, a full build takes {CACHE_MIB}: free some, or point MAINSTAY_CACHE elsewhere",
                facts.free_mib.0
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
            "install what has these names on this distribution".into()
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
        find(NoPods, "no overlay can be mounted where labs keep their state: point MAINSTAY_LAB_STATE at a local ext4 or XFS directory".into());
    }
    if facts.free_mib.1 < STATE_MIB {
        find(
            NoPods,
            format!(
                "the state directory has {} MiB free, a cluster takes {STATE_MIB}: free some, or point MAINSTAY_LAB_STATE elsewhere",
                facts.free_mib.1
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
            "the kernel does not know XFS: load the module `xfs`; the class `standard` works".into(),
        );
    }
    // What is not seen without root is not known to be missing.
    if !facts.root {
        findings.retain(|finding| finding.severity == NoLab || finding.words.starts_with("not root"));
    }
    findings
}

/// Looks at the machine.
pub fn look() -> Facts {
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
        xfs: knows_file_system("xfs"),
        free_mib: (free_mib(cache.directory()), free_mib(&state)),
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

/// Makes a namespace that goes with the command, and everything of the lab's network inside it.
fn try_network() -> Result<(), String> {
    let script = "ip link add probe type bridge && ip link add probe-a type veth peer name probe-b";
    call("unshare").args(["--net", "sh", "-ec", script]).run().map_err(|error| format!("{error:#}"))
}

/// Mounts an overlay in a mount namespace that goes with the command.
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

fn knows_file_system(name: &str) -> bool {
    let known = || {
        std::fs::read_to_string("/proc/filesystems")
            .unwrap_or_default()
            .lines()
            .any(|line| line.trim_end().ends_with(name))
    };
    known() || (call("modprobe").arg(name).succeeds() && known())
}

fn free_mib(path: &Path) -> u64 {
    // The directory itself may not be there yet: its nearest ancestor is on the same file system.
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

/// The findings as lines for a person.
pub fn report(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "this machine has everything that a lab needs\n".into();
    }
    let lines: Vec<String> =
        findings.iter().map(|finding| format!("{}: {}", finding.severity.words(), finding.words)).collect();
    lines.join("\n") + "\n"
}

/// Refuses what this machine cannot do, with the reasons.
pub fn admit(findings: &[Finding], with_pods: bool) -> Result<()> {
    let needed = if with_pods { Severity::NoPods } else { Severity::NoLab };
    let against: Vec<Finding> =
        findings.iter().filter(|finding| finding.severity <= needed).cloned().collect();
    if against.is_empty() {
        return Ok(());
    }
    let hint = if against.iter().all(|finding| finding.severity == Severity::NoPods) {
        "`cargo lab up --control-plane-only` works here.\n"
    } else {
        ""
    };
    bail!("this machine cannot run it:\n{}{hint}", report(&against))
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
            free_mib: (50_000, 50_000),
            programs_built: false,
        }
    }

    fn severities(facts: &Facts) -> Vec<Severity> {
        judge(facts).into_iter().map(|finding| finding.severity).collect()
    }

    #[test]
    fn a_good_machine_has_no_findings() {
        assert_eq!(judge(&good()), []);
        assert!(admit(&judge(&good()), true).is_ok());
    }

    #[test]
    fn each_lack_takes_away_what_depends_on_it() {
        use Severity::{NoLab, NoPods, NoSizedVolumes};
        type Spoil = fn(&mut Facts);
        let cases: [(Spoil, Severity); 11] = [
            (|facts| facts.architecture = "aarch64".into(), NoLab),
            (|facts| facts.go = None, NoLab),
            (|facts| facts.free_mib.0 = 100, NoLab),
            (|facts| facts.root = false, NoPods),
            (|facts| facts.missing_packages = vec!["nftables".into()], NoPods),
            (|facts| facts.control_groups = Some("none".into()), NoPods),
            (|facts| facts.network_namespaces = Err("not permitted".into()), NoPods),
            (|facts| facts.nftables = false, NoPods),
            (|facts| facts.overlay = false, NoPods),
            (|facts| facts.loop_devices = false, NoSizedVolumes),
            (|facts| facts.xfs = false, NoSizedVolumes),
        ];
        for (number, (spoil, severity)) in cases.into_iter().enumerate() {
            let mut facts = good();
            spoil(&mut facts);
            assert_eq!(severities(&facts), [severity], "case {number}");
        }
    }

    #[test]
    fn what_is_built_needs_neither_go_nor_space() {
        let facts = Facts { go: None, free_mib: (0, 50_000), programs_built: true, ..good() };
        assert_eq!(judge(&facts), []);
    }

    #[test]
    fn a_machine_without_pods_is_told_what_still_works() {
        let findings = judge(&Facts { root: false, ..good() });
        assert!(admit(&findings, false).is_ok());
        let refusal = admit(&findings, true).unwrap_err().to_string();
        assert!(
            refusal.contains("not root") && refusal.contains("--control-plane-only` works here"),
            "{refusal}"
        );
    }

    #[test]
    fn missing_volumes_refuse_nothing() {
        let findings = judge(&Facts { loop_devices: false, ..good() });
        assert!(admit(&findings, true).is_ok());
    }
}
