//! Our own binaries.

use std::path::Path;

use anyhow::{Context, Result};

use crate::paths;
use crate::shell::call;
use crate::versions::CargoBinary;

/// What standalone binaries are built for. It is named even though it is this machine, because macros are built too and
/// cannot be standalone; cargo keeps what is built for a named machine in a directory of its own.
const MACHINE: &str = "x86_64-unknown-linux-gnu";

/// Builds a binary of this workspace and copies it.
pub(super) fn build(recipe: &CargoBinary, output: &Path) -> Result<()> {
    let standalone = format!("target.{MACHINE}.rustflags=[\"-C\", \"target-feature=+crt-static\"]");
    let mut target = paths::cargo_target();
    // Features as the tests are built with, or cargo compiles again what they share; a program that is measured has none but
    // its own.
    let mut more = if recipe.profile == "dev" {
        vec!["--workspace", "--all-features"]
    } else {
        vec!["--package", &recipe.package]
    };
    if recipe.standalone {
        more.extend(["--target", MACHINE, "--config", &standalone]);
        target.push(MACHINE);
    }
    call("cargo")
        .directory(paths::workspace())
        .args(["build", "--quiet", "--bin", &recipe.binary, "--profile", &recipe.profile])
        .args(more)
        .run()?;
    // Cargo calls the directory of its `dev` profile `debug`.
    let directory = if recipe.profile == "dev" { "debug" } else { &recipe.profile };
    let built = target.join(directory).join(&recipe.binary);
    let copy = output.join(&recipe.binary);
    std::fs::copy(&built, &copy).with_context(|| format!("cargo built no {}", built.display()))?;
    // Half of what cargo builds for development is for a debugger.
    call("strip").arg("--strip-debug").arg(&copy).run()
}
