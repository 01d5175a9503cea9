//! Where things are kept: the cache (what was built, shared by all labs and checkouts) and the state (one directory
//! a lab). The only reader of the environment in this crate.

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

/// Whether this process is root: only root runs pods.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The root of this workspace, for building our own binaries into images.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the lab crate lies in the workspace")
}

/// Where cargo puts what it builds from this workspace.
pub(crate) fn cargo_target() -> PathBuf {
    variable("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// What was built once and serves every lab. Losing it costs time and nothing else.
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

    /// A cache in a directory of the caller's choice.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// The directory itself.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// Built programs, a directory each.
    pub fn programs(&self) -> PathBuf {
        self.0.join("lab/programs")
    }

    /// Build trees that a build leaves behind for the next one.
    pub fn build(&self) -> PathBuf {
        self.0.join("lab/build")
    }

    /// The registry's blobs and names.
    pub fn images(&self) -> PathBuf {
        self.0.join("lab/images")
    }
}

/// The directory below which each lab has one of its own.
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

/// Writes a file whole or not at all: a reader sees the old content or the new one.
pub fn write_atomically(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let directory = path.parent().context("a file has a directory")?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    std::fs::write(&draft, content).with_context(|| format!("cannot write {}", draft.display()))?;
    std::fs::rename(&draft, path).with_context(|| format!("cannot put {} in place", path.display()))
}

/// Removes a directory and all below it; absent is fine.
pub fn remove_all(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
