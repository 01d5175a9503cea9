//! Sizes in bytes as Prometheus parses them (`units.Base2Bytes`): `1GB`, `512MiB`, `1GiB512KiB`. Every unit is a power
//! of 1024. A size uses either units such as `GB` or units such as `GiB`, not both.

use crate::literal::{digits, sign};

/// Units. Each is 1024 times the one before it.
const UNITS: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];

/// The smallest number that is rejected, before or after the decimal point.
const TOO_LARGE: u64 = (1 << 63) - 18;

/// Why a text is not a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidByteSize {
    /// It is not a sequence of numbers with units.
    #[error("units: invalid {0}")]
    Syntax(String),
    /// A unit is unknown, or differs in spelling from those before it.
    #[error("units: unknown unit {unit} in {text}")]
    Unit {
        /// The text in place of a unit.
        unit: String,
        /// The whole text.
        text: String,
    },
    /// The size does not fit into 64 bits.
    #[error("units: overflow parsing unit")]
    TooLarge,
}

/// Parses a size into bytes.
pub fn parse(text: &str) -> Result<i64, InvalidByteSize> {
    read(text, "iB").or_else(|_| read(text, "B"))
}

fn read(text: &str, suffix: &str) -> Result<i64, InvalidByteSize> {
    let syntax = || InvalidByteSize::Syntax(text.to_owned());
    let (negative, mut rest) = sign(text);
    match rest {
        "0" => return Ok(0),
        "" => return Err(syntax()),
        _ => {}
    }
    let mut sum = 0.0;
    while !rest.is_empty() {
        let (number, after) = number(rest).ok_or_else(syntax)?;
        let is_number = |character: char| character == '.' || character.is_ascii_digit();
        let (unit, after) = after.split_at(after.find(is_number).unwrap_or(after.len()));
        let factor = factor(unit, suffix)
            .ok_or_else(|| InvalidByteSize::Unit { unit: unit.to_owned(), text: text.to_owned() })?;
        sum += number * factor;
        rest = after;
    }
    whole(if negative { -sum } else { sum }).ok_or(InvalidByteSize::TooLarge)
}

/// A number with an optional fraction, and the text after it.
fn number(text: &str) -> Option<(f64, &str)> {
    let (whole, after) = digits(text);
    let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // A one followed by as many zeros as the fraction has digits.
    let scale: f64 = format!("1{}", "0".repeat(fraction.len())).parse().ok()?;
    Some((value(whole)? + value(fraction)? / scale, after))
}

/// A whole number. An empty text is zero.
#[expect(clippy::cast_precision_loss, reason = "sizes are computed in floating point")]
fn value(digits: &str) -> Option<f64> {
    let number = if digits.is_empty() { 0 } else { digits.parse::<u64>().ok()? };
    (number < TOO_LARGE).then_some(number as f64)
}

fn factor(unit: &str, suffix: &str) -> Option<f64> {
    let character =
        if unit == "B" { "" } else { unit.strip_suffix(suffix).filter(|character| !character.is_empty())? };
    let power = UNITS.iter().position(|unit| *unit == character)?;
    Some(1024_f64.powi(i32::try_from(power).ok()?))
}

/// The number without its fraction, unless it is too large.
#[expect(clippy::cast_possible_truncation, reason = "the fraction is dropped, and the range is checked")]
fn whole(number: f64) -> Option<i64> {
    // Go accepts the limit itself, and overflows.
    let limit = 2_f64.powi(63);
    (-limit..limit).contains(&number).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        for (text, bytes) in [
            ("0", 0),
            ("0B", 0),
            ("10B", 10),
            ("1KB", 1024),
            ("1.5KB", 1536),
            ("1KiB", 1024),
            ("1KiB1B", 1025),
            ("+1MB1B", 1_048_577),
            ("1.5MB", 1_572_864),
            ("-1KiB", -1024),
            ("1.5B", 1),
            ("1.7B", 1),
            (".5KB", 512),
            ("1GB", 1_073_741_824),
            ("-8EB", i64::MIN),
            ("7EB", 8_070_450_532_247_928_832),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn invalid_sizes_are_rejected_as_in_go() {
        for (text, message) in [
            ("", "units: invalid "),
            ("-", "units: invalid -"),
            ("B", "units: invalid B"),
            (".B", "units: invalid .B"),
            ("ten", "units: invalid ten"),
            ("9223372036854775807B", "units: invalid 9223372036854775807B"),
            ("9223372036854775790B", "units: invalid 9223372036854775790B"),
            ("9223372036854775789B", "units: overflow parsing unit"),
            ("10", "units: unknown unit  in 10"),
            ("1iB", "units: unknown unit iB in 1iB"),
            ("1kB", "units: unknown unit kB in 1kB"),
            ("1KB1KiB", "units: unknown unit KiB in 1KB1KiB"),
            ("1KB1MiB", "units: unknown unit MiB in 1KB1MiB"),
            ("1.2.3B", "units: unknown unit  in 1.2.3B"),
            ("8EB", "units: overflow parsing unit"),
            ("9EB", "units: overflow parsing unit"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
