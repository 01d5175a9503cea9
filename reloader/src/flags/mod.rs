//! The command line of `prometheus-config-reloader`: words in, checked settings out. Pure.

pub mod duration;
mod table;
mod words;

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::log;
use crate::url::Url;
use words::Words;

/// How the server is made to reload its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// By a POST to this address.
    Http(Url),
    /// By a signal.
    Signal {
        /// Name of the process that gets it.
        process: String,
        /// Where to ask whether it worked.
        runtime_info: Option<Url>,
    },
}

/// All settings of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flags {
    /// The configuration.
    pub config_file: Option<PathBuf>,
    /// Where it is written after expansion.
    pub output_file: Option<PathBuf>,
    /// Directories whose files also count.
    pub watched: Vec<PathBuf>,
    /// Time between two looks without a change; zero: one pass, then the end.
    pub watch_interval: Duration,
    /// Least time between two reloads.
    pub delay_interval: Duration,
    /// Time until a failure is tried again.
    pub retry_interval: Duration,
    /// Longest wait for an answer.
    pub reload_timeout: Duration,
    /// How the server is reloaded.
    pub method: Method,
    /// The variable that ends in the ordinal.
    pub ordinal_from: String,
    /// Where to serve.
    pub listen: Option<String>,
    /// TLS and users of the server.
    pub web_config: Option<PathBuf>,
    /// How log lines look, and which appear.
    pub log: log::Settings,
    /// Whether a limit for the memory of Go's runtime was asked for, which means nothing here.
    pub memory_limit_asked: bool,
}

/// What the command line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// To run.
    Run(Box<Flags>),
    /// To print a text and end.
    Print(String),
}

/// Why a command line is not understood.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// No such flag.
    #[error("unknown flag --{0}; --help lists all")]
    Unknown(String),
    /// A word that is no flag.
    #[error("unexpected {0:?}: there are only flags, which begin with --; --help lists them")]
    Unexpected(String),
    /// The value is not there.
    #[error("--{0} needs a value")]
    Missing(&'static str),
    /// A value where none belongs.
    #[error("--{0} takes no value")]
    Valued(&'static str),
    /// Twice what may stand there once.
    #[error("--{0} cannot be repeated")]
    Repeated(&'static str),
    /// The value does not fit.
    #[error("--{flag}={value:?}: expected {expected}")]
    Value {
        /// The flag.
        flag: &'static str,
        /// What was given.
        value: String,
        /// The expected value.
        expected: &'static str,
    },
}

/// Reads the arguments behind the program's name.
pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Command, Error> {
    let words = Words::read(arguments)?;
    if words.is_on("help") {
        return Ok(Command::Print(table::help()));
    }
    let flags = settings(&words)?;
    Ok(if words.is_on("short-version") {
        Command::Print(crate::VERSION.into())
    } else if words.is_on("version") {
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

fn settings(words: &Words) -> Result<Flags, Error> {
    let ratio = words.one("auto-gomemlimit-ratio");
    if ratio.parse::<f64>().is_err() {
        return Err(Error::Value { flag: "auto-gomemlimit-ratio", value: ratio, expected: "a number" });
    }
    let retry_interval = duration(words, "retry-interval")?;
    if retry_interval.is_zero() {
        return Err(Error::Value { flag: "retry-interval", value: "0".into(), expected: "more than 0" });
    }
    Ok(Flags {
        config_file: path(words, "config-file"),
        output_file: path(words, "config-envsubst-file"),
        watched: words.all("watched-dir").into_iter().map(PathBuf::from).collect(),
        watch_interval: duration(words, "watch-interval")?,
        delay_interval: duration(words, "delay-interval")?,
        retry_interval,
        reload_timeout: duration(words, "reload-timeout")?,
        method: method(words)?,
        ordinal_from: words.one("statefulset-ordinal-from-envvar"),
        listen: Some(words.one("listen-address")).filter(|address| !address.is_empty()),
        web_config: path(words, "web-config-file"),
        log: log::Settings { format: format(words)?, level: level(words)? },
        memory_limit_asked: words.has("auto-gomemlimit-ratio"),
    })
}

fn path(words: &Words, flag: &'static str) -> Option<PathBuf> {
    Some(words.one(flag)).filter(|text| !text.is_empty()).map(PathBuf::from)
}

fn duration(words: &Words, flag: &'static str) -> Result<Duration, Error> {
    let value = words.one(flag);
    duration::parse(&value).ok_or(Error::Value { flag, value, expected: "a duration such as 30s or 1m30s" })
}

fn url(words: &Words, flag: &'static str) -> Result<Url, Error> {
    let value = words.one(flag);
    // The address may hold a password: it is not repeated.
    Url::parse(&value).ok_or(Error::Value {
        flag,
        value: "…".into(),
        expected: "an http:// or https:// address",
    })
}

fn method(words: &Words) -> Result<Method, Error> {
    let reload_url = url(words, "reload-url")?;
    let runtime_info = match words.one("runtimeinfo-url").as_str() {
        "" => None,
        _ => Some(url(words, "runtimeinfo-url")?),
    };
    let value = words.one("reload-method");
    match value.as_str() {
        "http" => Ok(Method::Http(reload_url)),
        "signal" => Ok(Method::Signal { process: words.one("process-executable-name"), runtime_info }),
        _ => Err(Error::Value { flag: "reload-method", value, expected: "http or signal" }),
    }
}

fn format(words: &Words) -> Result<log::Format, Error> {
    let value = words.one("log-format");
    match value.to_ascii_lowercase().as_str() {
        "logfmt" => Ok(log::Format::Logfmt),
        "json" => Ok(log::Format::Json),
        _ => Err(Error::Value { flag: "log-format", value, expected: "logfmt or json" }),
    }
}

fn level(words: &Words) -> Result<log::Threshold, Error> {
    let value = words.one("log-level");
    log::Threshold::parse(&value).ok_or(Error::Value {
        flag: "log-level",
        value,
        expected: "all, debug, info, warn, error or none",
    })
}

#[cfg(test)]
mod tests;
