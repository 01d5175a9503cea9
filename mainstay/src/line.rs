//! What a command line requests. The name under which the program is started decides how it is parsed. In place of the
//! Prometheus Operator or its webhook, the program accepts and rejects the same flags as those do. Under any other name
//! it accepts these flags besides its own.

use std::path::Path;

use clap::{CommandFactory, FromArgMatches, Parser};
use operator_monitoring::flags::log::LogThreshold;
use operator_monitoring::flags::{self, OperatorFlags, OwnFlag, Program, Start, webhook};
use operator_monitoring::product::default_flags;

use crate::args::{Arguments, OwnCommand, RenderArguments, RunArguments};

/// What a command line requests.
#[derive(Debug)]
pub enum Request {
    /// Run operators.
    Run(Box<RunArguments>, Box<OperatorFlags>),
    /// Print objects.
    Render(RenderArguments),
    /// Print the definitions of all resources.
    Crds,
    /// Run the stand-alone webhook.
    Webhook(Box<webhook::WebhookFlags>),
    /// Print a text to standard output.
    Print(String),
    /// Print the help of a program of the peer, to standard error as Go does it.
    Help(String),
}

/// Why a command line is rejected.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// By the parser of our own flags. This includes its help and version.
    #[error(transparent)]
    Own(#[from] clap::Error),
    /// A flag of ours that is not available under the name of the Prometheus Operator.
    #[error(
        "--{0} is not available under the name of the Prometheus Operator: start the program as mainstay"
    )]
    Unavailable(&'static str),
    /// By the parser of the Prometheus Operator's flags.
    #[error(transparent)]
    Peer(#[from] flags::FlagError),
}

/// Flags that both parsers know and that are left to our own.
const KEPT: [&str; 4] = ["namespaces", "deny-namespaces", "log-level", "log-format"];

/// Parses a command line with the name of the program in front.
pub fn parse(arguments: &[String]) -> Result<Request, LineError> {
    let (program, arguments) = arguments.split_first().map_or(("", arguments), |(first, rest)| (first, rest));
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match name {
        "operator" | "prometheus-operator" => operator(name, arguments),
        "admission-webhook" => webhook(name, arguments),
        _ => mainstay(arguments),
    }
}

/// Parses our own command line.
fn mainstay(arguments: &[String]) -> Result<Request, LineError> {
    let (mut flags, rest) = default_flags().take(arguments, &KEPT)?;
    let rest = rest.iter().map(|argument| with_two_dashes(argument));
    let words = std::iter::once("mainstay".to_owned()).chain(rest);
    let matches = command().try_get_matches_from(words)?;
    let Arguments { command, run } = Arguments::from_arg_matches(&matches)?;
    match command {
        Some(OwnCommand::Render(arguments)) => return Ok(Request::Render(arguments)),
        Some(OwnCommand::Crds) => return Ok(Request::Crds),
        None => {}
    }
    flags.scope.namespaces = run.namespaces.iter().cloned().collect();
    flags.scope.deny_namespaces = run.deny_namespaces.iter().cloned().collect();
    if flags.web.listen_address == OperatorFlags::default().web.listen_address {
        flags.web.listen_address = run.listen_address.to_string();
    }
    Ok(Request::Run(Box::new(run), Box::new(flags)))
}

/// The command line with its help, which includes the flags of the Prometheus Operator.
pub fn command() -> clap::Command {
    let also = format!(
        "All flags of the Prometheus Operator are accepted too, with one dash or two:\n\n{}",
        OperatorFlags::options()
    );
    Arguments::command().after_long_help(also)
}

/// The flags of both parsers may have one dash, as in Go.
fn with_two_dashes(argument: &str) -> String {
    let name = argument.strip_prefix('-').filter(|name| !name.starts_with('-')).unwrap_or_default();
    let is_kept = KEPT.contains(&name.split('=').next().unwrap_or_default());
    if is_kept { format!("-{argument}") } else { argument.to_owned() }
}

/// Parses the command line of the Prometheus Operator; flags of ours that it does not have are accepted too.
fn operator(program: &str, arguments: &[String]) -> Result<Request, LineError> {
    let ours = Arguments::command();
    let own: Vec<OwnFlag<'_>> = ours
        .get_arguments()
        .filter_map(|argument| {
            let takes_value = argument.get_action().takes_values();
            Some(OwnFlag { name: argument.get_long()?, takes_value })
        })
        .collect();
    let Start { flags, own, .. } = match started(OperatorFlags::parse(arguments, &own)?, program) {
        Ok(start) => start,
        Err(request) => return Ok(request),
    };
    let Arguments { mut run, .. } = Arguments::try_parse_from([program.to_owned()].into_iter().chain(own))?;
    if run.log_level_address.is_some() {
        return Err(LineError::Unavailable("log-level-address"));
    }
    if run.operators.is_empty() {
        run.operators = vec![&operator_monitoring::PRODUCT];
    }
    run.log_level = level(flags.log.level).into();
    run.log_format = flags.log.format;
    Ok(Request::Run(Box::new(run), Box::new(flags)))
}

/// Parses the command line of the stand-alone webhook.
fn webhook(program: &str, arguments: &[String]) -> Result<Request, LineError> {
    let start = started(webhook::WebhookFlags::parse(arguments, &[])?, program);
    Ok(start.map_or_else(|request| request, |start| Request::Webhook(Box::new(start.flags))))
}

/// What a program of the peer starts with, or what is requested instead.
fn started<P: Program>(command: flags::Command<P>, program: &str) -> Result<Start<P>, Request> {
    let version = env!("CARGO_PKG_VERSION");
    Err(match command {
        flags::Command::Start(start) => return Ok(*start),
        flags::Command::Crds => Request::Crds,
        flags::Command::Version => Request::Print(format!("mainstay, version {version}\n")),
        flags::Command::ShortVersion => Request::Print(format!("{version}\n")),
        flags::Command::Help => Request::Help(P::help(program)),
    })
}

const DEBUG: &str =
    "info,mainstay=debug,kernel=debug,operator_monitoring=debug,operator_monitoring::kubelet::operator=debug";

/// A log level of the peer as the log takes it.
pub(crate) fn level(level: LogThreshold) -> &'static str {
    match level {
        // Details of libraries are not logged.
        LogThreshold::All | LogThreshold::Debug => DEBUG,
        LogThreshold::Info => "info",
        LogThreshold::Warn => "warn",
        LogThreshold::Error => "error",
        LogThreshold::None => "off",
    }
}

