//! The only place that prints. One line an occurrence, in the peer's two formats. Callers never pass a secret.

use std::fmt::Write as _;
use std::io::Write as _;

use jiff::Timestamp;

use crate::clock;

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `key=value key=value`.
    Logfmt,
    /// One JSON object.
    Json,
}

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For debugging this program.
    Debug,
    /// Something was done.
    Info,
    /// Something is wrong and does not stop the work.
    Warn,
    /// Something failed.
    Error,
}

/// Which lines appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threshold {
    /// Debugging and everything above.
    Debug,
    /// What was done and everything above.
    Info,
    /// Warnings and errors.
    Warn,
    /// Errors.
    Error,
    /// Nothing.
    None,
}

impl Threshold {
    /// Reads the name of a threshold, in any case of letters.
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

    fn lets_pass(self, level: Level) -> bool {
        match self {
            Self::Debug => true,
            Self::Info => level >= Level::Info,
            Self::Warn => level >= Level::Warn,
            Self::Error => level >= Level::Error,
            Self::None => false,
        }
    }
}

/// How lines look and which appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How they look.
    pub format: Format,
    /// Which appear.
    pub level: Threshold,
}

/// Names and values beside the message.
pub type Fields<'a> = &'a [(&'a str, &'a dyn std::fmt::Display)];

/// Writes lines to standard output, where the peer writes them.
#[derive(Debug, Clone, Copy)]
pub struct Log(Settings);

impl Log {
    /// With these settings.
    pub fn new(settings: Settings) -> Self {
        Self(settings)
    }

    /// For debugging this program.
    pub fn debug(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Debug, message, fields);
    }

    /// Something was done.
    pub fn info(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Info, message, fields);
    }

    /// Something is wrong and does not stop the work.
    pub fn warn(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Warn, message, fields);
    }

    /// Something failed.
    pub fn error(self, message: &str, fields: Fields<'_>) {
        self.write(Level::Error, message, fields);
    }

    fn write(self, level: Level, message: &str, fields: Fields<'_>) {
        if self.0.level.lets_pass(level) {
            let line = line(self.0.format, clock::timestamp(), level, (message, fields));
            // A closed standard output is ignored.
            let _ = std::io::stdout().lock().write_all(line.as_bytes());
        }
    }
}

/// Prints what the command line asked for.
pub fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Says why the program does not start.
pub fn complain(text: &str) {
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

fn line(format: Format, at: Timestamp, level: Level, (message, fields): (&str, Fields<'_>)) -> String {
    let level = match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    };
    let at = format!("{at:.3}");
    let head = [("ts", at.as_str()), ("level", level), ("msg", message)];
    let values = fields.iter().map(|(name, value)| (*name, value.to_string()));
    let all = head.map(|(name, value)| (name, value.to_owned())).into_iter().chain(values);
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

/// Quoted where a reader of `key=value` would lose its way.
fn logfmt(value: String) -> String {
    let plain =
        |letter: char| !letter.is_whitespace() && !letter.is_control() && letter != '"' && letter != '=';
    if !value.is_empty() && value.chars().all(plain) { value } else { json(&value) }
}

/// A JSON string.
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
            ("it failed", &[("path", &"/a/b"), ("err", &error), ("n", &3)]),
        )
    }

    #[test]
    fn a_line_stays_one_line_in_both_formats() {
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
    fn a_json_line_can_be_read() {
        let text = "tab\t back\\slash \u{1b}[0m é";
        assert_eq!(serde_json::from_str::<String>(&json(text)).unwrap(), text);
    }

    #[test]
    fn a_threshold_lets_pass_what_is_above_it() {
        let passing = |name| {
            let threshold = Threshold::parse(name).unwrap();
            [Level::Debug, Level::Info, Level::Warn, Level::Error].map(|level| threshold.lets_pass(level))
        };
        assert_eq!(passing("all"), [true; 4]);
        assert_eq!(passing("Info"), [false, true, true, true]);
        assert_eq!(passing("warn"), [false, false, true, true]);
        assert_eq!(passing("error"), [false, false, false, true]);
        assert_eq!(passing("none"), [false; 4]);
        assert_eq!(Threshold::parse("loud"), None);
    }
}
