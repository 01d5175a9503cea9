//! What is applied to a cluster, as files: definitions, roles, and everything in one.

mod definitions;
mod install;
mod role;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

/// Directories that hold nothing but these files.
pub(crate) const OWNED: [&str; 2] = ["deploy", "deploy/crds"];

/// What every generated manifest begins with.
const HEADING: &str = "# Written by `make gen`; do not edit.\n";

/// Every manifest, path to content.
pub(crate) fn files() -> Result<BTreeMap<PathBuf, String>> {
    let mut files = definitions::installed()?;
    let install = install::everything(files.values())?;
    files.extend(definitions::prepared()?);
    files.insert("deploy/install.yaml".into(), install);
    Ok(files)
}
