//! What can be written behind a flag. A type that only one group of flags uses is beside that group.

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
pub(crate) enum Rejection {
    /// It cannot be parsed: parsing ends here.
    Parse(String),
    /// The program cannot start with it. The peer checks this only after all flags are parsed: a later flag can replace
    /// the value, and the program can still print its version.
    Start(String),
}

impl Rejection {
    /// A text that cannot be parsed.
    pub(crate) fn parse(problem: &(impl ToString + ?Sized)) -> Self {
        Self::Parse(problem.to_string())
    }
}

/// The value of a flag.
pub(crate) trait Value {
    /// What a value looks like; empty for a switch, which needs no value.
    fn form(&self) -> String;

    /// The text that sets this value.
    fn show(&self) -> String;

    /// Parses a text and takes its value.
    fn set(&mut self, text: &str) -> Result<(), Rejection>;

    /// Whether a repeated flag adds to the value instead of replacing it.
    fn adds(&self) -> bool {
        false
    }
}

/// A value that is one of a few words.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    /// The words, and what they stand for.
    const WORDS: &'static [(&'static str, Self)];
    /// Whether upper and lower case are the same.
    const IGNORES_CASE: bool = false;

    /// The error for any other word.
    fn reject(text: &str) -> Rejection;
}

impl<T: Choice> Value for T {
    fn form(&self) -> String {
        let words = T::WORDS.iter().map(|(word, _)| *word).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("|")
    }

    fn show(&self) -> String {
        T::WORDS.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word).to_owned()
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
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

impl Value for bool {
    fn form(&self) -> String {
        String::new()
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        *self = boolean(text).ok_or_else(|| Rejection::parse("parse error"))?;
        Ok(())
    }
}

impl Value for String {
    fn form(&self) -> String {
        "TEXT".to_owned()
    }

    fn show(&self) -> String {
        self.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        text.clone_into(self);
        Ok(())
    }
}

impl Value for Option<PathBuf> {
    fn form(&self) -> String {
        "FILE".to_owned()
    }

    fn show(&self) -> String {
        self.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        *self = (!text.is_empty()).then(|| PathBuf::from(text));
        Ok(())
    }
}

/// A negative duration counts as zero.
impl Value for Duration {
    fn form(&self) -> String {
        "DURATION".to_owned()
    }

    fn show(&self) -> String {
        duration::Written(i64::try_from(self.as_nanos()).unwrap_or(i64::MAX)).to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        let nanoseconds = duration::parse(text).map_err(|_| Rejection::parse("parse error"))?;
        *self = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or_default());
        Ok(())
    }
}

/// A decimal number. Go also reads hexadecimal ones; they are rejected here.
impl Value for f64 {
    fn form(&self) -> String {
        "NUMBER".to_owned()
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_signed_nan = unsigned.len() < text.len() && unsigned.eq_ignore_ascii_case("nan");
        let number = text.replace('_', "").parse::<f64>().ok();
        let is_number = has_fine_underscores(unsigned) && !is_signed_nan;
        let number = number.filter(|_| is_number).ok_or_else(|| Rejection::parse("parse error"))?;
        let is_word = unsigned.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if number.is_infinite() && !is_word {
            return Err(Rejection::parse("value out of range"));
        }
        *self = number;
        Ok(())
    }
}

/// An empty text is a member like any other.
impl Value for BTreeSet<String> {
    fn form(&self) -> String {
        "LIST".to_owned()
    }

    fn show(&self) -> String {
        self.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        self.extend(text.split(',').map(str::to_owned));
        Ok(())
    }

    fn adds(&self) -> bool {
        true
    }
}

impl Value for BTreeMap<String, String> {
    fn form(&self) -> String {
        "KEY=VALUE,…".to_owned()
    }

    fn show(&self) -> String {
        self.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        if text.is_empty() {
            return Ok(());
        }
        for pair in text.split(',') {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| Rejection::Parse(format!("invalid key=value pair: {}", Quoted(pair))))?;
            self.insert(key.to_owned(), value.to_owned());
        }
        Ok(())
    }

    fn adds(&self) -> bool {
        true
    }
}

/// An empty text changes nothing. A quantity stays as it is written; the API server normalizes it.
impl Value for Quantity {
    fn form(&self) -> String {
        "QUANTITY".to_owned()
    }

    fn show(&self) -> String {
        self.0.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), Rejection> {
        if !text.is_empty() {
            quantity::parse(text).map_err(|problem| Rejection::parse(&problem))?;
            *self = Quantity(text.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_have_six_spellings_each() {
        for text in ["1", "t", "T", "TRUE", "true", "True"] {
            assert_eq!(boolean(text), Some(true), "{text}");
        }
        for text in ["0", "f", "F", "FALSE", "false", "False"] {
            assert_eq!(boolean(text), Some(false), "{text}");
        }
        for text in ["", "yes", "tRUE", " true", "2"] {
            assert_eq!(boolean(text), None, "{text}");
        }
    }

    fn float(text: &str) -> Result<f64, Rejection> {
        let mut number = 0.0;
        number.set(text).map(|()| number)
    }

    #[test]
    fn numbers_are_decimal() {
        let (syntax, range) = (|| Rejection::parse("parse error"), || Rejection::parse("value out of range"));
        for (text, expected) in [
            ("0", Ok(0.0)),
            ("-0.5", Ok(-0.5)),
            ("+.5", Ok(0.5)),
            ("1.", Ok(1.0)),
            ("1e-3", Ok(0.001)),
            ("1E+3", Ok(1000.0)),
            ("1_0.5_0e1_0", Ok(105_000_000_000.0)),
            ("1e-400", Ok(0.0)),
            ("Inf", Ok(f64::INFINITY)),
            ("-infinity", Ok(f64::NEG_INFINITY)),
            ("1e400", Err(range())),
            ("-1e400", Err(range())),
            ("", Err(syntax())),
            (".", Err(syntax())),
            ("1e", Err(syntax())),
            ("_1", Err(syntax())),
            ("1_", Err(syntax())),
            ("1__0", Err(syntax())),
            ("+nan", Err(syntax())),
            ("0x1p-1", Err(syntax())),
            ("half", Err(syntax())),
        ] {
            assert_eq!(float(text), expected, "{text}");
        }
        assert!(float("NaN").unwrap().is_nan());
    }

    #[test]
    fn quantities_are_numbers_with_a_unit() {
        let set = |text: &str| Quantity::default().set(text);
        for good in [
            "0", "10m", "50Mi", "1.5", "-1", "+.5k", "1e3", "1E-3", "1E", "2Ei", "1.", "+", ".", "Mi", "00",
            "",
        ] {
            assert_eq!(set(good), Ok(()), "{good}");
        }
        let form =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        for bad in ["ten", "1 Mi", "1..2", "1Mi ", "1m5m", "1,5", "Mi1k"] {
            assert_eq!(set(bad), Err(Rejection::parse(form)), "{bad}");
        }
        for bad in ["Pi", "-Ei", ".e-10"] {
            assert_eq!(set(bad), Err(Rejection::parse("unable to parse numeric part of quantity")), "{bad}");
        }
        for bad in ["1e", "1mm", "1K", "1m5", "1+5", "--1", "1e99999999999999999999"] {
            assert_eq!(set(bad), Err(Rejection::parse("unable to parse quantity's suffix")), "{bad}");
        }
    }
}
