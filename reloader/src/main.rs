//! The program `mainstay-reloader`: reads the command line and calls the library. No decisions here.

use std::process::ExitCode;

use mainstay_reloader::flags::{self, Command};
use mainstay_reloader::log::{self, Log};
use mainstay_reloader::run;

/// What a command line that is not understood ends with.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    match flags::read(words) {
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
            log::complain(&error.to_string());
            USAGE.into()
        }
    }
}
