//! The log level, which can be set while the process runs.

use tracing_subscriber::filter::ParseError;
use tracing_subscriber::{EnvFilter, Registry, reload};

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The hub logs errors of watches, once.
const QUIET: &str = "kube_runtime=error";

/// Why a level is rejected. The present one stays.
#[derive(Debug, thiserror::Error)]
pub enum LevelError {
    /// It is not a level. The filter would interpret it as the name of a module and log less than before.
    #[error(
        "\"{0}\" is not a log level: use off, error, warn, info, debug or trace, or directives such as info,kernel=debug"
    )]
    Unknown(String),
    /// It cannot be parsed as directives.
    #[error("\"{directives}\" cannot be parsed as log directives")]
    Unreadable {
        /// The directives.
        directives: String,
        /// The cause.
        source: ParseError,
    },
    /// Nothing would be logged.
    #[error("\"off\" is rejected: errors are always logged; use error")]
    Off,
    /// The subscriber no longer exists.
    #[error("the log was already shut down")]
    Ended(#[from] reload::Error),
}

/// Reads and sets the level of a running process.
#[derive(Debug, Clone)]
pub struct LogLevel(reload::Handle<EnvFilter, Registry>);

impl LogLevel {
    /// The directives in force.
    pub fn read(&self) -> Result<String, LevelError> {
        let all = self.0.with_current(ToString::to_string)?;
        Ok(all.strip_prefix(QUIET).and_then(|rest| rest.strip_prefix(',')).unwrap_or(&all).to_owned())
    }

    /// Sets it. A running process cannot be silenced completely.
    pub fn set(&self, directives: &str) -> Result<(), LevelError> {
        let is_off = |directive: &str| directive.trim().eq_ignore_ascii_case("off");
        if directives.split(',').any(is_off) {
            return Err(LevelError::Off);
        }
        Ok(self.0.reload(parse(directives)?)?)
    }
}

/// A filter and its handle.
pub(crate) fn filter(directives: &str) -> Result<(reload::Layer<EnvFilter, Registry>, LogLevel), LevelError> {
    let (filter, handle) = reload::Layer::new(parse(directives)?);
    Ok((filter, LogLevel(handle)))
}

fn parse(directives: &str) -> Result<EnvFilter, LevelError> {
    let directives = directives.trim();
    // In brackets a comma separates fields.
    if !directives.contains('[') {
        for directive in directives.split(',').map(str::trim) {
            let level = directive.rsplit_once('=').map_or(directive, |(_, level)| level);
            if !LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level)) {
                return Err(LevelError::Unknown(directive.to_owned()));
            }
        }
    }
    let unreadable = |source| LevelError::Unreadable { directives: directives.to_owned(), source };
    let filter = EnvFilter::builder().parse(directives).map_err(unreadable)?;
    let is_given = directives.contains("kube_runtime");
    Ok(if is_given { filter } else { filter.add_directive(QUIET.parse().map_err(unreadable)?) })
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn a_running_process_cannot_be_silenced() {
        let (layer, level) = filter("info").unwrap();
        let _log = tracing_subscriber::registry().with(layer);
        for rejected in ["off", " OFF\n", "kernel=debug,off"] {
            assert!(matches!(level.set(rejected), Err(LevelError::Off)), "{rejected}");
        }
        level.set("info,kernel=off").unwrap();
        assert_eq!(level.read().unwrap(), "kernel=off,info");
    }

    #[test]
    fn levels_and_directives_are_accepted_and_mistakes_are_rejected() {
        for (given, read) in [
            ("debug", "debug"),
            (" INFO\n", "info"),
            ("info,kernel=debug", "kernel=debug,info"),
            ("info,kube_runtime=debug", "kube_runtime=debug,info"),
            ("warn,[pass{object=a}]=trace", "warn,[pass{object=a}]=trace"),
        ] {
            let (_layer, level) = filter(given).unwrap();
            assert_eq!(level.read().unwrap(), read);
        }
        for rejected in ["", "debugging", "info,", "info,kernel", "kernel=loud", "[=info"] {
            assert!(filter(rejected).is_err(), "{rejected}");
        }
    }
}
