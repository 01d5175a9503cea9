//! Command lines in, flags out.
//!
//! | file | owns |
//! |---|---|
//! | `defaults` | the defaults are those of the peer |
//! | `each` | what each flag sets |
//! | `parse` | how a command line is parsed |
//! | `start` | checks before the program starts, and the settings that follow from flags |
//! | `take` | flags taken out of a longer command line |
//! | `webhook` | the stand-alone webhook |
//! | `text` | help and reference |
//! | `property` | properties of every command line |

mod defaults;
mod each;
mod parse;
mod property;
mod start;
mod take;
mod text;
mod webhook;

use crate::flags::{Command, FlagError, OperatorFlags, Program};

/// The flags that a command line without own flags starts with.
fn flags(arguments: &[&str]) -> OperatorFlags {
    match OperatorFlags::parse(arguments, &[]) {
        Ok(Command::Start(start)) => start.flags,
        other => panic!("{arguments:?}: {other:?}"),
    }
}

fn error(arguments: &[&str]) -> FlagError {
    OperatorFlags::parse(arguments, &[]).unwrap_err()
}

/// The names and values of all flags.
fn shown<P: Program>(mut program: P) -> Vec<(&'static str, String)> {
    program.groups().flags().map(|flag| (flag.name, flag.value.show())).collect()
}

/// The names of all flags.
fn names<P: Program>() -> Vec<&'static str> {
    shown(P::default()).into_iter().map(|(name, _)| name).collect()
}

fn changed(change: impl FnOnce(&mut OperatorFlags)) -> OperatorFlags {
    let mut flags = OperatorFlags::default();
    change(&mut flags);
    flags
}
