//! The only module that prints. Log lines have the two formats of the peer. Callers never pass a secret.

use std::fmt::Write as _;
use std::io::Write as _;

use jiff::Timestamp;

use crate::clock;

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `key=value key=value`.
    Logfmt,
    /// One JSON object.
    Json,
}

/// The level of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For debugging this program.
    Debug,
    /// Something was done.
    Info,
    /// Something is wrong, but the program continues.
    Warn,
    /// Something failed.
    Error,
}

/// Which log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threshold {
    /// All levels.
    Debug,
    /// `Info` and above.
    Info,
    /// `Warn` and above.
    Warn,
    /// Only `Error`.
    Error,
    /// No lines.
    None,
}

impl Threshold {
    /// Parses the name of a threshold, ignoring case.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "all" | "debug" => Self::Debug,
            "info" => Self::Info,
            "warn" => Self::Warn,
            "error" => Self::Error,
            "none" => Self::None,
            _ => return None,
        })
    }

    fn includes(self, level: Level) -> bool {
        match self {
            Self::Debug => true,
            Self::Info => level >= Level::Info,
            Self::Warn => level >= Level::Warn,
            Self::Error => level >= Level::Error,
            Self::None => false,
        }
    }
}

/// The format of log lines, and which of them are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The format.
    pub format: Format,
    /// The lowest level that is written.
    pub level: Threshold,
}

/// Names and values in addition to the message.
pub type Fields<'a> = &'a [(&'a str, &'a dyn std::fmt::Display)];

/// Writes log lines to standard output, as the peer does.
#[derive(Debug, Clone, Copy)]
pub struct Log(Settings);

impl Log {
    /// A log with these settings.
    pub fn new(settings: Settings) -> Self {
        Self(settings)
    }

    /// Writes a line of level `Debug`.
    pub fn debug(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Debug, message, fields);
    }

    /// Writes a line of level `Info`.
    pub fn info(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Info, message, fields);
    }

    /// Writes a line of level `Warn`.
    pub fn warn(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Warn, message, fields);
    }

    /// Writes a line of level `Error`.
    pub fn error(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Error, message, fields);
    }

    fn write(self, level: Level, message: &str, fields: Fields<'_>) {
        if self.0.level.includes(level) {
            let line = line(self.0.format, clock::timestamp(), level, message, fields);
            // A closed standard output is ignored.
            let _ = std::io::stdout().lock().write_all(line.as_bytes());
        }
    }
}

/// Prints a text to standard output.
pub fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Prints an error to standard error.
pub fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "mainstay-reloader: {text}");
}

/// An error with all its causes, on one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

fn line(format: Format, at: Timestamp, level: Level, message: &str, fields: Fields<'_>) -> String {
    let level = match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    };
    let at = format!("{at:.3}");
    let standard = [("ts", at.as_str()), ("level", level), ("msg", message)];
    let values = fields.iter().map(|(name, value)| (*name, value.to_string()));
    let all = standard.map(|(name, value)| (name, value.to_owned())).into_iter().chain(values);
    let pairs = all.map(|(name, value)| match format {
        Format::Logfmt => format!("{name}={}", logfmt(value)),
        Format::Json => format!("{}:{}", json(name), json(&value)),
    });
    let pairs: Vec<String> = pairs.collect();
    match format {
        Format::Logfmt => pairs.join(" ") + "\n",
        Format::Json => format!("{{{}}}\n", pairs.join(",")),
    }
}

/// Quotes a value if it contains characters that are special in `key=value`.
fn logfmt(value: String) -> String {
    let plain =
        |letter: char| !letter.is_whitespace() && !letter.is_control() && letter != '"' && letter != '=';
    if !value.is_empty() && value.chars().all(plain) { value } else { json(&value) }
}

/// Quotes a text as a JSON string.
pub(crate) fn json(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            '\n' => quoted.push_str("\\n"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(format: Format) -> String {
        let error = "line 1\nsays \"no\"";
        line(
            format,
            Timestamp::UNIX_EPOCH,
            Level::Warn,
            "it failed",
            &[("path", &"/a/b"), ("err", &error), ("n", &3)],
        )
    }

    #[test]
    fn a_message_with_newlines_is_logged_on_one_line_in_both_formats() {
        assert_eq!(
            sample(Format::Logfmt),
            "ts=1970-01-01T00:00:00.000Z level=warn msg=\"it failed\" path=/a/b err=\"line 1\\nsays \\\"no\\\"\" n=3\n"
        );
        assert_eq!(
            sample(Format::Json),
            "{\"ts\":\"1970-01-01T00:00:00.000Z\",\"level\":\"warn\",\"msg\":\"it failed\",\"path\":\"/a/b\",\
             \"err\":\"line 1\\nsays \\\"no\\\"\",\"n\":\"3\"}\n"
        );
    }

    #[test]
    fn a_json_string_can_be_parsed() {
        let text = "tab\t back\\slash \u{1b}[0m é";
        assert_eq!(serde_json::from_str::<String>(&json(text)).unwrap(), text);
    }

    #[test]
    fn a_threshold_includes_the_levels_above_it() {
        let included = |name| {
            let threshold = Threshold::parse(name).unwrap();
            [Level::Debug, Level::Info, Level::Warn, Level::Error].map(|level| threshold.includes(level))
        };
        assert_eq!(included("all"), [true; 4]);
        assert_eq!(included("Info"), [false, true, true, true]);
        assert_eq!(included("warn"), [false, false, true, true]);
        assert_eq!(included("error"), [false, false, false, true]);
        assert_eq!(included("none"), [false; 4]);
        assert_eq!(Threshold::parse("loud"), None);
    }
}
