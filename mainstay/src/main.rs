//! `mainstay`: runs operators, or shows what they would do.

mod run;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use mainstay::args::RenderArguments;
use mainstay::line::{self, Refused, Wanted};
use mainstay::{products, render, webhook};

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let wanted = match line::read(&arguments) {
        Ok(wanted) => wanted,
        // Also the help that was asked for comes this way.
        Err(Refused::Own(words)) => {
            let _ = words.print();
            return ExitCode::from(u8::try_from(words.exit_code()).unwrap_or(2));
        }
        Err(refused @ (Refused::Peer(_) | Refused::Unavailable(_))) => {
            complain(&refused);
            return ExitCode::from(2);
        }
    };
    match start(wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Standard error may be closed: then nobody reads it.
fn complain(words: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "mainstay: {words}");
}

fn start(wanted: Wanted) -> Result<()> {
    match wanted {
        Wanted::Crds => print(&products::definitions_as_yaml()?),
        Wanted::Render(wanted) => rendered(&wanted),
        Wanted::Told(text) => print(&text),
        Wanted::Help(text) => {
            let _ = std::io::stderr().write_all(text.as_bytes());
            Ok(())
        }
        Wanted::Webhook(flags) => webhook::run(&flags),
        Wanted::Run(arguments, flags) => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            runtime.context("cannot start")?.block_on(run::run(*arguments, *flags))
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
