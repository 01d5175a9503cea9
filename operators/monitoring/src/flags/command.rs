//! What a command line asks for.

use crate::flags::error::Error;
use crate::flags::flag::Groups;
use crate::flags::line::{self, Rest};
use crate::flags::operator::Flags;
use crate::flags::version::Version;

/// A flag that only this program has, not the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnFlag<'n> {
    /// Its name, without dashes.
    pub name: &'n str,
    /// Whether there is a value behind it; otherwise it is a switch.
    pub takes_value: bool,
}

/// What a command line asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Run.
    Start(Box<Start<Flags>>),
    /// Print the definitions of all resources.
    Crds,
    /// Print the definitions of all resources, with all fields that they can have.
    FullCrds,
    /// Print the version, and how the program was built.
    Version,
    /// Print the number of the version.
    ShortVersion,
    /// Print the help, to standard error; the program ends well.
    Help,
}

/// With what the program starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Start<F> {
    /// The flags.
    pub flags: F,
    /// Flags that only this program has: `--name=value`, or `--name` for a switch that is on.
    pub own: Vec<String>,
    /// Arguments that were not looked at: as in Go, flags end at the first word. Worth a warning.
    pub ignored: Vec<String>,
}

/// What any of the peer's programs is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// The help.
    Help,
    /// The number of the version.
    ShortVersion,
    /// The version.
    Version,
    /// Something else, or nothing in particular.
    Words(Rest),
}

/// Reads a command line into groups. The version is asked for before anything else is looked at.
pub(crate) fn request(groups: Groups<'_>, own: &[OwnFlag<'_>], arguments: &[&str]) -> Result<Request, Error> {
    let mut version = Version::default();
    let mut groups: Groups<'_> = groups;
    groups.push(&mut version);
    let rest = line::read(&mut groups, own, arguments)?;
    Ok(match rest {
        None => Request::Help,
        Some(_) if version.short => Request::ShortVersion,
        Some(_) if version.full => Request::Version,
        Some(rest) => Request::Words(rest),
    })
}
