//! What the program logs, and how.

use kernel::telemetry::LogFormat;

use crate::flags::flag::{Flag, Group};
use crate::flags::value::{Choice, RejectedValue};

/// What the program logs, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogFlags {
    /// Which lines are logged.
    pub level: LogThreshold,
    /// How a line is written.
    pub format: LogFormat,
}

/// The least severe lines that are logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogThreshold {
    /// The same as [`LogThreshold::Debug`].
    All,
    /// Details for troubleshooting.
    Debug,
    /// What the program does.
    #[default]
    Info,
    /// What may need attention.
    Warn,
    /// What failed.
    Error,
    /// Nothing is logged.
    None,
}

impl LogFlags {
    pub(crate) fn group(&mut self) -> Group<'_> {
        let flags = vec![
            Flag::new("log-level", &mut self.level).help("Log level."),
            Flag::new("log-format", &mut self.format).help("Log format."),
        ];
        Group { title: "Log", flags }
    }
}

impl Choice for LogThreshold {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("all", Self::All),
        ("debug", Self::Debug),
        ("info", Self::Info),
        ("warn", Self::Warn),
        ("error", Self::Error),
        ("none", Self::None),
    ];
    const IGNORES_CASE: bool = true;

    fn reject(text: &str) -> RejectedValue {
        let words = "[all debug info warn error none]";
        RejectedValue::Start(format!("log log_level {text} unknown, {words} are possible values"))
    }
}

impl Choice for LogFormat {
    const WORDS: &'static [(&'static str, Self)] = &[("logfmt", Self::Logfmt), ("json", Self::Json)];
    const IGNORES_CASE: bool = true;

    fn reject(text: &str) -> RejectedValue {
        RejectedValue::Start(format!("log format {text} unknown, [logfmt json] are possible values"))
    }
}

/// The flag for the peer's garbage collector. There is none here: the flag is accepted and changes nothing.
pub(crate) fn memory(limit_ratio: &mut f64) -> Group<'_> {
    let flag = Flag::new("auto-gomemlimit-ratio", limit_ratio)
        .help("Accepted without effect: there is no garbage collector to limit.");
    Group { title: "Memory", flags: vec![flag] }
}
