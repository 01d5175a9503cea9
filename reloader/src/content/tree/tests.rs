use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn digest(directories: &[&Path], except: Option<&Path>) -> Digest {
    let mut tree = Tree::new(except.map(Into::into));
    for directory in directories {
        tree.add(directory).unwrap();
    }
    tree.finish()
}

fn of(directory: &Path) -> Digest {
    digest(&[directory], None)
}

/// Replaces the files of a volume as the kubelet does: a new directory, a link renamed to `..data`, the old directory
/// removed.
fn swap(volume: &Path, stamp: &str, files: &[(&str, &str)]) {
    let old = fs::read_link(volume.join("..data")).ok();
    let new = volume.join(format!("..{stamp}"));
    for (name, text) in files {
        let path = new.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    symlink(format!("..{stamp}"), volume.join("..data_tmp")).unwrap();
    fs::rename(volume.join("..data_tmp"), volume.join("..data")).unwrap();
    for (name, _) in files {
        let first = Path::new(name).components().next().unwrap();
        let _ = symlink(Path::new("..data").join(first), volume.join(first));
    }
    if let Some(old) = old {
        fs::remove_dir_all(volume.join(old)).unwrap();
    }
}

#[test]
fn only_a_swap_to_other_content_changes_the_hash() {
    let directory = tempfile::tempdir().unwrap();
    let volume = directory.path();
    swap(volume, "1", &[("a.yaml", "a"), ("deep/b.yaml", "b")]);
    let first = of(volume);
    swap(volume, "2", &[("a.yaml", "a"), ("deep/b.yaml", "b")]);
    assert_eq!(of(volume), first);
    swap(volume, "3", &[("a.yaml", "a"), ("deep/b.yaml", "c")]);
    let deep = of(volume);
    assert_ne!(deep, first);
    swap(volume, "4", &[("a.yaml", "a"), ("deep/b.yaml", "c"), ("c.yaml", "")]);
    assert_ne!(of(volume), deep);
}

#[test]
fn a_file_is_removed_with_the_swap_and_not_with_its_link() {
    let directory = tempfile::tempdir().unwrap();
    let volume = directory.path();
    swap(volume, "1", &[("a.yaml", "a"), ("b.yaml", "b")]);
    let both = of(volume);
    swap(volume, "2", &[("a.yaml", "a")]);
    let one = of(volume);
    fs::remove_file(volume.join("b.yaml")).unwrap();
    assert_ne!(one, both);
    assert_eq!(of(volume), one);
}

#[test]
fn names_and_the_ends_of_files_are_hashed() {
    let make = |files: &[(&str, &str)]| {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let real = directory.path().canonicalize().unwrap();
        let mut tree = Tree::new(None);
        tree.walk(&real, &mut Vec::new()).unwrap();
        tree.finish()
    };
    let base = make(&[("a", "x"), ("b", "y")]);
    assert_eq!(make(&[("b", "y"), ("a", "x")]), base);
    assert_ne!(make(&[("a", "xb"), ("b", "y")]), base);
    assert_ne!(make(&[("a", "y"), ("b", "x")]), base);
    assert_ne!(make(&[("a", "x"), ("c", "y")]), base);
    assert_ne!(make(&[("ab", "xy")]), base);
}

#[test]
fn the_configuration_itself_is_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let volume = directory.path().canonicalize().unwrap();
    let config = volume.join("prometheus.yaml.gz");
    fs::write(&config, "1").unwrap();
    let (with, without) = (of(&volume), digest(&[&volume], Some(&config)));
    fs::write(&config, "2").unwrap();
    assert_ne!(of(&volume), with);
    assert_eq!(digest(&[&volume], Some(&config)), without);
}

#[test]
fn dangling_links_and_cycles_are_not_errors() {
    let directory = tempfile::tempdir().unwrap();
    symlink("nowhere", directory.path().join("dangling")).unwrap();
    symlink(".", directory.path().join("cycle")).unwrap();
    let before = of(directory.path());
    fs::write(directory.path().join("nowhere"), "").unwrap();
    assert_ne!(of(directory.path()), before);
}

#[test]
fn a_missing_directory_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    assert!(Tree::new(None).add(&directory.path().join("absent")).is_err());
}
