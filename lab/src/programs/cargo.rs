//! Builds the binaries of this workspace.

use std::path::Path;

use anyhow::{Context, Result};

use crate::paths;
use crate::shell::call;
use crate::versions::CargoBinary;

/// The target of standalone binaries. It is named although it is the host, because the flags would otherwise also apply
/// to procedural macros, which cannot be linked statically. Cargo uses a separate directory for a named target.
const MACHINE: &str = "x86_64-unknown-linux-gnu";

/// Builds a binary of this workspace and copies it.
pub(super) fn build(recipe: &CargoBinary, output: &Path) -> Result<()> {
    let standalone = format!("target.{MACHINE}.rustflags=[\"-C\", \"target-feature=+crt-static\"]");
    let mut target = paths::cargo_target();
    // The same features as for the tests, or cargo compiles shared crates again. A program that is measured has only
    // its own features.
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
    // Half of a development build is debug information.
    call("strip").arg("--strip-debug").arg(&copy).run()
}
