//! Our own binaries.

use std::path::Path;

use anyhow::{Context, Result};

use crate::paths;
use crate::shell::call;
use crate::versions::CargoBinary;

/// Builds a binary of this workspace and copies it.
pub(super) fn build(recipe: &CargoBinary, output: &Path) -> Result<()> {
    call("cargo")
        .directory(paths::workspace())
        .args([
            "build",
            "--quiet",
            "--package",
            &recipe.package,
            "--bin",
            &recipe.binary,
            "--profile",
            &recipe.profile,
        ])
        .run()?;
    // Cargo calls the directory of its `dev` profile `debug`.
    let directory = if recipe.profile == "dev" { "debug" } else { &recipe.profile };
    let built = paths::cargo_target().join(directory).join(&recipe.binary);
    let copy = output.join(&recipe.binary);
    std::fs::copy(&built, &copy).with_context(|| format!("cargo built no {}", built.display()))?;
    // Half of what cargo builds for development is for a debugger.
    call("strip").arg("--strip-debug").arg(&copy).run()
}
