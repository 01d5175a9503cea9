//! Types of flag values. A type that only one group of flags uses is in the file of that group.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use go_syntax::duration::go as duration;
use go_syntax::literal::has_fine_underscores;
use go_syntax::quantity;
use go_syntax::quoted::Quoted;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// Why a text is rejected as the value of a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RejectedValue {
    /// It cannot be parsed: parsing ends here.
    Parse(String),
    /// The program cannot start with it. The peer checks this only after all flags are parsed: a later flag can replace
    /// the value, and the program can still print its version.
    Start(String),
}

impl RejectedValue {
    /// A text that cannot be parsed.
    pub(crate) fn parse(problem: &(impl ToString + ?Sized)) -> Self {
        Self::Parse(problem.to_string())
    }
}

/// The value of a flag.
pub(crate) trait FlagValue {
    /// What a value looks like; empty for a switch, which needs no value.
    fn form(&self) -> String;

    /// The text that sets this value.
    fn show(&self) -> String;

    /// Parses a text and sets the value.
    fn set(&mut self, text: &str) -> Result<(), RejectedValue>;

    /// Whether a repeated flag adds to the value instead of replacing it.
    fn adds(&self) -> bool {
        false
    }
}

/// A value that is one of a few words.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    /// The words and their meanings.
    const WORDS: &'static [(&'static str, Self)];
    /// Whether upper and lower case are the same.
    const IGNORES_CASE: bool = false;

    /// The error for any other word.
    fn reject(text: &str) -> RejectedValue;
}

impl<T: Choice> FlagValue for T {
    fn form(&self) -> String {
        let words = T::WORDS.iter().map(|(word, _)| *word).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("|")
    }

    fn show(&self) -> String {
        T::WORDS.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word).to_owned()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        let is_text = |word: &str| word == text || T::IGNORES_CASE && word.eq_ignore_ascii_case(text);
        let chosen = T::WORDS.iter().find(|(word, _)| is_text(word));
        *self = chosen.ok_or_else(|| T::reject(text))?.1;
        Ok(())
    }
}

/// Reads a boolean as Go does.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

impl FlagValue for bool {
    fn form(&self) -> String {
        String::new()
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        *self = boolean(text).ok_or_else(|| RejectedValue::parse("parse error"))?;
        Ok(())
    }
}

impl FlagValue for String {
    fn form(&self) -> String {
        "TEXT".to_owned()
    }

    fn show(&self) -> String {
        self.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        text.clone_into(self);
        Ok(())
    }
}

impl FlagValue for Option<PathBuf> {
    fn form(&self) -> String {
        "FILE".to_owned()
    }

    fn show(&self) -> String {
        self.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        *self = (!text.is_empty()).then(|| PathBuf::from(text));
        Ok(())
    }
}

/// A negative duration counts as zero.
impl FlagValue for Duration {
    fn form(&self) -> String {
        "DURATION".to_owned()
    }

    fn show(&self) -> String {
        duration::DisplayGoDuration(i64::try_from(self.as_nanos()).unwrap_or(i64::MAX)).to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        let nanoseconds = duration::parse(text).map_err(|_| RejectedValue::parse("parse error"))?;
        *self = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or_default());
        Ok(())
    }
}

/// A decimal number. Go also reads hexadecimal ones; they are rejected here.
impl FlagValue for f64 {
    fn form(&self) -> String {
        "NUMBER".to_owned()
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_signed_nan = unsigned.len() < text.len() && unsigned.eq_ignore_ascii_case("nan");
        let number = text.replace('_', "").parse::<f64>().ok();
        let is_number = has_fine_underscores(unsigned) && !is_signed_nan;
        let number = number.filter(|_| is_number).ok_or_else(|| RejectedValue::parse("parse error"))?;
        let is_word = unsigned.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if number.is_infinite() && !is_word {
            return Err(RejectedValue::parse("value out of range"));
        }
        *self = number;
        Ok(())
    }
}

/// An empty text is a member like any other.
impl FlagValue for BTreeSet<String> {
    fn form(&self) -> String {
        "LIST".to_owned()
    }

    fn show(&self) -> String {
        self.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        self.extend(text.split(',').map(str::to_owned));
        Ok(())
    }

    fn adds(&self) -> bool {
        true
    }
}

impl FlagValue for BTreeMap<String, String> {
    fn form(&self) -> String {
        "KEY=VALUE,…".to_owned()
    }

    fn show(&self) -> String {
        self.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        if text.is_empty() {
            return Ok(());
        }
        for pair in text.split(',') {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| RejectedValue::Parse(format!("invalid key=value pair: {}", Quoted(pair))))?;
            self.insert(key.to_owned(), value.to_owned());
        }
        Ok(())
    }

    fn adds(&self) -> bool {
        true
    }
}

/// An empty text changes nothing. A quantity stays as it is written; the API server normalizes it.
impl FlagValue for Quantity {
    fn form(&self) -> String {
        "QUANTITY".to_owned()
    }

    fn show(&self) -> String {
        self.0.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        if !text.is_empty() {
            quantity::parse(text).map_err(|problem| RejectedValue::parse(&problem))?;
            *self = Quantity(text.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
