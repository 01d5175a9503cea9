//! The only place that writes to standard output and standard error: one JSON object a line for the log of a server,
//! plain text for the answers of a command. Callers never pass a secret or a value of a user.

use std::io::Write;

use serde_json::json;

/// What a line of the log is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something was done.
    Info,
    /// Something is wrong and may right itself.
    Warning,
    /// Something is wrong and somebody has to act.
    Error,
}

fn line(level: Level, message: &str) -> String {
    let level = match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    json!({ "level": level, "message": message }).to_string()
}

/// Writes a line of the log. A closed standard error stops nobody.
pub fn log(level: Level, message: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr(), "{}", line(level, message.as_ref()));
}

/// Writes a line of an answer.
pub fn say(message: impl AsRef<str>) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{}", message.as_ref())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line(Level::Warning, "a\n\"b\""), r#"{"level":"warning","message":"a\n\"b\""}"#);
    }
}
