//! The generated files: written by `gen`, committed, and compared by `gen --check`. They are never edited by hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lab::console::line;
use lab::paths::write_atomically;

use crate::{ChoreResult, environment, manifests, reference};

/// Directories that contain only generated files: anything else in them is obsolete.
fn owned() -> impl Iterator<Item = &'static str> {
    std::iter::once("docs/reference").chain(manifests::OWNED)
}

/// Every generated file, from path to content.
fn files() -> Result<BTreeMap<PathBuf, String>> {
    let mut files = manifests::files()?;
    files.insert("docs/reference/admission-webhook.md".into(), reference::admission_webhook());
    files.insert("docs/reference/lab.md".into(), reference::lab());
    files.insert("docs/reference/mainstay.md".into(), reference::mainstay());
    files.insert("docs/reference/metrics.md".into(), reference::metrics());
    Ok(files)
}

/// What is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Missing,
    Differs,
    Stale,
}

impl Fault {
    fn description(self) -> &'static str {
        match self {
            Self::Missing => "is missing",
            Self::Differs => "differs from what would be generated",
            Self::Stale => "is no longer generated",
        }
    }
}

/// Writes the files, or in check mode only prints which are missing, different or obsolete.
pub(crate) fn run(check: bool) -> Result<ChoreResult> {
    let (root, files) = (environment::workspace(), files()?);
    let faults = compare(&root, &files)?;
    for (path, fault) in &faults {
        let path = path.display();
        if check {
            line(format!("{path} {}: run `make gen`", fault.description()));
        } else if *fault == Fault::Stale {
            line(format!("removed {path}"));
        } else {
            line(format!("wrote {path}"));
        }
    }
    if check {
        return Ok(ChoreResult::of(faults.is_empty()));
    }
    for path in faults.keys() {
        let target = root.join(path);
        if let Some(content) = files.get(path) {
            write_atomically(&target, content)?;
        } else {
            std::fs::remove_file(&target).with_context(|| format!("cannot remove {}", target.display()))?;
        }
    }
    Ok(ChoreResult::Good)
}

fn compare(root: &Path, files: &BTreeMap<PathBuf, String>) -> Result<BTreeMap<PathBuf, Fault>> {
    let mut faults = BTreeMap::new();
    for (path, content) in files {
        match std::fs::read(root.join(path)) {
            Ok(found) if found == content.as_bytes() => {}
            Ok(_) => drop(faults.insert(path.clone(), Fault::Differs)),
            Err(_) => drop(faults.insert(path.clone(), Fault::Missing)),
        }
    }
    for directory in owned() {
        let Ok(entries) = std::fs::read_dir(root.join(directory)) else { continue };
        for entry in entries {
            let path =
                Path::new(directory).join(entry.context("a generated directory can be read")?.file_name());
            if !files.contains_key(&path) && !root.join(&path).is_dir() {
                faults.insert(path, Fault::Stale);
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_changed_and_stale_files_are_found() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str| PathBuf::from("docs/reference").join(name);
        for (name, content) in [("same.md", "same"), ("changed.md", "by hand"), ("stale.md", "old")] {
            write_atomically(&root.path().join(file(name)), content).unwrap();
        }
        let generated =
            ["same", "changed", "missing"].map(|name| (file(&format!("{name}.md")), name.to_owned()));
        let faults = compare(root.path(), &BTreeMap::from(generated)).unwrap();
        let expected = [
            (file("changed.md"), Fault::Differs),
            (file("missing.md"), Fault::Missing),
            (file("stale.md"), Fault::Stale),
        ];
        assert_eq!(faults, BTreeMap::from(expected));
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        assert_eq!(files().unwrap(), files().unwrap());
    }
}
