//! Control groups of a lab. The kubelet places pods below the group of their node, and all processes of a lab,
//! including those that containerd starts, are found by their group.
//!
//! ```text
//! mainstay-NAME/daemons        control plane
//! mainstay-NAME/daemons-a      containerd, its shims, kubelet, kube-proxy of node a
//! mainstay-NAME/a              pods of node a (the kubelet's cgroupRoot)
//! ```

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::clock::wait_until;
use crate::mounts::{self, Mount};
use crate::process::{Identity, end};

/// The control group hierarchies of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hierarchies {
    /// One for all controllers.
    Unified(PathBuf),
    /// One hierarchy per controller: the directories, each with the names of its controllers. There may also be a
    /// unified hierarchy without controllers, which runc uses too.
    Separate(Vec<(PathBuf, Vec<String>)>),
}

/// What the kubelet and runc need.
const CONTROLLERS: [&str; 4] = ["cpu", "cpuset", "memory", "pids"];

impl Hierarchies {
    /// The hierarchies that are mounted on this machine.
    pub fn of_machine() -> Result<Self> {
        Self::from_mounts(&mounts::all()?).context("no control groups are mounted below /sys/fs/cgroup")
    }

    fn from_mounts(mounts: &[Mount]) -> Option<Self> {
        let root = Path::new("/sys/fs/cgroup");
        if let Some(unified) = mounts.iter().find(|mount| mount.kind == "cgroup2" && mount.point == root) {
            return Some(Self::Unified(unified.point.clone()));
        }
        let separate: Vec<(PathBuf, Vec<String>)> = mounts
            .iter()
            .filter(|mount| mount.kind.starts_with("cgroup") && mount.point.starts_with(root))
            .map(|mount| (mount.point.clone(), mount.options.clone()))
            .collect();
        (!separate.is_empty()).then_some(Self::Separate(separate))
    }

    /// Controllers that a lab needs and this machine does not offer.
    pub fn missing(&self) -> Vec<&'static str> {
        let has = |controller: &str| match self {
            Self::Unified(root) => std::fs::read_to_string(root.join("cgroup.controllers"))
                .is_ok_and(|all| all.split_whitespace().any(|name| name == controller)),
            Self::Separate(all) => {
                all.iter().any(|(_, options)| options.iter().any(|name| name == controller))
            }
        };
        CONTROLLERS.into_iter().filter(|controller| !has(controller)).collect()
    }

    fn roots(&self) -> Vec<&Path> {
        match self {
            Self::Unified(root) => vec![root],
            Self::Separate(all) => all.iter().map(|(root, _)| root.as_path()).collect(),
        }
    }

    /// The hierarchy in which processes are looked up. Containers are in all hierarchies, daemons only in this one.
    fn tracking(&self) -> &Path {
        match self {
            Self::Unified(root) => root,
            Self::Separate(all) => {
                let pids = all.iter().find(|(_, options)| options.iter().any(|name| name == "pids"));
                &pids.unwrap_or(&all[0]).0
            }
        }
    }

    /// Creates a group for daemons and returns its directory.
    pub fn make_daemons(&self, lab: &str, name: &str) -> Result<PathBuf> {
        let directory = self.tracking().join(lab).join(name);
        std::fs::create_dir_all(&directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        Ok(directory)
    }

    /// Creates the group of a node's pods in every hierarchy, and returns its name for the kubelet.
    pub fn make_pods(&self, lab: &str, name: &str) -> Result<String> {
        for root in self.roots() {
            let mut directory = root.to_path_buf();
            for part in [lab, name] {
                if let Self::Unified(_) = self {
                    enable_controllers(&directory)?;
                }
                let parent = directory.clone();
                directory.push(part);
                std::fs::create_dir_all(&directory)
                    .with_context(|| format!("cannot create {}", directory.display()))?;
                inherit_cpuset(&parent, &directory)?;
            }
        }
        Ok(format!("/{lab}/{name}"))
    }

    /// Every process in a group and the groups below it.
    pub fn members(&self, group: &str) -> Vec<Identity> {
        let mut members = Vec::new();
        collect_members(&self.tracking().join(group), &mut members);
        members
    }

    /// Stops every process of a group and removes the group in every hierarchy.
    pub fn remove(&self, group: &str, grace: Duration) -> Result<()> {
        // A process may start another while it is being stopped, so this is repeated.
        for _ in 0..5 {
            let members = self.members(group);
            if members.is_empty() {
                break;
            }
            end(&members, grace);
        }
        for root in self.roots() {
            let directory = root.join(group);
            // The kernel releases a group shortly after its last process has ended.
            let removed = wait_until(Duration::from_secs(10), || {
                remove_tree(&directory);
                !directory.exists()
            });
            anyhow::ensure!(removed, "the control group {} is still in use", directory.display());
        }
        Ok(())
    }
}

fn enable_controllers(directory: &Path) -> Result<()> {
    for controller in CONTROLLERS {
        std::fs::write(directory.join("cgroup.subtree_control"), format!("+{controller}")).with_context(
            || format!("cannot enable the controller {controller} in {}", directory.display()),
        )?;
    }
    Ok(())
}

/// In cgroup v1 a new cpuset is empty, and no process can run in it until it is filled.
fn inherit_cpuset(parent: &Path, child: &Path) -> Result<()> {
    for file in ["cpuset.cpus", "cpuset.mems"] {
        let (from, to) = (parent.join(file), child.join(file));
        if let (Ok(value), Ok(present)) = (std::fs::read_to_string(&from), std::fs::read_to_string(&to))
            && present.trim().is_empty()
            && !value.trim().is_empty()
        {
            std::fs::write(&to, value.trim()).with_context(|| format!("cannot write {}", to.display()))?;
        }
    }
    Ok(())
}

fn subdirectories(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(directory).ok().into_iter().flatten();
    entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir())
}

fn collect_members(directory: &Path, members: &mut Vec<Identity>) {
    let listed = std::fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
    members.extend(listed.lines().filter_map(|pid| Identity::of(pid.parse().ok()?)));
    for child in subdirectories(directory) {
        collect_members(&child, members);
    }
}

fn remove_tree(directory: &Path) {
    for child in subdirectories(directory) {
        remove_tree(&child);
    }
    let _ = std::fs::remove_dir(directory);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(point: &str, kind: &str, options: &[&str]) -> Mount {
        let options = options.iter().map(|&option| option.into()).collect();
        Mount { point: point.into(), device: "0:0".into(), kind: kind.into(), options }
    }

    #[test]
    fn one_hierarchy_and_several_are_recognized() {
        let unified = [mount("/sys/fs/cgroup", "cgroup2", &["rw"])];
        assert_eq!(Hierarchies::from_mounts(&unified), Some(Hierarchies::Unified("/sys/fs/cgroup".into())));

        let separate = [
            mount("/sys/fs/cgroup", "tmpfs", &["rw"]),
            mount("/sys/fs/cgroup/memory", "cgroup", &["rw", "memory"]),
            mount("/sys/fs/cgroup/pids", "cgroup", &["rw", "pids"]),
            mount("/sys/fs/cgroup/unified", "cgroup2", &["rw"]),
        ];
        let found = Hierarchies::from_mounts(&separate).unwrap();
        assert_eq!(found.tracking(), Path::new("/sys/fs/cgroup/pids"));
        assert_eq!(found.missing(), ["cpu", "cpuset"]);
        assert_eq!(Hierarchies::from_mounts(&[]), None);
    }
}
