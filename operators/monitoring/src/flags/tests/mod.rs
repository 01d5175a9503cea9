//! Command lines in, flags out.
//!
//! | file | owns |
//! |---|---|
//! | `defaults` | what holds without flags is what holds in the peer |
//! | `each` | what each flag sets |
//! | `walk` | how a command line is walked over |
//! | `start` | what is found wrong before the program starts, and what other rooms are told |
//! | `take` | flags picked out of a longer command line |
//! | `webhook` | the stand-alone webhook |
//! | `text` | help and reference |
//! | `property` | what holds for every command line |

mod defaults;
mod each;
mod property;
mod start;
mod take;
mod text;
mod walk;
mod webhook;

use crate::flags::{Command, Error, Flags, Program};

/// The flags that a command line without own flags starts with.
fn flags(arguments: &[&str]) -> Flags {
    match Flags::parse(arguments, &[]) {
        Ok(Command::Start(start)) => start.flags,
        other => panic!("{arguments:?}: {other:?}"),
    }
}

fn error(arguments: &[&str]) -> Error {
    Flags::parse(arguments, &[]).unwrap_err()
}

/// The names and values of all flags.
fn shown<P: Program>(mut program: P) -> Vec<(&'static str, String)> {
    program.groups().flags().map(|flag| (flag.name, flag.value.show())).collect()
}

/// The names of all flags.
fn names<P: Program>() -> Vec<&'static str> {
    shown(P::default()).into_iter().map(|(name, _)| name).collect()
}

fn changed(change: impl FnOnce(&mut Flags)) -> Flags {
    let mut flags = Flags::default();
    change(&mut flags);
    flags
}
