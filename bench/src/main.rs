//! Measures what the operator costs: for each number of applications a separate control plane, the operator as a
//! separate process, and one table at the end. Times are only reported; what does not depend on the machine is checked.

mod apps;
mod measure;
mod numbers;
mod operator;
mod page;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use lab::console::{line, note};
use lab::process::until_stopped;

use table::Measured;

/// What the operator costs with few and with many applications
#[derive(Debug, Parser)]
#[command(name = "bench")]
struct Arguments {
    /// Numbers of applications, with one measurement for each
    #[arg(long, value_delimiter = ',', default_value = "50,500,5000")]
    sizes: Vec<usize>,
    /// Number of changes that are measured, one after the other
    #[arg(long, default_value_t = 20)]
    changes: usize,
    /// The operator to measure. Default: the one that was built together with this program
    #[arg(long, value_name = "FILE")]
    operator: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match until_stopped(run(Arguments::parse())).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            note(format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all checks passed.
async fn run(arguments: Arguments) -> Result<bool> {
    let program = match arguments.operator {
        Some(program) => program,
        None => default_operator()?,
    };
    if !program.is_file() {
        bail!("{} does not exist: `make bench` builds it", program.display());
    }
    let mut sizes = arguments.sizes;
    sizes.sort_unstable();
    sizes.dedup();
    let mut measured: Vec<Measured> = Vec::new();
    for applications in sizes {
        let of = format!("with {applications} applications");
        measured.push(measure::measure(&program, applications, arguments.changes).await.context(of)?);
    }
    line(format!("\n{}", table::table(&measured)));
    let conclusion = table::conclude(&measured);
    line(conclusion.text());
    Ok(conclusion.passed())
}

fn default_operator() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find the path of this program")?;
    Ok(own.with_file_name("mainstay"))
}
