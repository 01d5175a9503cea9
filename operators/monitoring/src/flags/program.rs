//! The programs of the peer: their command lines, help and reference pages.

use crate::flags::error::FlagError;
use crate::flags::flag::{Flag, Group, Groups};
use crate::flags::gates::Gate;
use crate::flags::help;
use crate::flags::line::{self, OwnFlag};

/// What a command line requests from the program `P`.
#[derive(Debug, Clone, PartialEq)]
pub enum Command<P> {
    /// Run.
    Start(Box<Start<P>>),
    /// Print the definitions of all resources.
    Crds,
    /// Print the version and how the program was built.
    Version,
    /// Print the version number.
    ShortVersion,
    /// Print the help to standard error; the exit code is 0.
    Help,
}

/// What the program `P` starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct Start<P> {
    /// The flags of the peer.
    pub flags: P,
    /// Flags that only this program has: `--name=value`, or `--name` for a switch that is on.
    pub own: Vec<String>,
    /// Arguments that were ignored: as in Go, flags end at the first word.
    pub ignored: Vec<String>,
}

/// The settings of a program of the peer, by its flags.
pub trait Program: Default {
    /// The usage, after the name of the program.
    const USAGE: &'static str;
    /// Whether the program has commands: `start`, `crds` and `full-crds`.
    const HAS_COMMANDS: bool;
    /// The feature gates of the program.
    const GATES: &'static [Gate];

    /// All flags except those for the version.
    fn groups(&mut self) -> Groups<'_>;

    /// Whether the program can start with these settings.
    fn check(&self) -> Result<(), FlagError>;

    /// Parses the command line of a program that replaces the one of the peer, without its name. `own` are the flags that
    /// the program has besides; a flag of the peer takes precedence over one of these with the same name.
    fn parse(arguments: &[impl AsRef<str>], own: &[OwnFlag<'_>]) -> Result<Command<Self>, FlagError> {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let (mut program, mut version) = (Self::default(), Version::default());
        let mut groups = program.groups();
        groups.0.push(version.group());
        let Some(rest) = line::parse(&mut groups, own, &arguments)? else { return Ok(Command::Help) };
        // The version is printed even if something else is wrong.
        if version.short {
            return Ok(Command::ShortVersion);
        }
        if version.full {
            return Ok(Command::Version);
        }
        let mut words = rest.words;
        if Self::HAS_COMMANDS && !words.is_empty() {
            match words.remove(0).as_str() {
                "start" => {}
                "crds" | "full-crds" => return Ok(Command::Crds),
                other => return Err(FlagError::Command(other.to_owned())),
            }
        }
        rest.rejected.check()?;
        program.check()?;
        Ok(Command::Start(Box::new(Start { flags: program, own: rest.own, ignored: words })))
    }

    /// The help: a line for each flag.
    fn help(program: &str) -> String {
        let (mut flags, mut version) = (Self::default(), Version::default());
        let mut groups = flags.groups();
        groups.0.push(version.group());
        let usage = format!("Usage: {program} {}\n\n{}\n", Self::USAGE, help::SYNTAX);
        usage + &help::flags(&groups) + &help::gates(Self::GATES)
    }

    /// All flags as tables in Markdown, with headings of the second level.
    fn reference() -> String {
        let (mut flags, mut version) = (Self::default(), Version::default());
        let mut groups = flags.groups();
        groups.0.push(version.group());
        help::flag_tables(&groups) + &help::gate_table(Self::GATES)
    }
}

/// Whether only the version is requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Version {
    /// With how the program was built.
    full: bool,
    /// Only the number; it takes precedence over [`Version::full`].
    short: bool,
}

impl Version {
    fn group(&mut self) -> Group<'_> {
        let flags = vec![
            Flag::new("version", &mut self.full)
                .help("Print the version and how the program was built, and exit."),
            Flag::new("short-version", &mut self.short).help("Print the version number and exit."),
        ];
        Group { title: "Version", flags }
    }
}