#[cfg(test)]
mod tests {
    use kernel::object::Key;

    use super::*;

    fn parse_as(words: &str) -> Result<Request, LineError> {
        parse(&words.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    fn run(words: &str) -> (RunArguments, OperatorFlags) {
        match parse_as(words) {
            Ok(Request::Run(run, flags)) => (*run, *flags),
            other => panic!("{words}: {other:?}"),
        }
    }

    #[test]
    fn the_flags_of_both_are_accepted_under_our_own_name() {
        let (run, flags) = run(
            "/bin/mainstay -kubelet-service=a/b --operators monitoring -namespaces=x --namespaces=y,z --log-level debug",
        );
        assert_eq!(run.operators, [&operator_monitoring::PRODUCT]);
        assert_eq!(run.log_level, "debug");
        assert_eq!(flags.scope.namespaces, ["x", "y", "z"].map(str::to_owned).into());
        assert_eq!(flags.kubelet.service, Some(Key::new("a", "b")));
        assert_eq!(flags.operator.reloader.image, operator_monitoring::product::RELOADER);
    }

    #[test]
    fn in_the_place_of_the_peer_only_monitoring_runs() {
        let (run, flags) = run("/bin/operator -log-level=all --web.listen-address=:9 -no-leader-election");
        assert_eq!(run.operators, [&operator_monitoring::PRODUCT]);
        assert_eq!((run.log_level.as_str(), run.no_leader_election), (DEBUG, true));
        assert_eq!(flags.web.listen_address, ":9");
        assert_eq!(flags.operator.reloader.image, flags::objects::RELOADER_IMAGE);
    }

    #[test]
    fn unknown_flags_are_rejected() {
        for (words, error) in [
            ("/bin/operator --nonsense=1", "flag provided but not defined: -nonsense"),
            (
                "/bin/admission-webhook --kubelet-service=a/b",
                "flag provided but not defined: -kubelet-service",
            ),
            ("mainstay -tls-insecure=2", "invalid boolean value \"2\" for -tls-insecure: parse error"),
        ] {
            assert_eq!(parse_as(words).unwrap_err().to_string(), error);
        }
        let level = "--log-level-address=127.0.0.1:8081";
        assert!(run(&format!("mainstay {level}")).0.log_level_address.is_some());
        assert!(matches!(
            parse_as(&format!("/bin/operator {level}")),
            Err(LineError::Unavailable("log-level-address"))
        ));
        let error = parse_as("mainstay --nonsense").unwrap_err().to_string();
        assert!(error.contains("unexpected argument '--nonsense' found"), "{error}");
    }

    #[test]
    fn other_commands_are_known_under_every_name() {
        assert!(matches!(parse_as("mainstay crds"), Ok(Request::Crds)));
        assert!(matches!(parse_as("operator full-crds"), Ok(Request::Crds)));
        assert!(matches!(parse_as("admission-webhook --web.enable-tls=false"), Ok(Request::Webhook(_))));
        assert!(matches!(parse_as("mainstay render -f - --localhost a"), Ok(Request::Render(_))));
        assert!(matches!(parse_as("operator -short-version"), Ok(Request::Print(_))));
    }
}
