//! The volumes on real loop devices. Needs root, `mkfs.xfs` and loop devices; says so where it cannot run.
//! Whatever fails, dropping the test's state leaves no mount, no loop device and no file.

use std::fs;
use std::io::{ErrorKind, Write};

use super::*;
use crate::console;

struct Scene {
    volumes: Volumes,
    directory: tempfile::TempDir,
}

impl Scene {
    /// A scene of its own, or the reason why this machine has none.
    fn set() -> Result<Self, &'static str> {
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

impl Drop for Scene {
    fn drop(&mut self) {
        if let Err(error) = self.volumes.release() {
            console::note(format!("the volumes of a test are still there: {error:#}"));
        }
    }
}

macro_rules! scene {
    () => {
        match Scene::set() {
            Ok(scene) => scene,
            Err(reason) => {
                console::line(format!("SKIPPED: {reason}"));
                return;
            }
        }
    };
}

/// Writes until the file system is full and gives back how many MiB fitted.
fn fill(path: &Path) -> usize {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    let block = vec![7; 1 << 20];
    for written in 0..1000 {
        if let Err(error) = file.write_all(&block).and_then(|()| file.sync_data()) {
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
            return written;
        }
    }
    panic!("a volume with a size took 1000 MiB");
}

#[test]
fn a_full_volume_is_full_alone_and_grows_in_use() {
    let scene = scene!();
    let volumes = &scene.volumes;
    let full = volumes.create(Kind::Sized, "full", 48 << 20).unwrap();
    let other = volumes.create(Kind::Sized, "other", 1).unwrap();
    assert_eq!(fs::metadata(full.with_extension("img")).unwrap().len(), 48 << 20);
    assert_eq!(fs::metadata(other.with_extension("img")).unwrap().len(), SMALLEST);
    assert_eq!(fs::metadata(&full).unwrap().permissions().mode() & 0o7777, 0o777);

    let fitted = fill(&full.join("data"));
    assert!((20..48).contains(&fitted), "{fitted} MiB in a volume of 48");
    fs::write(other.join("data"), "there is room here").unwrap();

    assert_eq!(volumes.grow("full", 96 << 20).unwrap(), 96 << 20);
    let more = fill(&full.join("more"));
    assert!((30..60).contains(&more), "{more} MiB more after growing by 48");
    assert_eq!(volumes.grow("full", 64 << 20).unwrap(), 96 << 20, "nothing shrinks");

    volumes.remove("full").unwrap();
    volumes.remove("full").unwrap();
    assert!(!full.exists() && !full.with_extension("img").exists());
    assert_eq!((scene.mounts(), volumes.loop_devices().unwrap().len()), (1, 1));
}

#[test]
fn a_release_leaves_only_data_and_mounting_finds_it_again() {
    let scene = scene!();
    let volumes = &scene.volumes;
    let kept = volumes.create(Kind::Sized, "kept", SMALLEST).unwrap();
    let busy = volumes.create(Kind::Sized, "busy", SMALLEST).unwrap();
    fs::write(kept.join("data"), "kept").unwrap();
    let elsewhere = scene.directory.path().join("pod of a kubelet");
    fs::create_dir(&elsewhere).unwrap();
    call("mount").arg("--bind").arg(&kept).arg(&elsewhere).run().unwrap();
    call("mount").arg("--bind").arg(&kept).arg(&busy).run().unwrap();
    let open = File::create(elsewhere.join("open")).unwrap();
    assert_eq!((scene.mounts(), volumes.loop_devices().unwrap().len()), (4, 2));

    // A file that stays open keeps its device until it is closed, and must not keep the rest.
    volumes.release().unwrap();
    assert_eq!(scene.mounts(), 0);
    drop(open);
    volumes.release().unwrap();
    assert_eq!(volumes.loop_devices().unwrap(), Vec::<PathBuf>::new());

    volumes.mount_all().unwrap();
    volumes.mount_all().unwrap();
    assert_eq!(fs::read_to_string(kept.join("data")).unwrap(), "kept");
    assert_eq!((scene.mounts(), volumes.loop_devices().unwrap().len()), (2, 2));

    // Deleting images under mounted file systems is rude, and still no reason to keep the devices.
    fs::remove_file(kept.with_extension("img")).unwrap();
    volumes.release().unwrap();
    assert_eq!((scene.mounts(), volumes.loop_devices().unwrap().len()), (0, 0));
}

#[test]
fn a_half_made_image_is_made_again_and_a_whole_one_mounted_again() {
    let scene = scene!();
    let volumes = &scene.volumes;
    let root = volumes.root().unwrap();
    fs::write(root.join("half.draft"), "interrupted").unwrap();
    let half = volumes.create(Kind::Sized, "half", SMALLEST).unwrap();
    fs::write(half.join("data"), "once").unwrap();
    call("umount").arg(&half).run().unwrap();
    assert_eq!(volumes.create(Kind::Sized, "half", SMALLEST).unwrap(), half);
    assert_eq!(volumes.create(Kind::Sized, "half", SMALLEST).unwrap(), half);
    assert_eq!(fs::read_to_string(half.join("data")).unwrap(), "once");
    assert_eq!(scene.mounts(), 1);
    assert!(!root.join("half.draft").exists());
}

#[test]
fn an_image_that_cannot_be_made_leaves_nothing() {
    let scene = scene!();
    let error = scene.volumes.create(Kind::Sized, "huge", u64::MAX).unwrap_err();
    assert!(error.to_string().starts_with("cannot make the image"), "{error:#}");
    assert_eq!(scene.volumes.loop_devices().unwrap(), Vec::<PathBuf>::new());
    assert_eq!(fs::read_dir(scene.volumes.root().unwrap()).unwrap().count(), 0);
}
