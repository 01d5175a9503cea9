//! `convergence`: plays plans and says which of them did not come to the same end.

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
