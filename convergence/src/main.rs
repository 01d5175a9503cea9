//! `convergence`: runs plans, and reports those with another result than the reference.

mod args;
mod report;
mod run;

use std::process::ExitCode;

use clap::Parser;
use lab::console::note;
use lab::process::until_stopped;

use args::Arguments;

#[tokio::main]
async fn main() -> ExitCode {
    match Box::pin(until_stopped(run::run(Arguments::parse()))).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            note(format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
