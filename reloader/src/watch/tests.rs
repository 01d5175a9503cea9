use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const LIMIT: Duration = Duration::from_secs(20);

fn watcher(config: Option<&Path>, directories: &[&Path]) -> Watcher {
    let directories: Vec<PathBuf> = directories.iter().map(|path| path.to_path_buf()).collect();
    let mut watcher = Watcher::new(config, &directories);
    assert!(watcher.renew().is_empty());
    watcher
}

/// Whether the preceding calls changed a relevant file. The kernel queues events before these calls return.
fn changed(watcher: &Watcher) -> bool {
    watcher.wait(Duration::ZERO).unwrap().changed
}

#[test]
fn only_the_rename_of_a_swap_is_a_change() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let watcher = watcher(None, &[path]);
    fs::create_dir(path.join("..2026_01_01")).unwrap();
    fs::write(path.join("..2026_01_01/rules.yaml"), "a").unwrap();
    symlink("..2026_01_01", path.join("..data_tmp")).unwrap();
    assert!(!changed(&watcher));
    fs::rename(path.join("..data_tmp"), path.join("..data")).unwrap();
    assert_eq!(watcher.wait(LIMIT).unwrap(), Events { count: 2, changed: true });
    fs::remove_dir_all(path.join("..2026_01_01")).unwrap();
    assert!(!changed(&watcher));
    symlink("..data/rules.yaml", path.join("rules.yaml")).unwrap();
    assert!(changed(&watcher));
    fs::remove_file(path.join("rules.yaml")).unwrap();
    assert!(changed(&watcher));
}

#[test]
fn other_files_in_the_directory_of_the_configuration_are_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config.yaml");
    let watcher = watcher(Some(&config), &[]);
    fs::write(directory.path().join("other.yaml"), "").unwrap();
    assert!(!changed(&watcher));
    fs::write(&config, "").unwrap();
    assert!(changed(&watcher));
    fs::write(directory.path().join("new"), "").unwrap();
    assert!(!changed(&watcher));
    fs::rename(directory.path().join("new"), &config).unwrap();
    assert!(changed(&watcher));
}

#[test]
fn the_directory_of_the_configuration_can_be_watched_too() {
    let directory = tempfile::tempdir().unwrap();
    let watcher = watcher(Some(&directory.path().join("config.yaml")), &[directory.path()]);
    assert_eq!(watcher.watches(), 1);
    fs::write(directory.path().join("other.yaml"), "").unwrap();
    assert!(changed(&watcher));
}

#[test]
fn a_new_file_is_a_change_when_it_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let watcher = watcher(None, &[directory.path()]);
    let file = fs::File::create(directory.path().join("rules.yaml")).unwrap();
    assert!(!changed(&watcher));
    drop(file);
    assert!(changed(&watcher));
    fs::hard_link(directory.path().join("rules.yaml"), directory.path().join("same.yaml")).unwrap();
    assert!(changed(&watcher));
}

#[test]
fn a_replaced_directory_is_watched_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rules");
    fs::create_dir(&path).unwrap();
    let mut watcher = watcher(None, &[&path]);
    fs::remove_dir(&path).unwrap();
    assert!(changed(&watcher));
    assert_eq!(watcher.renew().len(), 1);
    assert_eq!(watcher.renew().len(), 0, "reported once");
    assert_eq!(watcher.watches(), 0);
    fs::create_dir(&path).unwrap();
    assert!(watcher.renew().is_empty());
    fs::write(path.join("a.yaml"), "").unwrap();
    assert!(changed(&watcher));
}
