//! The directories behind claims: plain ones, and file systems of a real size on loop devices.
//! Called by the provisioner (create, grow, remove) and by `up` and `down` (`mount_all`, `release`).
//! Every operation may die at any point and be called again; an image under its own name is always a whole one.

mod loop_device;
#[cfg(test)]
mod real_devices;

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::clock;
use crate::mounts;
use crate::paths::remove_all;
use crate::shell::call;

/// How a volume keeps its promise of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A directory of the machine's disk. The size is a number and no limit.
    Directory,
    /// An XFS file system of its own on a loop device: full is full, for this volume alone.
    Sized,
}

/// Smaller file systems are not worth their own bookkeeping, and `mkfs.xfs` refuses most of them.
const SMALLEST: u64 = 32 << 20;
/// Below this `mkfs.xfs` wants to be told that we know what we do.
const SMALLEST_SUPPORTED: u64 = 300 << 20;
/// How long the kernel may take to give a loop device back after its last unmount.
const DETACH_LIMIT: Duration = Duration::from_secs(3);

impl Kind {
    /// The size that a volume gets when `asked` bytes are asked for.
    pub fn bytes_made(self, asked: u64) -> u64 {
        match self {
            Self::Directory => asked,
            Self::Sized => asked.max(SMALLEST),
        }
    }
}

/// The volumes of one lab: `<name>/` is what a pod gets, `<name>.img` the file system in it, where it has a size.
#[derive(Debug, Clone)]
pub struct Volumes {
    directory: PathBuf,
}

impl Volumes {
    /// The volumes in `directory`, which need not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The kernel names files by their real paths, so we must too.
    fn root(&self) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.directory)
            .and_then(|()| self.directory.canonicalize())
            .with_context(|| format!("cannot use {} for volumes", self.directory.display()))
    }

    /// Makes a volume of [`Kind::bytes_made`] bytes that anybody may write to, or finds it made, and gives back its
    /// directory.
    pub fn create(&self, kind: Kind, name: &str, bytes: u64) -> Result<PathBuf> {
        let root = self.root()?;
        let files = Files::of(&root, name)?;
        match kind {
            Kind::Directory => files.open_to_all()?,
            Kind::Sized => {
                if !files.image.exists() {
                    files.make_image(kind.bytes_made(bytes))?;
                }
                files.mount()?;
            }
        }
        Ok(files.directory)
    }

    /// Makes a volume at least `bytes` large while it is in use, and gives back its size. Never makes one smaller.
    pub fn grow(&self, name: &str, bytes: u64) -> Result<u64> {
        let root = self.root()?;
        let files = Files::of(&root, name)?;
        if !files.image.exists() {
            ensure!(files.directory.is_dir(), "there is no volume {name} to grow");
            return Ok(bytes);
        }
        let image = OpenOptions::new().write(true).open(&files.image).context("cannot open the image")?;
        let size = image.metadata().context("cannot read the size of the image")?.len().max(bytes);
        image.set_len(size).with_context(|| format!("cannot make {} larger", files.image.display()))?;
        files.mount()?;
        for device in loop_device::on(loop_device::read()?, &files.image) {
            call("losetup").arg("-c").arg(&device.path).run()?;
        }
        call("xfs_growfs").arg(&files.directory).run()?;
        Ok(size)
    }

    /// Removes a volume and all data in it; absent is fine.
    pub fn remove(&self, name: &str) -> Result<()> {
        let root = self.root()?;
        let files = Files::of(&root, name)?;
        mounts::release(&files.directory, &BTreeSet::new())?;
        detach(&files.image)?;
        remove_file(&files.image)?;
        remove_file(&files.draft)?;
        remove_all(&files.directory)
    }

    /// Mounts every image that is there and not mounted: after a restart of the lab or of the machine, before the
    /// first kubelet runs. A broken one does not keep the others from being mounted.
    pub fn mount_all(&self) -> Result<()> {
        let root = self.root()?;
        let mut failures = Vec::new();
        for entry in std::fs::read_dir(&root).context("cannot list the volumes")? {
            let path = entry.context("cannot list the volumes")?.path();
            if path.extension().is_none_or(|extension| extension != "img") {
                continue;
            }
            let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if let Err(error) = Files::of(&root, name).and_then(|files| files.mount()) {
                failures.push(format!("{error:#}"));
            }
        }
        if !failures.is_empty() {
            bail!("some volumes cannot be mounted: {}", failures.join("; "));
        }
        Ok(())
    }

    /// Lets go of the machine: nothing below the directory stays mounted, no loop device stays attached. The data
    /// stays. Mounts of our file systems elsewhere (a kubelet's, for its pods) go with them; a device that somebody
    /// still holds open is given back by the kernel when he lets go.
    pub fn release(&self) -> Result<()> {
        let root = self.directory.canonicalize().or_else(|_| std::path::absolute(&self.directory))?;
        let devices = loop_device::on(loop_device::read()?, &root);
        mounts::release(&root, &devices.into_iter().map(|device| device.number).collect())?;
        detach(&root)
    }

    /// The loop devices that stand on files of these volumes, deleted ones included.
    pub fn loop_devices(&self) -> Result<Vec<PathBuf>> {
        let root = self.directory.canonicalize().or_else(|_| std::path::absolute(&self.directory))?;
        Ok(loop_device::on(loop_device::read()?, &root).into_iter().map(|device| device.path).collect())
    }
}

