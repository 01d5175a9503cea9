//! Which loop device belongs to which file. Called by the volumes, which detach and resize them. This reads sysfs and
//! not the output of `losetup`, because sysfs also shows deleted files.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A loop device with its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoopDevice {
    /// The device, `/dev/loop3`.
    pub(crate) path: PathBuf,
    /// Its number as in the table of mounts, `7:3`.
    pub(crate) number: String,
    /// Its file, which may have been deleted.
    pub(crate) file: PathBuf,
}

/// All loop devices that have a file.
pub(crate) fn read() -> Result<Vec<LoopDevice>> {
    let mut devices = Vec::new();
    for entry in std::fs::read_dir("/sys/block").context("cannot read the block devices")? {
        let entry = entry.context("cannot read the block devices")?;
        // A device that is detached meanwhile has lost one of these files.
        let (Ok(file), Ok(number)) = (
            std::fs::read(entry.path().join("loop/backing_file")),
            std::fs::read_to_string(entry.path().join("dev")),
        ) else {
            continue;
        };
        devices.push(LoopDevice {
            path: Path::new("/dev").join(entry.file_name()),
            number: number.trim().to_owned(),
            file: backing_file(&file),
        });
    }
    devices.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(devices)
}

/// The path in a `backing_file`, without the mark that the kernel adds when the file is deleted.
fn backing_file(content: &[u8]) -> PathBuf {
    let line = content.strip_suffix(b"\n").unwrap_or(content);
    let path = line.strip_suffix(b" (deleted)").unwrap_or(line);
    PathBuf::from(OsString::from_vec(path.to_vec()))
}

/// Those of `devices` whose file is at or below `path`.
pub(crate) fn on(devices: Vec<LoopDevice>, path: &Path) -> Vec<LoopDevice> {
    devices.into_iter().filter(|device| device.file.starts_with(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, content: &[u8]) -> LoopDevice {
        LoopDevice {
            path: Path::new("/dev").join(name),
            number: format!("7:{}", name.trim_start_matches("loop")),
            file: backing_file(content),
        }
    }

    #[test]
    fn deleted_files_are_found_and_other_directories_ignored() {
        let devices = vec![
            device("loop0", b"/lab/volumes/pvc-1.img\n"),
            device("loop1", b"/lab/volumes/pvc 2.img (deleted)\n"),
            device("loop2", b"/lab/volumes-of-another/pvc-1.img\n"),
        ];
        let found: Vec<PathBuf> =
            on(devices, Path::new("/lab/volumes")).into_iter().map(|device| device.file).collect();
        assert_eq!(found, ["/lab/volumes/pvc-1.img", "/lab/volumes/pvc 2.img"].map(PathBuf::from));
    }
}
