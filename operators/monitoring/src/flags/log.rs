//! What is logged, and how.

use crate::flags::flag::{Fields, Flag};
use crate::flags::value::{Refusal, Value};

/// What is logged, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Log {
    /// What is logged.
    pub level: Level,
    /// How a line is written.
    pub format: Format,
}

/// From which level on a line is logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Everything; the same as [`Level::Debug`].
    All,
    /// What helps to find a mistake.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What should not be.
    Warn,
    /// What failed.
    Error,
    /// Nothing at all.
    None,
}

/// How a line is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// `key=value` pairs.
    #[default]
    Logfmt,
    /// A JSON object.
    Json,
}

const LEVELS: [(&str, Level); 6] = [
    ("all", Level::All),
    ("debug", Level::Debug),
    ("info", Level::Info),
    ("warn", Level::Warn),
    ("error", Level::Error),
    ("none", Level::None),
];

const FORMATS: [(&str, Format); 2] = [("logfmt", Format::Logfmt), ("json", Format::Json)];

impl Fields for Log {
    const TITLE: &'static str = "Log";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "log-level",
            help: "From which level on lines are written.",
            field: |log| &mut log.level,
        },
        Flag { name: "log-format", help: "How lines are written.", field: |log| &mut log.format },
    ];
}

impl Level {
    /// As the flag names it.
    pub fn as_str(self) -> &'static str {
        name(&LEVELS, self)
    }
}

impl Format {
    /// As the flag names it.
    pub fn as_str(self) -> &'static str {
        name(&FORMATS, self)
    }
}

impl Value for Level {
    fn form(&self) -> &'static str {
        "all|debug|info|warn|error|none"
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = named(&LEVELS, text).ok_or_else(|| unknown("log log_level", text, &LEVELS))?;
        Ok(())
    }
}

impl Value for Format {
    fn form(&self) -> &'static str {
        "logfmt|json"
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = named(&FORMATS, text).ok_or_else(|| unknown("log format", text, &FORMATS))?;
        Ok(())
    }
}

fn name<T: Copy + PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    all.iter().find(|(_, other)| *other == value).map_or("", |(name, _)| name)
}

/// Capital letters are as good as small ones.
fn named<T: Copy>(all: &[(&str, T)], text: &str) -> Option<T> {
    all.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}

fn unknown<T>(what: &str, text: &str, all: &[(&str, T)]) -> Refusal {
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    Refusal::AtStart(format!("{what} {text} unknown, [{}] are possible values", names.join(" ")))
}