/// Where the parts of one volume lie.
struct Files {
    directory: PathBuf,
    image: PathBuf,
    draft: PathBuf,
}

impl Files {
    /// Names come out of the API: whatever could leave the directory or meet the name of an image is refused.
    fn of(root: &Path, name: &str) -> Result<Self> {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        ensure!(plain, "{name:?} is no name of a volume of this lab");
        Ok(Self {
            directory: root.join(name),
            image: root.join(format!("{name}.img")),
            draft: root.join(format!("{name}.draft")),
        })
    }

    /// The image gets its name only when the file system in it is whole and on disk; a draft is started over, and
    /// one that fails does not keep the space that others need.
    fn make_image(&self, bytes: u64) -> Result<()> {
        remove_file(&self.draft)?;
        let made = self.make_draft(bytes).and_then(|()| Ok(std::fs::rename(&self.draft, &self.image)?));
        if made.is_err() {
            remove_file(&self.draft)?;
        }
        made.with_context(|| format!("cannot make the image {}", self.image.display()))
    }

    fn make_draft(&self, bytes: u64) -> Result<()> {
        let draft = File::create_new(&self.draft)?;
        draft.set_len(bytes)?;
        let unsupported = (bytes < SMALLEST_SUPPORTED).then_some("--unsupported");
        call("mkfs.xfs").arg("-q").args(unsupported).arg(&self.draft).run()?;
        Ok(draft.sync_all()?)
    }

    fn mount(&self) -> Result<()> {
        std::fs::create_dir_all(&self.directory)
            .with_context(|| format!("cannot create {}", self.directory.display()))?;
        if !mounts::all()?.iter().any(|mount| mount.point == self.directory) {
            call("mount").words("-t xfs -o loop").arg(&self.image).arg(&self.directory).run()?;
        }
        self.open_to_all()
    }

    /// Pods run as whatever user they like.
    fn open_to_all(&self) -> Result<()> {
        std::fs::create_dir_all(&self.directory)
            .and_then(|()| std::fs::set_permissions(&self.directory, Permissions::from_mode(0o777)))
            .with_context(|| format!("cannot open {} to all users", self.directory.display()))
    }
}

/// Gives back the loop devices that stand on `path` or below it. One in use is given back after its last user.
fn detach(path: &Path) -> Result<()> {
    let left = || loop_device::read().map(|devices| loop_device::on(devices, path));
    for device in left()? {
        // Most are gone by themselves after the unmount, some between our look and our call.
        call("losetup").arg("-d").arg(&device.path).succeeds();
    }
    clock::wait_until(DETACH_LIMIT, || left().is_ok_and(|devices| devices.is_empty()));
    Ok(())
}

fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_open_to_all_and_has_no_limit() {
        let directory = tempfile::tempdir().unwrap();
        let volumes = Volumes::at(directory.path().join("volumes"));
        let path = volumes.create(Kind::Directory, "pvc-1", 1).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o777);
        assert_eq!(volumes.create(Kind::Directory, "pvc-1", 1).unwrap(), path);
        assert_eq!(volumes.grow("pvc-1", 5).unwrap(), 5);
        volumes.remove("pvc-1").unwrap();
        assert!(!path.exists());
        assert_eq!(volumes.grow("pvc-1", 5).unwrap_err().to_string(), "there is no volume pvc-1 to grow");
    }

    #[test]
    fn a_name_cannot_leave_the_directory() {
        let directory = tempfile::tempdir().unwrap();
        let volumes = Volumes::at(directory.path());
        for name in ["", ".", "..", "../x", "/etc", "a/b", "pvc-1.img"] {
            let error = volumes.remove(name).unwrap_err().to_string();
            assert_eq!(error, format!("{name:?} is no name of a volume of this lab"));
        }
    }

    #[test]
    fn small_sizes_are_rounded_up_only_where_they_are_real() {
        assert_eq!(Kind::Directory.bytes_made(1), 1);
        assert_eq!(Kind::Sized.bytes_made(1), 32 << 20);
        assert_eq!(Kind::Sized.bytes_made(100 << 20), 100 << 20);
    }
}
