//! The volumes of claims: directories, and file systems of a fixed size on loop devices. Called by the provisioner
//! (create, grow, remove) and by `up` and `down` (`mount_all`, `release`). Every operation can be interrupted at any
//! point and repeated. An image is renamed to its final name only when it is complete.

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

/// How the size of a volume is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeKind {
    /// A directory. The size is not enforced.
    Directory,
    /// A separate XFS file system of exactly this size on a loop device.
    Sized,
}

/// `mkfs.xfs` rejects most smaller sizes.
const SMALLEST: u64 = 32 << 20;
/// Below this size `mkfs.xfs` needs the option `--unsupported`.
const SMALLEST_SUPPORTED: u64 = 300 << 20;
/// How long the kernel may take to detach a loop device after the last unmount.
const DETACH_LIMIT: Duration = Duration::from_secs(3);

impl VolumeKind {
    /// The size of a volume for a request of `requested` bytes.
    pub fn size_for(self, requested: u64) -> u64 {
        match self {
            Self::Directory => requested,
            Self::Sized => requested.max(SMALLEST),
        }
    }
}

/// The volumes of one lab: `<name>/` is mounted into pods; `<name>.img` is its file system, if it has a fixed size.
#[derive(Debug, Clone)]
pub struct Volumes {
    directory: PathBuf,
}

impl Volumes {
    /// The volumes in `directory`, which need not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The kernel reports files by their canonical paths.
    fn root(&self) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.directory)
            .and_then(|()| self.directory.canonicalize())
            .with_context(|| format!("cannot use {} for volumes", self.directory.display()))
    }

    /// Creates a volume of [`VolumeKind::size_for`] bytes that all users may write to, unless it exists, and returns
    /// its directory.
    pub fn create(&self, kind: VolumeKind, name: &str, bytes: u64) -> Result<PathBuf> {
        let root = self.root()?;
        let files = Files::of(&root, name)?;
        match kind {
            VolumeKind::Directory => files.make_writable()?,
            VolumeKind::Sized => {
                if !files.image.exists() {
                    files.make_image(kind.size_for(bytes))?;
                }
                files.mount()?;
            }
        }
        Ok(files.directory)
    }

    /// Expands a volume to at least `bytes` while it is in use, and returns its size. A volume never shrinks.
    pub fn grow(&self, name: &str, bytes: u64) -> Result<u64> {
        let root = self.root()?;
        let files = Files::of(&root, name)?;
        if !files.image.exists() {
            ensure!(files.directory.is_dir(), "there is no volume {name} to grow");
            return Ok(bytes);
        }
        let image = OpenOptions::new().write(true).open(&files.image).context("cannot open the image")?;
        let size = image.metadata().context("cannot read the size of the image")?.len().max(bytes);
        image.set_len(size).with_context(|| format!("cannot expand {}", files.image.display()))?;
        files.mount()?;
        for device in loop_device::on(loop_device::read()?, &files.image) {
            call("losetup").arg("-c").arg(&device.path).run()?;
        }
        call("xfs_growfs").arg(&files.directory).run()?;
        Ok(size)
    }

    /// Removes a volume and its data. A missing volume is not an error.
    pub fn remove(&self, name: &str) -> Result<()> {
        let root = self.root()?;
        let files = Files::of(&root, name)?;
        mounts::release(&files.directory, &BTreeSet::new())?;
        detach(&files.image)?;
        remove_file(&files.image)?;
        remove_file(&files.draft)?;
        remove_all(&files.directory)
    }

    /// Mounts every image that is not mounted: after a restart of the lab or of the machine, before the first kubelet
    /// starts. If one fails, the others are mounted nevertheless.
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

    /// Unmounts everything below the directory and detaches the loop devices, but keeps the data. Mounts of these file
    /// systems elsewhere (by a kubelet, for its pods) are unmounted too. The kernel detaches a device that is still
    /// open when its last user closes it.
    pub fn release(&self) -> Result<()> {
        let root = self.directory.canonicalize().or_else(|_| std::path::absolute(&self.directory))?;
        let devices = loop_device::on(loop_device::read()?, &root);
        mounts::release(&root, &devices.into_iter().map(|device| device.number).collect())?;
        detach(&root)
    }

    /// The loop devices whose files belong to these volumes, including deleted files.
    pub fn loop_devices(&self) -> Result<Vec<PathBuf>> {
        let root = self.directory.canonicalize().or_else(|_| std::path::absolute(&self.directory))?;
        Ok(loop_device::on(loop_device::read()?, &root).into_iter().map(|device| device.path).collect())
    }
}

/// The paths of one volume.
struct Files {
    directory: PathBuf,
    image: PathBuf,
    draft: PathBuf,
}

impl Files {
    /// Names come from the API, so names that could leave the directory or collide with an image are rejected.
    fn of(root: &Path, name: &str) -> Result<Self> {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        ensure!(plain, "{name:?} is not a valid name of a volume");
        Ok(Self {
            directory: root.join(name),
            image: root.join(format!("{name}.img")),
            draft: root.join(format!("{name}.draft")),
        })
    }

    /// The image gets its final name when the file system is complete and on disk. A leftover draft is replaced, and a
    /// failed one is removed.
    fn make_image(&self, bytes: u64) -> Result<()> {
        remove_file(&self.draft)?;
        let created = self.make_draft(bytes).and_then(|()| Ok(std::fs::rename(&self.draft, &self.image)?));
        if created.is_err() {
            remove_file(&self.draft)?;
        }
        created.with_context(|| format!("cannot create the image {}", self.image.display()))
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
        self.make_writable()
    }

    /// Pods can run as any user.
    fn make_writable(&self) -> Result<()> {
        std::fs::create_dir_all(&self.directory)
            .and_then(|()| std::fs::set_permissions(&self.directory, Permissions::from_mode(0o777)))
            .with_context(|| format!("cannot make {} writable for all users", self.directory.display()))
    }
}

/// Detaches the loop devices whose files are at or below `path`. The kernel detaches a busy device after its last user.
fn detach(path: &Path) -> Result<()> {
    let left = || loop_device::read().map(|devices| loop_device::on(devices, path));
    for device in left()? {
        // Most are detached by the unmount, and some after they were listed.
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
    fn a_directory_is_writable_for_all_and_has_no_limit() {
        let directory = tempfile::tempdir().unwrap();
        let volumes = Volumes::at(directory.path().join("volumes"));
        let path = volumes.create(VolumeKind::Directory, "pvc-1", 1).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o777);
        assert_eq!(volumes.create(VolumeKind::Directory, "pvc-1", 1).unwrap(), path);
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
            assert_eq!(error, format!("{name:?} is not a valid name of a volume"));
        }
    }

    #[test]
    fn small_sizes_are_rounded_up_only_for_sized_volumes() {
        assert_eq!(VolumeKind::Directory.size_for(1), 1);
        assert_eq!(VolumeKind::Sized.size_for(1), 32 << 20);
        assert_eq!(VolumeKind::Sized.size_for(100 << 20), 100 << 20);
    }
}
