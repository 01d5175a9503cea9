//! `mainstay`: runs operators, or shows what they would do.

mod run;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use mainstay::args::{Arguments, Command, RenderArguments};
use mainstay::{manifests, render};

fn main() -> ExitCode {
    match start(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed: then nobody reads it.
            let _ = writeln!(std::io::stderr(), "mainstay: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Some(Command::Crds) => print(&manifests::definitions_as_yaml()?),
        Some(Command::Render(wanted)) => rendered(&wanted),
        None => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            runtime.context("cannot start")?.block_on(run::run(arguments.run))
        }
    }
}

fn rendered(wanted: &RenderArguments) -> Result<()> {
    let rendered = match &wanted.config {
        None => render::files(&wanted.filename, &wanted.namespace)?,
        Some(name) => render::configuration(&wanted.filename, &wanted.namespace, name)?,
    };
    print(&rendered.text)?;
    for note in &rendered.notes {
        let _ = writeln!(std::io::stderr(), "{note}");
    }
    if rendered.failures.is_empty() { Ok(()) } else { bail!("{}", rendered.failures.join("\nmainstay: ")) }
}

fn print(text: &str) -> Result<()> {
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}
