//! The program `mainstay-reloader`: reads the command line and calls the library. No decisions here.

use std::process::ExitCode;

use mainstay_reloader::flags::{self, Command};
use mainstay_reloader::log::{self, Log};
use mainstay_reloader::run;

/// The exit code for an invalid command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match flags::read(arguments) {
        Ok(Command::Print(text)) => {
            log::print(&text);
            ExitCode::SUCCESS
        }
        Ok(Command::Run(flags)) => {
            let log = Log::new(flags.log);
            match run::run(*flags, log) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    log.error("cannot run", &[("err", &log::chain(&error))]);
                    error.exit_code().into()
                }
            }
        }
        Err(error) => {
            log::print_error(&error.to_string());
            USAGE.into()
        }
    }
}
