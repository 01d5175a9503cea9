//! Where the chores find themselves. The only reader of the environment in this crate.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

#[expect(clippy::disallowed_methods, reason = "this is where the crate reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The kubeconfig context that a person wants to use instead of a lab.
pub(crate) fn context() -> Option<String> {
    variable("MAINSTAY_CONTEXT")
}

/// The cargo that started us, so that one toolchain does everything.
pub(crate) fn cargo() -> PathBuf {
    variable("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// The root of the workspace. Asked at run time: where checkouts share a target directory, what was known at compile
/// time may be about another one.
pub(crate) fn workspace() -> PathBuf {
    let own = variable("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = own.as_deref().and_then(Path::parent).unwrap_or(lab::paths::workspace());
    root.to_owned()
}

/// The directory of the binaries of this build. Whatever told cargo where to build, we lie in it ourselves.
pub(crate) fn binaries() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where this program lies")?;
    Ok(own.parent().context("a program lies in a directory")?.to_owned())
}
