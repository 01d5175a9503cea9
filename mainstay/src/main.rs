//! `mainstay`: runs operators, or shows what they would do.

mod run;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use mainstay::args::RenderArguments;
use mainstay::line::{self, LineError, Request};
use mainstay::{products, render, webhook};

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let request = match line::parse(&arguments) {
        Ok(request) => request,
        // This includes the help.
        Err(LineError::Own(error)) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
        Err(error @ (LineError::Peer(_) | LineError::Unavailable(_))) => {
            print_error(&format!("mainstay: {error}\n"));
            return ExitCode::from(2);
        }
    };
    match start(request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&format!("mainstay: {error:#}\n"));
            ExitCode::FAILURE
        }
    }
}

fn start(request: Request) -> Result<()> {
    match request {
        Request::Crds => print(&products::definitions_as_yaml()?),
        Request::Render(arguments) => print_rendered(&arguments),
        Request::Print(text) => print(&text),
        Request::Help(text) => {
            print_error(&text);
            Ok(())
        }
        Request::Webhook(flags) => webhook::run(&flags),
        Request::Run(arguments, flags) => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            runtime.context("cannot start the runtime")?.block_on(run::run(*arguments, *flags))
        }
    }
}

fn print_rendered(arguments: &RenderArguments) -> Result<()> {
    let RenderArguments { filename, namespace, config } = arguments;
    let rendered = match config {
        None => render::files(filename, namespace)?,
        Some(name) => render::configuration(filename, namespace, name)?,
    };
    for note in &rendered.notes {
        print_error(&format!("{note}\n"));
    }
    print_with_failures(&rendered.text, &rendered.failures)
}

/// Prints the result, and fails if there are failures.
fn print_with_failures(text: &str, failures: &[String]) -> Result<()> {
    print(text)?;
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("\nmainstay: ")) }
}

/// Errors are ignored: standard error may be closed.
fn print_error(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn print(text: &str) -> Result<()> {
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}
