//! The resources of the machine that a lab uses. They are read from the machine and not from the records of the lab, which
//! may have forgotten some.
//!
//! A resource belongs to a lab if its path, name or arguments contain the name of the lab as a word.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::lab::clock::wait_until;
use ::lab::paths::state_root;
use ::lab::process::Identity;
use ::lab::shell::call;
use anyhow::{Context, Result, ensure};
use rustix::process::Signal;

/// The directory of named network namespaces.
const NETWORKS: &str = "/run/netns";

/// How long killed processes may take to exit.
const KILL_LIMIT: Duration = Duration::from_secs(30);

/// All resources of this machine that belong to one lab, one line each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Processes, by number and arguments.
    pub processes: BTreeSet<String>,
    /// Mount points.
    pub mounts: BTreeSet<String>,
    /// Loop devices and the files behind them.
    pub loop_devices: BTreeSet<String>,
    /// Network namespaces.
    pub network_namespaces: BTreeSet<String>,
    /// Network interfaces. Their names contain the number of the lab, their aliases its name.
    pub interfaces: BTreeSet<String>,
    /// Control groups in every hierarchy.
    pub control_groups: BTreeSet<String>,
    /// Tables of the packet filter of the host.
    pub packet_filter: BTreeSet<String>,
    /// Files in directories of the machine that kubelets and network plug-ins write to.
    pub files: BTreeSet<String>,
}

impl Footprint {
    /// What the lab with this name uses now.
    pub fn of(lab: &str) -> Result<Self> {
        Ok(Self {
            processes: processes(lab)?
                .into_iter()
                .map(|(identity, shown)| format!("{} {shown}", identity.pid()))
                .collect(),
            mounts: mounts(&fs::read_to_string("/proc/self/mountinfo")?, lab),
            loop_devices: loop_devices(lab)?,
            network_namespaces: names(Path::new(NETWORKS), |name| mentions(name, lab)),
            interfaces: interfaces(lab),
            control_groups: control_groups(Path::new("/sys/fs/cgroup"), lab),
            packet_filter: tables(&call("nft").args(["list", "tables"]).output()?, lab),
            files: files(lab),
        })
    }
}

/// Kills every process of a lab, as the kernel does when memory runs out, until none is left. Returns how many there were.
pub fn kill(lab: &str) -> Result<usize> {
    let mut killed = BTreeSet::new();
    let all_gone = wait_until(KILL_LIMIT, || {
        let found = processes(lab).unwrap_or_default();
        for (process, _) in &found {
            process.signal(Signal::KILL);
            killed.insert(process.pid());
        }
        found.is_empty()
    });
    ensure!(all_gone, "processes of lab {lab} still run after they were killed: {:?}", processes(lab)?);
    Ok(killed.len())
}

/// The running processes of a lab: with its name in their arguments, in one of its control groups, or in one of its network
/// namespaces.
pub fn processes(lab: &str) -> Result<Vec<(Identity, String)>> {
    let networks: Vec<u64> = names(Path::new(NETWORKS), |name| mentions(name, lab))
        .iter()
        .filter_map(|name| Some(fs::metadata(Path::new(NETWORKS).join(name)).ok()?.ino()))
        .collect();
    let own = i32::try_from(std::process::id()).context("the process ID does not fit into 32 bits")?;
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let Some(identity) = Identity::of(pid).filter(|_| pid != own) else { continue };
        let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let arguments: Vec<String> = read("cmdline").split_terminator('\0').map(str::to_owned).collect();
        let network = fs::metadata(format!("/proc/{pid}/ns/net")).map(|network| network.ino());
        if arguments_name(&arguments, lab)
            || read("cgroup").lines().any(|group| mentions(group, lab))
            || network.is_ok_and(|network| networks.contains(&network))
        {
            found.push((identity, arguments.join(" ")));
        }
    }
    Ok(found)
}

/// Whether the arguments of a process contain a file in the state of the lab, or are those of a `lab` command for it.
fn arguments_name(arguments: &[String], lab: &str) -> bool {
    // With a slash, so that `crash` does not match the state of `crash-2`.
    let state = format!("{}/", state_root().join(lab).display());
    let is_command = arguments.first().is_some_and(|program| Path::new(program).ends_with("lab"));
    arguments.iter().any(|argument| argument.contains(&state))
        || (is_command && arguments.windows(2).any(|pair| pair[0] == "--name" && pair[1] == lab))
        || (is_command && arguments.iter().any(|argument| argument.strip_prefix("--name=") == Some(lab)))
}

