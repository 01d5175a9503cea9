//! Tests of volumes on real loop devices. They need root, `mkfs.xfs` and loop devices, and print `SKIPPED` without
//! them. Dropping a [`TestVolumes`] removes its mounts, loop devices and files, also after a failure.

use std::fs;
use std::io::{ErrorKind, Write};

use super::*;
use crate::console;

struct TestVolumes {
    volumes: Volumes,
    directory: tempfile::TempDir,
}

impl TestVolumes {
    /// Volumes in a temporary directory, or the reason why this machine does not support them.
    fn create() -> Result<Self, &'static str> {
        if !crate::paths::is_root() {
            return Err("this is not root");
        }
        if !call("mkfs.xfs").arg("-V").succeeds() {
            return Err("there is no mkfs.xfs");
        }
        if !Path::new("/dev/loop-control").exists() {
            return Err("there are no loop devices");
        }
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        Ok(Self { volumes: Volumes::at(directory.path().join("volumes")), directory })
    }

    fn mounts(&self) -> usize {
        let root = self.directory.path().canonicalize().unwrap();
        mounts::all().unwrap().iter().filter(|mount| mount.point.starts_with(&root)).count()
    }
}

impl Drop for TestVolumes {
    fn drop(&mut self) {
        if let Err(error) = self.volumes.release() {
            console::note(format!("the volumes of a test are still there: {error:#}"));
        }
    }
}

macro_rules! test_volumes {
    () => {
        match TestVolumes::create() {
            Ok(test) => test,
            Err(reason) => {
                console::line(format!("SKIPPED: {reason}"));
                return;
            }
        }
    };
}

/// Writes until the file system is full and returns how many MiB fit.
fn fill(path: &Path) -> usize {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    let block = vec![7; 1 << 20];
    for written in 0..1000 {
        if let Err(error) = file.write_all(&block).and_then(|()| file.sync_data()) {
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
            return written;
        }
    }
    panic!("a volume of a fixed size accepted 1000 MiB");
}

#[test]
fn a_full_volume_affects_no_other_and_grows_in_use() {
    let test = test_volumes!();
    let volumes = &test.volumes;
    let full = volumes.create(VolumeKind::Sized, "full", 48 << 20).unwrap();
    let other = volumes.create(VolumeKind::Sized, "other", 1).unwrap();
    assert_eq!(fs::metadata(full.with_extension("img")).unwrap().len(), 48 << 20);
    assert_eq!(fs::metadata(other.with_extension("img")).unwrap().len(), SMALLEST);
    assert_eq!(fs::metadata(&full).unwrap().permissions().mode() & 0o7777, 0o777);

    let fitted = fill(&full.join("data"));
    assert!((20..48).contains(&fitted), "{fitted} MiB in a volume of 48");
    fs::write(other.join("data"), "there is room here").unwrap();

    assert_eq!(volumes.grow("full", 96 << 20).unwrap(), 96 << 20);
    let more = fill(&full.join("more"));
    assert!((30..60).contains(&more), "{more} MiB more after growing by 48");
    assert_eq!(volumes.grow("full", 64 << 20).unwrap(), 96 << 20, "a volume does not shrink");

    volumes.remove("full").unwrap();
    volumes.remove("full").unwrap();
    assert!(!full.exists() && !full.with_extension("img").exists());
    assert_eq!((test.mounts(), volumes.loop_devices().unwrap().len()), (1, 1));
}

#[test]
fn a_release_keeps_the_data_for_the_next_mount() {
    let test = test_volumes!();
    let volumes = &test.volumes;
    let kept = volumes.create(VolumeKind::Sized, "kept", SMALLEST).unwrap();
    let busy = volumes.create(VolumeKind::Sized, "busy", SMALLEST).unwrap();
    fs::write(kept.join("data"), "kept").unwrap();
    let elsewhere = test.directory.path().join("pod of a kubelet");
    fs::create_dir(&elsewhere).unwrap();
    call("mount").arg("--bind").arg(&kept).arg(&elsewhere).run().unwrap();
    call("mount").arg("--bind").arg(&kept).arg(&busy).run().unwrap();
    let open = File::create(elsewhere.join("open")).unwrap();
    assert_eq!((test.mounts(), volumes.loop_devices().unwrap().len()), (4, 2));

    // An open file keeps its own device attached, but no other.
    volumes.release().unwrap();
    assert_eq!(test.mounts(), 0);
    drop(open);
    volumes.release().unwrap();
    assert_eq!(volumes.loop_devices().unwrap(), Vec::<PathBuf>::new());

    volumes.mount_all().unwrap();
    volumes.mount_all().unwrap();
    assert_eq!(fs::read_to_string(kept.join("data")).unwrap(), "kept");
    assert_eq!((test.mounts(), volumes.loop_devices().unwrap().len()), (2, 2));

    // Devices are detached even if their images were deleted while they were mounted.
    fs::remove_file(kept.with_extension("img")).unwrap();
    volumes.release().unwrap();
    assert_eq!((test.mounts(), volumes.loop_devices().unwrap().len()), (0, 0));
}

#[test]
fn an_incomplete_image_is_replaced_and_a_complete_one_mounted() {
    let test = test_volumes!();
    let volumes = &test.volumes;
    let root = volumes.root().unwrap();
    fs::write(root.join("half.draft"), "interrupted").unwrap();
    let half = volumes.create(VolumeKind::Sized, "half", SMALLEST).unwrap();
    fs::write(half.join("data"), "once").unwrap();
    call("umount").arg(&half).run().unwrap();
    assert_eq!(volumes.create(VolumeKind::Sized, "half", SMALLEST).unwrap(), half);
    assert_eq!(volumes.create(VolumeKind::Sized, "half", SMALLEST).unwrap(), half);
    assert_eq!(fs::read_to_string(half.join("data")).unwrap(), "once");
    assert_eq!(test.mounts(), 1);
    assert!(!root.join("half.draft").exists());
}

#[test]
fn a_failed_image_leaves_nothing() {
    let test = test_volumes!();
    let error = test.volumes.create(VolumeKind::Sized, "huge", u64::MAX).unwrap_err();
    assert!(error.to_string().starts_with("cannot create the image"), "{error:#}");
    assert_eq!(test.volumes.loop_devices().unwrap(), Vec::<PathBuf>::new());
    assert_eq!(fs::read_dir(test.volumes.root().unwrap()).unwrap().count(), 0);
}
