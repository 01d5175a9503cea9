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

use crate::flags::flag::{Description, Group, Groups};
use crate::flags::{Command, Error, Flags};

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

/// All flags, as users read about them.
fn described(groups: Groups<'_>) -> Vec<Description> {
    groups.into_iter().flat_map(Group::descriptions).collect()
}

fn changed(change: impl FnOnce(&mut Flags)) -> Flags {
    let mut flags = Flags::default();
    change(&mut flags);
    flags
}