/// Whether `text` contains `word` with nothing alphanumeric on either side.
fn mentions(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn mounts(mountinfo: &str, lab: &str) -> BTreeSet<String> {
    // Field 4 is the root of the mount, field 5 the mount point.
    let mounts = mountinfo.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(3);
        Some((fields.next()?, fields.next()?))
    });
    mounts
        .filter(|(root, point)| mentions(root, lab) || mentions(point, lab))
        .map(|(_, point)| point.to_owned())
        .collect()
}

fn loop_devices(lab: &str) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir("/sys/block").context("cannot list block devices")? {
        let device = entry?;
        if let Ok(file) = fs::read_to_string(device.path().join("loop/backing_file"))
            && mentions(&file, lab)
        {
            found.insert(format!("{} {}", device.file_name().to_string_lossy(), file.trim()));
        }
    }
    Ok(found)
}

fn names(directory: &Path, belongs: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(directory) else { return BTreeSet::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| belongs(name))
        .collect()
}

fn interfaces(lab: &str) -> BTreeSet<String> {
    let all = Path::new("/sys/class/net");
    let alias = |name: &str| fs::read_to_string(all.join(name).join("ifalias")).unwrap_or_default();
    names(all, |name| mentions(alias(name).trim(), lab))
}

fn control_groups(root: &Path, lab: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut ahead: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(directory) = ahead.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.filter_map(Result::ok) {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if mentions(&entry.file_name().to_string_lossy(), lab) {
                found.insert(entry.path().display().to_string());
            }
            ahead.push(entry.path());
        }
    }
    found
}

fn tables(listed: &str, lab: &str) -> BTreeSet<String> {
    listed.lines().filter(|table| mentions(table, lab)).map(str::to_owned).collect()
}

/// Result files of network plug-ins with the name of the lab, and links to logs of containers in its state.
fn files(lab: &str) -> BTreeSet<String> {
    let links = Path::new("/var/log/containers");
    let is_in_state = |name: &str| {
        fs::read_link(links.join(name)).is_ok_and(|target| target.starts_with(state_root().join(lab)))
    };
    let mut found = names(Path::new("/var/lib/cni/results"), |name| mentions(name, lab));
    found.extend(names(links, is_in_state));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_matches_only_as_a_word() {
        for text in
            ["crash", "/var/lib/lab/crash/etcd", "crash-a", "mainstay-crash", "3:cpu:/crash-a/kubepods"]
        {
            assert!(mentions(text, "crash"), "{text}");
        }
        for text in ["", "crashed", "kcrash", "/var/lib/crash2/etcd"] {
            assert!(!mentions(text, "crash"), "{text}");
        }
    }

    #[test]
    fn a_mount_matches_by_its_root_or_its_mount_point() {
        let mountinfo = "36 35 98:0 / /state/crash/data rw - xfs /dev/loop0 rw\n\
                         37 35 98:0 /crash-a/x /elsewhere rw - ext4 /dev/sda rw\n\
                         38 35 98:0 / /other rw - ext4 /dev/sda rw\n";
        assert_eq!(mounts(mountinfo, "crash"), ["/elsewhere", "/state/crash/data"].map(str::to_owned).into());
    }

    #[test]
    fn control_groups_are_found_at_any_depth() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("memory/a/crash-a/kubepods")).unwrap();
        let found = root.path().join("memory/a/crash-a").display().to_string();
        assert_eq!(control_groups(root.path(), "crash"), [found].into());
    }

    #[test]
    fn a_process_matches_by_a_file_of_the_state_or_the_name_of_the_lab() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let state = state_root();
        assert!(arguments_name(&words(&format!("etcd --data-dir={}/crash/etcd", state.display())), "crash"));
        assert!(arguments_name(&words("/target/lab provisioner --name crash"), "crash"));
        assert!(arguments_name(&words("/target/lab provisioner --name=crash"), "crash"));
        assert!(!arguments_name(&words("/target/deps/lab-1234 crash::killed"), "crash"));
        assert!(!arguments_name(&words(&format!("etcd --data-dir={}/other/etcd", state.display())), "crash"));
    }
}
