//! Runs the test cases of the operators that Mainstay replaces, and reports what differs.

mod args;
mod case;
mod category;
mod compare;
mod configuration;
mod differences;
mod report;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

use args::Args;
use report::Report;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report::problem(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns whether every difference is documented.
fn run(args: &Args) -> Result<bool> {
    let known = differences::read(&args.differences)?;
    let mut report = Report::new(args.diff.clone(), known);
    for name in category::folders(&args.directory)? {
        if args.category.as_ref().is_none_or(|wanted| *wanted == name) {
            let folder = args.directory.join(&name);
            let result = category::run(&folder).with_context(|| format!("running {}", folder.display()))?;
            report.category(&name, &result);
            if let Some(folder) = &args.write_configurations {
                result.configurations.iter().try_for_each(|configuration| configuration.write(folder))?;
            }
        }
    }
    Ok(report.finish())
}
