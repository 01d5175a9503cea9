//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Runs the test cases of the operators that Mainstay replaces: a line for each category, then the names of the failed cases.
/// Fails if anything differs that is not listed as a documented difference.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Args {
    /// The directory of the cases, with a folder for each category.
    pub(crate) directory: PathBuf,
    /// Runs this category only.
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
    /// Shows expected and actual results of each failed case whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) diff: Option<String>,
    /// The file with the documented differences.
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/differences.toml"))]
    pub(crate) differences: PathBuf,
    /// Writes every complete configuration file to this directory, as `READER/VERSION/CASE.yaml`.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) write_configurations: Option<PathBuf>,
}
