//! The `lab` command.

use anyhow::Result;
use clap::Parser;
use lab::args::{Arguments, Command};
use lab::paths::Cache;
use lab::programs::Workshop;
use lab::versions::Versions;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.command {
        Command::Build(_) => Workshop::new(Cache::of_user()).build(&Versions::built_in().programs()),
        _ => Ok(()),
    }
}
