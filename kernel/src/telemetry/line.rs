//! The format of log lines. Pure.
//!
//! Logfmt is implemented here: it takes fifty lines, and both formats have the same field names.

use std::fmt::Write as _;

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;
use tracing::Level;

/// How a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// `key=value`, as the peers write.
    #[default]
    Logfmt,
    /// One JSON object.
    Json,
}

/// Names and values, in their order. A later value of a name replaces the earlier.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(present, _)| *present == name) {
            Some((_, present)) => *present = value,
            None => self.0.push((name, value)),
        }
    }

    pub(super) fn extend(&mut self, others: &Self) {
        for (name, value) in &others.0 {
            self.set(name, value.clone());
        }
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Value> {
        let index = self.0.iter().position(|(present, _)| *present == name)?;
        Some(self.0.remove(index).1)
    }
}

/// One line, with its end.
pub(super) fn line(
    format: LogFormat,
    now: Timestamp,
    level: Level,
    target: &str,
    mut fields: Fields,
) -> String {
    let message = fields.remove("message").unwrap_or_else(|| Value::from(""));
    let level = match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    };
    let first = [
        ("ts", Value::from(format!("{now:.3}"))),
        ("level", Value::from(level)),
        ("target", Value::from(target)),
        ("msg", message),
    ];
    let mut line = String::new();
    for (index, (name, value)) in first.iter().chain(&fields.0).enumerate() {
        let name = name.strip_prefix("r#").unwrap_or(name);
        // A field with the name of one of ours does not hide it.
        let hides = index >= first.len() && first.iter().any(|(ours, _)| *ours == name);
        let suffix = if hides { "_" } else { "" };
        match format {
            LogFormat::Logfmt => write_logfmt(&mut line, name, suffix, value),
            LogFormat::Json => write_json(&mut line, name, suffix, value),
        }
    }
    line.push_str(if format == LogFormat::Json { "}\n" } else { "\n" });
    line
}

fn write_json(line: &mut String, name: &str, suffix: &str, value: &Value) {
    line.push(if line.is_empty() { '{' } else { ',' });
    // Writing into a string cannot fail.
    let _ = write!(line, "{}:{value}", Value::from(format!("{name}{suffix}")));
}

fn write_logfmt(line: &mut String, name: &str, suffix: &str, value: &Value) {
    if !line.is_empty() {
        line.push(' ');
    }
    line.extend(name.chars().map(|character| if needs_quotes(character) { '_' } else { character }));
    line.push_str(suffix);
    line.push('=');
    match value.as_str().filter(|text| !text.is_empty() && !text.chars().any(needs_quotes)) {
        Some(plain) => line.push_str(plain),
        // Logfmt quotes as JSON does.
        None => drop(write!(line, "{value}")),
    }
}

fn needs_quotes(character: char) -> bool {
    character.is_whitespace() || character.is_control() || matches!(character, '=' | '"' | '\\')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at() -> Timestamp {
        Timestamp::from_microsecond(1_800_000_000_123_456).unwrap()
    }

    #[test]
    fn odd_names_and_values_stay_readable() {
        let mut fields = Fields::default();
        fields.set("r#type", Value::from("a=b"));
        fields.set("level", Value::from(3));
        fields.set("an odd name", Value::from(""));
        fields.set("level", Value::from(4));
        let written = line(LogFormat::Logfmt, at(), Level::INFO, "x", fields.clone());
        assert_eq!(
            written,
            "ts=2027-01-15T08:00:00.123Z level=info target=x msg=\"\" type=\"a=b\" level_=4 an_odd_name=\"\"\n"
        );
        let written = line(LogFormat::Json, at(), Level::INFO, "x", fields);
        let start = "{\"ts\":\"2027-01-15T08:00:00.123Z\",\"level\":\"info\",\"target\":\"x\",\"msg\":\"\",";
        assert_eq!(written, format!("{start}\"type\":\"a=b\",\"level_\":4,\"an odd name\":\"\"}}\n"));
    }

    proptest! {
        #[test]
        fn every_message_is_one_line_and_json_can_be_parsed(message in any::<String>(), value in any::<String>()) {
            let mut fields = Fields::default();
            fields.set("message", Value::from(message.clone()));
            fields.set("value", Value::from(value.clone()));
            for format in [LogFormat::Logfmt, LogFormat::Json] {
                let written = line(format, at(), Level::WARN, "x", fields.clone());
                prop_assert_eq!(written.matches('\n').count(), 1);
                if format == LogFormat::Json {
                    let read: Value = serde_json::from_str(&written).unwrap();
                    prop_assert_eq!(&read["msg"], &Value::from(message.clone()));
                    prop_assert_eq!(&read["value"], &Value::from(value.clone()));
                }
            }
        }
    }
}
