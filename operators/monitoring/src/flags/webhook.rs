//! The flags of the stand-alone webhook.

use go_syntax::quoted::Quoted;
use monitoring_rules::Options;
use monitoring_rules::names::Names;

use crate::flags::command::{OwnFlag, Request, Start, request};
use crate::flags::error::Error;
use crate::flags::flag::{Fields, Flag, Groups};
use crate::flags::log::Log;
use crate::flags::memory::Memory;
use crate::flags::value::{Refusal, Value};
use crate::flags::version::Version;
use crate::flags::web::Web;
use crate::flags::{help, reference};

/// All flags of the webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct Flags {
    /// How rules are checked.
    pub rules: Rules,
    /// The web server.
    pub web: Web,
    /// What is logged.
    pub log: Log,
    /// What the peer tells its garbage collector.
    pub memory: Memory,
}

/// How rules are checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rules {
    /// Which names of metrics and labels are allowed.
    pub names: Names,
    /// What queries may use that is not stable yet.
    pub queries: Options,
}

/// What a command line asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Run.
    Start(Box<Start<Flags>>),
    /// Print the version, and how the program was built.
    Version,
    /// Print the number of the version.
    ShortVersion,
    /// Print the help, to standard error; the program ends well.
    Help,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            web: Web::new(":8443", true),
            log: Log::default(),
            memory: Memory::default(),
        }
    }
}

impl Flags {
    /// Reads the command line of a program that stands in for the peer's, without its name. `own` are the flags that the
    /// program has besides; a flag of the peer wins over one of these with the same name.
    pub fn parse(arguments: &[impl AsRef<str>], own: &[OwnFlag<'_>]) -> Result<Command, Error> {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let mut flags = Self::default();
        let rest = match request(flags.groups(), own, &arguments)? {
            Request::Help => return Ok(Command::Help),
            Request::ShortVersion => return Ok(Command::ShortVersion),
            Request::Version => return Ok(Command::Version),
            Request::Words(rest) => rest,
        };
        rest.refused.check()?;
        flags.web.tls()?;
        Ok(Command::Start(Box::new(Start { flags, own: rest.own, ignored: rest.words })))
    }

    /// The help, a line a flag.
    pub fn help(program: &str) -> String {
        let mut flags = Self::default();
        help::write(program, "[FLAGS]", &help::groups(&mut flags.groups(), &mut Version::default()))
    }

    /// All flags as tables in Markdown, with headings of the second level.
    pub fn reference() -> String {
        let mut flags = Self::default();
        reference::write(&help::groups(&mut flags.groups(), &mut Version::default()))
    }

    /// All groups, in the order in which they are shown.
    pub(crate) fn groups(&mut self) -> Groups<'_> {
        vec![&mut self.rules, &mut self.web, &mut self.log, &mut self.memory]
    }
}

impl Fields for Rules {
    const TITLE: &'static str = "Rules";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "name-validation-scheme",
            help: "Which names of metrics and labels are allowed: Latin letters, or any.",
            field: |rules| &mut rules.names,
        },
        Flag {
            name: "promql-options",
            help: "What queries may use: experimental-functions, duration-expression-parsing, extended-range-selectors, binop-fill-modifiers.",
            field: |rules| &mut rules.queries,
        },
    ];
}

impl Value for Names {
    fn form(&self) -> &'static str {
        "legacy|utf8"
    }

    fn show(&self) -> String {
        match self {
            Self::Legacy => "legacy".to_owned(),
            Self::Utf8 => "utf8".to_owned(),
        }
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = match text {
            "legacy" => Self::Legacy,
            "utf8" => Self::Utf8,
            other => {
                let other = Quoted(other);
                let problem = format!("invalid name validation scheme {other}, supported: utf8, legacy");
                return Err(Refusal::AtStart(problem));
            }
        };
        Ok(())
    }
}

/// Where an option is.
type Place = fn(&mut Options) -> &mut bool;

const OPTIONS: [(&str, Place); 4] = [
    ("experimental-functions", |options| &mut options.experimental_functions),
    ("duration-expression-parsing", |options| &mut options.duration_expressions),
    ("extended-range-selectors", |options| &mut options.extended_ranges),
    ("binop-fill-modifiers", |options| &mut options.fill_modifiers),
];

/// Each time all options are given anew.
impl Value for Options {
    fn form(&self) -> &'static str {
        "LIST"
    }

    fn show(&self) -> String {
        let mut options = *self;
        let on = OPTIONS.into_iter().filter(|(_, option)| *option(&mut options)).map(|(name, _)| name);
        on.collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = Self::default();
        for written in text.split(',').filter(|written| !written.trim().is_empty()) {
            let Some((_, option)) = OPTIONS.iter().find(|(name, _)| *name == written.trim()) else {
                let supported = OPTIONS.map(|(name, _)| name).join(", ");
                let problem =
                    format!("invalid -promql-options value {}, supported: {supported}", Quoted(written));
                return Err(Refusal::AtStart(problem));
            };
            *option(self) = true;
        }
        Ok(())
    }
}
