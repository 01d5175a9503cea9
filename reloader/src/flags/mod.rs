//! The command line, which is that of `prometheus-config-reloader`: arguments in, checked settings out. Pure.

mod arguments;
pub mod duration;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::log;
use crate::url::Url;
use arguments::Arguments;

/// How the server is reloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// With a POST request to this URL.
    Http(Url),
    /// With a signal.
    Signal {
        /// The name of the process.
        process: String,
        /// The URL that shows whether the reload succeeded.
        runtime_info: Option<Url>,
    },
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flags {
    /// The configuration file.
    pub config_file: Option<PathBuf>,
    /// The file that the expanded configuration is written to.
    pub output_file: Option<PathBuf>,
    /// Directories whose files also belong to the configuration.
    pub watched: Vec<PathBuf>,
    /// The time between two passes without a change; zero: one pass, and then exit.
    pub watch_interval: Duration,
    /// The minimum time between two reloads.
    pub delay_interval: Duration,
    /// The time until the next attempt after a failure.
    pub retry_interval: Duration,
    /// The timeout of a request.
    pub reload_timeout: Duration,
    /// How the server is reloaded.
    pub method: Method,
    /// The variable that the ordinal is taken from.
    pub ordinal_from: String,
    /// The address that the server listens on.
    pub listen: Option<String>,
    /// The file with the TLS settings and the users of the server.
    pub web_config: Option<PathBuf>,
    /// The format of log lines, and which of them are written.
    pub log: log::Settings,
    /// Whether a memory limit for the Go runtime is set, which has no effect here.
    pub memory_limit_set: bool,
}

/// What the program has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Run.
    Run(Box<Flags>),
    /// Print a text and exit.
    Print(String),
}

/// Why a command line is not valid.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// There is no such flag.
    #[error("unknown flag --{0}; --help lists all flags")]
    Unknown(String),
    /// An argument is not a flag.
    #[error("unexpected argument {0:?}: all arguments are flags that start with --; --help lists them")]
    Unexpected(String),
    /// A value is missing.
    #[error("--{0} needs a value")]
    Missing(&'static str),
    /// A switch has a value.
    #[error("--{0} does not take a value")]
    UnexpectedValue(&'static str),
    /// A flag is repeated.
    #[error("--{0} cannot be repeated")]
    Repeated(&'static str),
    /// A value is not valid.
    #[error("--{flag}={value:?}: expected {expected}")]
    Value {
        /// The flag.
        flag: &'static str,
        /// The value.
        value: String,
        /// The expected value.
        expected: &'static str,
    },
}

/// Parses the arguments, without the name of the program.
pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Command, Error> {
    let arguments = Arguments::parse(arguments)?;
    if arguments.is_on("help") {
        return Ok(Command::Print(table::help()));
    }
    let flags = settings(&arguments)?;
    Ok(if arguments.is_on("short-version") {
        Command::Print(crate::VERSION.into())
    } else if arguments.is_on("version") {
        Command::Print(version())
    } else {
        Command::Run(Box::new(flags))
    })
}

fn version() -> String {
    format!(
        "mainstay-reloader, version {}\n  platform: {}/{}\n",
        crate::VERSION,
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

fn settings(arguments: &Arguments) -> Result<Flags, Error> {
    let ratio = arguments.one("auto-gomemlimit-ratio");
    if ratio.parse::<f64>().is_err() {
        return Err(Error::Value { flag: "auto-gomemlimit-ratio", value: ratio, expected: "a number" });
    }
    let retry_interval = duration(arguments, "retry-interval")?;
    if retry_interval.is_zero() {
        return Err(Error::Value { flag: "retry-interval", value: "0".into(), expected: "more than 0" });
    }
    Ok(Flags {
        config_file: path(arguments, "config-file"),
        output_file: path(arguments, "config-envsubst-file"),
        watched: arguments.all("watched-dir").into_iter().map(PathBuf::from).collect(),
        watch_interval: duration(arguments, "watch-interval")?,
        delay_interval: duration(arguments, "delay-interval")?,
        retry_interval,
        reload_timeout: duration(arguments, "reload-timeout")?,
        method: method(arguments)?,
        ordinal_from: arguments.one("statefulset-ordinal-from-envvar"),
        listen: Some(arguments.one("listen-address")).filter(|address| !address.is_empty()),
        web_config: path(arguments, "web-config-file"),
        log: log::Settings { format: format(arguments)?, level: level(arguments)? },
        memory_limit_set: arguments.has("auto-gomemlimit-ratio"),
    })
}

fn path(arguments: &Arguments, flag: &'static str) -> Option<PathBuf> {
    Some(arguments.one(flag)).filter(|text| !text.is_empty()).map(PathBuf::from)
}

fn duration(arguments: &Arguments, flag: &'static str) -> Result<Duration, Error> {
    let value = arguments.one(flag);
    duration::parse(&value).ok_or(Error::Value { flag, value, expected: "a duration such as 30s or 1m30s" })
}

fn url(arguments: &Arguments, flag: &'static str) -> Result<Url, Error> {
    let value = arguments.one(flag);
    // The value is not shown, because it can contain a password.
    Url::parse(&value).ok_or(Error::Value {
        flag,
        value: "…".into(),
        expected: "a URL that starts with http:// or https://",
    })
}

fn method(arguments: &Arguments) -> Result<Method, Error> {
    let reload_url = url(arguments, "reload-url")?;
    let runtime_info = match arguments.one("runtimeinfo-url").as_str() {
        "" => None,
        _ => Some(url(arguments, "runtimeinfo-url")?),
    };
    let value = arguments.one("reload-method");
    match value.as_str() {
        "http" => Ok(Method::Http(reload_url)),
        "signal" => Ok(Method::Signal { process: arguments.one("process-executable-name"), runtime_info }),
        _ => Err(Error::Value { flag: "reload-method", value, expected: "http or signal" }),
    }
}

fn format(arguments: &Arguments) -> Result<log::Format, Error> {
    let value = arguments.one("log-format");
    match value.to_ascii_lowercase().as_str() {
        "logfmt" => Ok(log::Format::Logfmt),
        "json" => Ok(log::Format::Json),
        _ => Err(Error::Value { flag: "log-format", value, expected: "logfmt or json" }),
    }
}

fn level(arguments: &Arguments) -> Result<log::Threshold, Error> {
    let value = arguments.one("log-level");
    log::Threshold::parse(&value).ok_or(Error::Value {
        flag: "log-level",
        value,
        expected: "all, debug, info, warn, error or none",
    })
}

#[cfg(test)]
mod tests;
