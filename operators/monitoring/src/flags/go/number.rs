//! Truth and numbers.

/// Why a text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotANumber {
    /// It is not written as one.
    #[error("parse error")]
    Syntax,
    /// It is too large.
    #[error("value out of range")]
    Range,
}

/// Reads a truth value.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// Reads a decimal number. Hexadecimal ones, which Go reads too, are refused.
pub(crate) fn float(text: &str) -> Result<f64, NotANumber> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let named = unsigned.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let signed_nan = unsigned.len() < text.len() && unsigned.eq_ignore_ascii_case("nan");
    if signed_nan || !underscores_divide_digits(text) {
        return Err(NotANumber::Syntax);
    }
    let number: f64 = text.replace('_', "").parse().map_err(|_| NotANumber::Syntax)?;
    if number.is_infinite() && !named { Err(NotANumber::Range) } else { Ok(number) }
}

/// Whether a digit stands on both sides of each underscore.
fn underscores_divide_digits(text: &str) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'_')
        .all(|(at, _)| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_has_six_spellings() {
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

    #[test]
    fn numbers_are_decimal() {
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
            ("1e400", Err(NotANumber::Range)),
            ("-1e400", Err(NotANumber::Range)),
            ("", Err(NotANumber::Syntax)),
            (".", Err(NotANumber::Syntax)),
            ("1e", Err(NotANumber::Syntax)),
            ("_1", Err(NotANumber::Syntax)),
            ("1_", Err(NotANumber::Syntax)),
            ("1__0", Err(NotANumber::Syntax)),
            ("+nan", Err(NotANumber::Syntax)),
            ("0x1p-1", Err(NotANumber::Syntax)),
            ("half", Err(NotANumber::Syntax)),
        ] {
            assert_eq!(float(text), expected, "{text}");
        }
        assert!(float("NaN").unwrap().is_nan());
    }
}
