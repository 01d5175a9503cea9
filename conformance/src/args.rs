//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Plays the test cases of the operators that Mainstay replaces: one line a category with what passed, then the names of
/// what failed. Fails if anything differs that is not listed as a documented difference.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Args {
    /// Directory with one folder a category.
    pub(crate) directory: PathBuf,
    /// Plays this category only.
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
    /// Shows what was expected and what was found, for each failed case whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) diff: Option<String>,
    /// File with the documented differences.
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/differences.toml"))]
    pub(crate) differences: PathBuf,
    /// Writes every whole configuration file that was made into this directory, as `READER/VERSION/CASE.yaml`.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) write_configurations: Option<PathBuf>,
}
