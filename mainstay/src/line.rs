//! What a command line asks for. The name under which the program is started decides how it is read: in the place of the
//! Prometheus Operator or of its webhook it takes the flags that those take and refuses what they refuse; under any other
//! name it takes these flags too, beside its own.

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory, FromArgMatches, Parser};
use kernel::telemetry::Format;
use operator_monitoring::flags::log::{self, Level};
use operator_monitoring::flags::{Flags, OwnFlag, webhook};
use operator_monitoring::product::default_flags;

use crate::args::{Arguments, Command, RenderArguments, RunArguments};

/// What a command line asks for.
#[derive(Debug)]
pub enum Wanted {
    /// Operators run.
    Run(Box<RunArguments>, Box<Flags>),
    /// Objects are shown.
    Render(RenderArguments),
    /// The definitions of all resources are shown.
    Crds,
    /// Reviews are answered, and nothing else.
    Webhook(Box<webhook::Flags>),
    /// Something is told, on standard output.
    Told(String),
    /// The help of a program that we stand in for, on standard error as Go does it.
    Help(String),
}

/// Why a command line is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// By our own reader; also its help and version.
    #[error(transparent)]
    Own(#[from] clap::Error),
    /// What is ours and may not be asked for under the name of the Prometheus Operator.
    #[error(
        "--{0} is not available under the name of the Prometheus Operator: start the program as mainstay"
    )]
    Unavailable(&'static str),
    /// By the reader of the flags that the Prometheus Operator takes.
    #[error(transparent)]
    Peer(#[from] operator_monitoring::flags::Error),
}

/// Flags that both readers know and that are left to our own.
const KEPT: [&str; 4] = ["namespaces", "deny-namespaces", "log-level", "log-format"];

/// Reads a command line, with the name of the program in front.
pub fn read(arguments: &[String]) -> Result<Wanted, Refused> {
    let (program, arguments) = arguments.split_first().map_or(("", arguments), |(first, rest)| (first, rest));
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match name {
        "operator" | "prometheus-operator" => operator(name, arguments),
        "admission-webhook" => webhook(name, arguments),
        _ => mainstay(arguments),
    }
}

/// Our own command line.
fn mainstay(arguments: &[String]) -> Result<Wanted, Refused> {
    let (mut flags, rest) = default_flags().take(arguments, &KEPT)?;
    let rest = rest.iter().map(|argument| with_two_dashes(argument));
    let words = std::iter::once("mainstay".to_owned()).chain(rest);
    let matches = command().try_get_matches_from(words)?;
    let Arguments { command, run } = Arguments::from_arg_matches(&matches)?;
    match command {
        Some(Command::Render(wanted)) => return Ok(Wanted::Render(wanted)),
        Some(Command::Crds) => return Ok(Wanted::Crds),
        None => {}
    }
    flags.scope.namespaces = run.namespaces.iter().cloned().collect();
    flags.scope.deny_namespaces = run.deny_namespaces.iter().cloned().collect();
    if flags.web.listen_address == Flags::default().web.listen_address {
        flags.web.listen_address = run.listen_address.to_string();
    }
    Ok(Wanted::Run(Box::new(run), Box::new(flags)))
}

/// The command line with its help, which names also what it takes over.
pub fn command() -> clap::Command {
    let also = format!(
        "All flags of the Prometheus Operator are taken too, with one dash or two:\n\n{}",
        Flags::options()
    );
    Arguments::command().after_long_help(also)
}

/// The flags that are taken over, as tables in Markdown with headings of the second level.
pub fn reference() -> String {
    Flags::reference()
}

/// The same of the flags that the stand-alone webhook takes.
pub fn webhook_reference() -> String {
    webhook::Flags::reference()
}

/// As Go writes them, so that our own reader knows them too.
fn with_two_dashes(argument: &str) -> String {
    let name = argument.strip_prefix('-').filter(|name| !name.starts_with('-')).unwrap_or_default();
    let is_kept = KEPT.contains(&name.split('=').next().unwrap_or_default());
    if is_kept { format!("-{argument}") } else { argument.to_owned() }
}

/// The command line of the Prometheus Operator; what is ours and unknown to it is taken too.
fn operator(program: &str, arguments: &[String]) -> Result<Wanted, Refused> {
    let ours = Arguments::command();
    let long = |argument: &clap::Arg| argument.get_long().map(str::to_owned).zip(Some(takes_value(argument)));
    let names: Vec<(String, bool)> = ours.get_arguments().filter_map(long).collect();
    let own: Vec<OwnFlag<'_>> =
        names.iter().map(|(name, takes_value)| OwnFlag { name, takes_value: *takes_value }).collect();
    let start = match Flags::parse(arguments, &own)? {
        operator_monitoring::flags::Command::Start(start) => start,
        operator_monitoring::flags::Command::Crds | operator_monitoring::flags::Command::FullCrds => {
            return Ok(Wanted::Crds);
        }
        operator_monitoring::flags::Command::Version => return Ok(Wanted::Told(version())),
        operator_monitoring::flags::Command::ShortVersion => return Ok(Wanted::Told(short_version())),
        operator_monitoring::flags::Command::Help => return Ok(Wanted::Help(Flags::help(program))),
    };
    let words = std::iter::once(program.to_owned()).chain(start.own).map(OsString::from);
    let Arguments { mut run, .. } = Arguments::try_parse_from(words)?;
    if run.log_level_address.is_some() {
        return Err(Refused::Unavailable("log-level-address"));
    }
    if run.operators.is_empty() {
        run.operators = vec![&operator_monitoring::PRODUCT];
    }
    run.log_level = level(start.flags.log.level).into();
    run.log_format = match start.flags.log.format {
        log::Format::Logfmt => Format::Logfmt,
        log::Format::Json => Format::Json,
    };
    Ok(Wanted::Run(Box::new(run), Box::new(start.flags)))
}

fn webhook(program: &str, arguments: &[String]) -> Result<Wanted, Refused> {
    Ok(match webhook::Flags::parse(arguments, &[])? {
        webhook::Command::Start(start) => Wanted::Webhook(Box::new(start.flags)),
        webhook::Command::Version => Wanted::Told(version()),
        webhook::Command::ShortVersion => Wanted::Told(short_version()),
        webhook::Command::Help => Wanted::Help(webhook::Flags::help(program)),
    })
}

fn takes_value(argument: &clap::Arg) -> bool {
    argument.get_action().takes_values()
}

const DEBUG: &str =
    "info,mainstay=debug,kernel=debug,operator_monitoring=debug,operator_monitoring::kubelet::operator=debug";

/// A level as our log knows it.
pub(crate) fn level(level: Level) -> &'static str {
    match level {
        // Of what others made, what happens is enough.
        Level::All | Level::Debug => DEBUG,
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
        Level::None => "off",
    }
}

