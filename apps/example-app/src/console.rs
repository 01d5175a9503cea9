//! The only file of this crate that writes to standard output and standard error: the log of a server as one JSON
//! object a line, the result of a command as plain text. Callers never pass a secret or the value of an item.

use std::io::Write;

use serde_json::json;

/// The severity of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something was done.
    Info,
    /// Something is wrong and may recover without help.
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

/// Writes a log line. A closed standard error is ignored.
pub fn log(level: Level, message: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr(), "{}", line(level, message.as_ref()));
}

/// Writes a line to standard output.
pub fn print(message: impl AsRef<str>) -> std::io::Result<()> {
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
    fn a_message_with_newlines_is_logged_on_one_line() {
        assert_eq!(line(Level::Warning, "a\n\"b\""), r#"{"level":"warning","message":"a\n\"b\""}"#);
    }
}
