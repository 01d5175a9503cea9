//! Generated configurations, as files. Their path is `READER/VERSION/NAME.yaml`, in the output of the conformance run
//! and in every directory of the workspace with the name `configurations`. In the workspace they may also be snapshots
//! (`NAME.snap`), which have a header before the text.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use semver::Version;

/// The directories of golden files.
const GOLDEN: &str = "configurations";

/// The reader of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reader {
    /// Prometheus.
    Prometheus,
    /// Prometheus in agent mode, which accepts fewer fields.
    PrometheusAgent,
    /// Alertmanager.
    Alertmanager,
}

impl Reader {
    const ALL: [Self; 3] = [Self::Prometheus, Self::PrometheusAgent, Self::Alertmanager];

    /// The name of its directory.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Prometheus => "prometheus",
            Self::PrometheusAgent => "prometheus-agent",
            Self::Alertmanager => "alertmanager",
        }
    }
}

/// Where a configuration comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A case of the conformance run.
    Case,
    /// A golden file of this repository.
    Golden,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configuration {
    pub(crate) origin: Origin,
    pub(crate) reader: Reader,
    /// The version that it was generated for.
    pub(crate) version: Version,
    /// Its file name without extension.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Configuration {
    /// The case that generated it, without the version.
    pub(crate) fn case(&self) -> &str {
        self.name.split_once('@').map_or(&self.name, |(case, _)| case)
    }

    /// Its reader, version and name.
    pub(crate) fn shown(&self) -> String {
        format!("{}/{}/{}", self.reader.name(), self.version, self.name)
    }
}

/// All files below a directory, by reader, version and name.
pub(crate) fn below(directory: &Path, origin: Origin) -> Result<Vec<Configuration>> {
    let mut found = Vec::new();
    for versions in entries(directory)? {
        let reader = Reader::ALL.into_iter().find(|reader| versions.ends_with(reader.name()));
        let reader = reader.with_context(|| format!("{}: no program reads these", versions.display()))?;
        for files in entries(&versions)? {
            let version = Version::parse(&file_name(&files))
                .with_context(|| format!("{}: no version", files.display()))?;
            for path in entries(&files)? {
                let file = file_name(&path);
                let Some((name, ending @ ("yaml" | "snap"))) = file.rsplit_once('.') else { continue };
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                let text = if ending == "snap" { without_heading(&text).to_owned() } else { text };
                let (version, name) = (version.clone(), name.to_owned());
                found.push(Configuration { origin, reader, version, name, path, text });
            }
        }
    }
    Ok(found)
}

/// The golden files below a directory of sources.
pub(crate) fn golden(directory: &Path) -> Result<Vec<Configuration>> {
    let mut found = Vec::new();
    for path in entries(directory)?.into_iter().filter(|path| path.is_dir() && !path.is_symlink()) {
        let name = file_name(&path);
        if name == GOLDEN {
            found.extend(below(&path, Origin::Golden)?);
        } else if name != "target" && !name.starts_with('.') {
            found.extend(golden(&path)?);
        }
    }
    Ok(found)
}

/// The text of a snapshot.
fn without_heading(snapshot: &str) -> &str {
    let heading = snapshot.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    heading.map_or(snapshot, |(_, text)| text)
}

/// The entries of a directory, sorted.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut entries = read().with_context(|| format!("cannot read {}", directory.display()))?;
    entries.sort();
    Ok(entries)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use lab::paths::write_atomically;

    use super::*;

    #[test]
    fn golden_files_are_found_in_all_directories() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| write_atomically(&root.path().join(path), text).unwrap();
        write("room/src/configurations/prometheus-agent/3.0.0-rc.0/one@3.0.0-rc.0.yaml", "global: {}\n");
        write("room/src/configurations/prometheus-agent/3.0.0-rc.0/README.md", "");
        write("room/src/configurations/alertmanager/0.33.1/two.snap", "---\nsource: x\n---\nroute:\n");
        write("room/src/snapshots/prometheus/3.0.0/three.yaml", "");
        write("target/configurations/prometheus/3.0.0/four.yaml", "");
        let found = golden(root.path()).unwrap();
        let shown: Vec<(String, &str, &str)> =
            found.iter().map(|one| (one.shown(), one.case(), one.text.as_str())).collect();
        let expected = [
            ("alertmanager/0.33.1/two".to_owned(), "two", "route:\n"),
            ("prometheus-agent/3.0.0-rc.0/one@3.0.0-rc.0".to_owned(), "one", "global: {}\n"),
        ];
        assert_eq!(shown, expected);
        assert!(found.iter().all(|one| one.origin == Origin::Golden));
    }

    #[test]
    fn a_file_without_a_reader_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        write_atomically(&root.path().join("grafana/1.0.0/one.yaml"), "").unwrap();
        let error = below(root.path(), Origin::Case).unwrap_err().to_string();
        assert!(error.ends_with("grafana: no program reads these"), "{error}");
    }
}