fn version() -> String {
    format!("mainstay, version {}\n", env!("CARGO_PKG_VERSION"))
}

fn short_version() -> String {
    format!("{}\n", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(words: &str) -> Result<Wanted, Refused> {
        read(&words.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    fn run(words: &str) -> (RunArguments, Flags) {
        match read_as(words) {
            Ok(Wanted::Run(run, flags)) => (*run, *flags),
            other => panic!("{words}: {other:?}"),
        }
    }

    #[test]
    fn the_flags_of_both_are_taken_under_our_own_name() {
        let (run, flags) = run(
            "/bin/mainstay -kubelet-service=a/b --operators monitoring -namespaces=x --namespaces=y,z --log-level debug",
        );
        assert_eq!(run.operators, [&operator_monitoring::PRODUCT]);
        assert_eq!(run.log_level, "debug");
        assert_eq!(flags.scope.namespaces, ["x", "y", "z"].map(str::to_owned).into());
        assert_eq!(flags.kubelet.service.map(|service| service.name), Some("b".to_owned()));
        assert_eq!(flags.reloader.image, operator_monitoring::product::RELOADER);
    }

    #[test]
    fn in_the_place_of_the_peer_only_monitoring_runs() {
        let (run, flags) = run("/bin/operator -log-level=all --web.listen-address=:9 -no-leader-election");
        assert_eq!(run.operators, [&operator_monitoring::PRODUCT]);
        assert_eq!((run.log_level.as_str(), run.no_leader_election), (DEBUG, true));
        assert_eq!(flags.web.listen_address, ":9");
        assert_eq!(flags.reloader.image, operator_monitoring::flags::reloader::IMAGE);
    }

    #[test]
    fn what_nobody_knows_is_refused() {
        for (words, refusal) in [
            ("/bin/operator --nonsense=1", "flag provided but not defined: -nonsense"),
            (
                "/bin/admission-webhook --kubelet-service=a/b",
                "flag provided but not defined: -kubelet-service",
            ),
            ("mainstay -tls-insecure=2", "invalid boolean value \"2\" for -tls-insecure: parse error"),
        ] {
            assert_eq!(read_as(words).unwrap_err().to_string(), refusal);
        }
        let level = "--log-level-address=127.0.0.1:8081";
        assert!(run(&format!("mainstay {level}")).0.log_level_address.is_some());
        assert!(matches!(
            read_as(&format!("/bin/operator {level}")),
            Err(Refused::Unavailable("log-level-address"))
        ));
        let refusal = read_as("mainstay --nonsense").unwrap_err().to_string();
        assert!(refusal.contains("unexpected argument '--nonsense' found"), "{refusal}");
    }

    #[test]
    fn other_commands_are_known_under_every_name() {
        assert!(matches!(read_as("mainstay crds"), Ok(Wanted::Crds)));
        assert!(matches!(read_as("operator full-crds"), Ok(Wanted::Crds)));
        assert!(matches!(read_as("admission-webhook --web.enable-tls=false"), Ok(Wanted::Webhook(_))));
        assert!(matches!(read_as("mainstay render -f - --localhost a"), Ok(Wanted::Render(_))));
        assert!(matches!(read_as("operator -short-version"), Ok(Wanted::Told(_))));
    }
}
