//! Number literals: with bases and underscores, and `Inf` and `NaN`.

use go_syntax::literal::has_fine_underscores;
use go_syntax::quoted::Quoted;
use thiserror::Error;

/// Why a text is not a number.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("strconv.ParseFloat: parsing {}: {reason}", Quoted(text))]
pub(crate) struct NotANumber {
    text: String,
    reason: &'static str,
}

/// The value of a number. A leading zero makes it octal if its digits allow that.
pub(crate) fn value(text: &str) -> Result<f64, NotANumber> {
    if let Some(number) = integer(text) {
        // Large integers lose digits, as everywhere in PromQL.
        #[expect(clippy::cast_precision_loss, reason = "all values of PromQL are floats")]
        return Ok(number as f64);
    }
    float(text)
}

fn integer(text: &str) -> Option<i64> {
    // The usual case, and the fast one.
    if !text.starts_with('0') && !text.contains('_') {
        return text.parse().ok();
    }
    if !has_fine_underscores(text) {
        return None;
    }
    let plain = text.replace('_', "");
    let (base, digits) = match plain.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &plain[2..]),
        [b'0'] => return Some(0),
        [b'0', ..] => (8, &plain[1..]),
        _ => (10, &plain[..]),
    };
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| i64::from_str_radix(digits, base).ok())?
}

fn float(text: &str) -> Result<f64, NotANumber> {
    let failure = |reason| NotANumber { text: text.to_owned(), reason };
    let word = text.to_ascii_lowercase();
    if word == "inf" {
        return Ok(f64::INFINITY);
    }
    if word == "nan" {
        return Ok(f64::NAN);
    }
    if !has_fine_underscores(text) {
        return Err(failure("invalid syntax"));
    }
    let number: f64 = word.replace('_', "").parse().map_err(|_| failure("invalid syntax"))?;
    if number.is_infinite() { Err(failure("value out of range")) } else { Ok(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_bases_underscores_and_special_values() {
        for (text, number) in [
            ("0", 0.0),
            ("42", 42.0),
            ("1_000", 1000.0),
            ("010", 8.0),
            ("08", 8.0),
            ("0x1F", 31.0),
            ("0X_1f", 31.0),
            ("1e3", 1000.0),
            ("1_0.5", 10.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("9223372036854775808", 9_223_372_036_854_775_808.0),
            ("iNF", f64::INFINITY),
        ] {
            assert_eq!(value(text), Ok(number), "{text}");
        }
        assert!(value("NaN").unwrap().is_nan());
    }

    #[test]
    fn invalid_numbers_are_rejected_as_in_go() {
        for (text, reason) in [
            ("1e", "invalid syntax"),
            ("0x", "invalid syntax"),
            ("1__0", "invalid syntax"),
            ("1e999", "value out of range"),
            ("0xffffffffffffffffff", "invalid syntax"),
        ] {
            let error = value(text).unwrap_err().to_string();
            assert_eq!(error, format!("strconv.ParseFloat: parsing \"{text}\": {reason}"));
        }
    }
}
