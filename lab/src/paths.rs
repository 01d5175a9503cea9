//! The paths of the cache (shared by all labs and checkouts) and of the state (one directory per lab). The only module
//! of this crate that reads the environment.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

#[expect(clippy::disallowed_methods, reason = "this is where the crate reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The caller's search path for programs.
pub(crate) fn search_path() -> String {
    variable("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

fn home() -> PathBuf {
    variable("HOME").map_or_else(std::env::temp_dir, PathBuf::from)
}

/// Whether this process runs as root, which pods need.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The root of this workspace, for building our own binaries into images.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the lab crate is in the workspace")
}

/// Where cargo puts what it builds from this workspace.
pub(crate) fn cargo_target() -> PathBuf {
    variable("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// Built programs and images, shared by all labs. It can be deleted: everything is built again.
#[derive(Debug, Clone)]
pub struct Cache(PathBuf);

impl Cache {
    /// `MAINSTAY_CACHE`, else the user's cache directory.
    pub fn of_user() -> Self {
        Self(variable("MAINSTAY_CACHE").map_or_else(
            || {
                variable("XDG_CACHE_HOME")
                    .map_or_else(|| home().join(".cache"), PathBuf::from)
                    .join("mainstay")
            },
            PathBuf::from,
        ))
    }

    /// A cache in this directory.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// The directory itself.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// The directory of built programs, with one directory for each.
    pub fn programs(&self) -> PathBuf {
        self.0.join("lab/programs")
    }

    /// The directory of build trees; an interrupted build leaves its tree behind.
    pub fn build(&self) -> PathBuf {
        self.0.join("lab/build")
    }

    /// The registry's blobs and names.
    pub fn images(&self) -> PathBuf {
        self.0.join("lab/images")
    }
}

/// The directory that contains the directories of all labs.
pub fn state_root() -> PathBuf {
    variable("MAINSTAY_LAB_STATE").map_or_else(
        || {
            if is_root() {
                PathBuf::from("/var/lib/mainstay-lab")
            } else {
                variable("XDG_STATE_HOME")
                    .map_or_else(|| home().join(".local/state"), PathBuf::from)
                    .join("mainstay-lab")
            }
        },
        PathBuf::from,
    )
}

/// Writes a file atomically: a reader sees either the old content or the new one.
pub fn write_atomically(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let directory = path.parent().context("a file has a directory")?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    std::fs::write(&draft, content).with_context(|| format!("cannot write {}", draft.display()))?;
    std::fs::rename(&draft, path).with_context(|| format!("cannot put {} in place", path.display()))
}

/// Removes a directory and its contents. A missing directory is not an error.
pub fn remove_all(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
