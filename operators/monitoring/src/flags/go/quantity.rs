//! Amounts of Kubernetes: whether a text is one.

/// Why a text is no amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAnAmount {
    /// It is not a number with letters behind it.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Form,
    /// There is no number.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// There is no such unit.
    #[error("unable to parse quantity's suffix")]
    Unit,
}

const UNITS: [&str; 16] =
    ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Checks an amount. Without digits it is zero, as Kubernetes has it, unless its unit is one of the extreme ones.
pub(crate) fn check(text: &str) -> Result<(), NotAnAmount> {
    if text.is_empty() {
        return Err(NotAnAmount::Form);
    }
    let after_whole = without_digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    let unit = after_whole.strip_prefix('.').map_or(after_whole, without_digits);
    let power = unit.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    if !without_digits(power.strip_prefix(['+', '-']).unwrap_or(power)).is_empty() {
        return Err(NotAnAmount::Form);
    }
    let exponent = unit.strip_prefix(['e', 'E']).and_then(|power| power.parse::<i64>().ok());
    if !UNITS.contains(&unit) && exponent.is_none() {
        return Err(NotAnAmount::Unit);
    }
    let number = text.strip_suffix(unit).unwrap_or(text);
    let is_extreme = matches!(unit, "Pi" | "Ei") || exponent.is_some_and(|exponent| exponent < -9);
    if is_extreme && !number.contains(|letter: char| letter.is_ascii_digit()) {
        return Err(NotAnAmount::Number);
    }
    Ok(())
}

fn without_digits(text: &str) -> &str {
    text.trim_start_matches(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_numbers_with_a_unit() {
        for good in
            ["0", "10m", "50Mi", "1.5", "-1", "+.5k", "1e3", "1E-3", "1E", "2Ei", "1.", "+", ".", "Mi", "00"]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "ten", "1 Mi", "1..2", "1Mi ", "1m5m", "1,5", "Mi1k"] {
            assert_eq!(check(bad), Err(NotAnAmount::Form), "{bad}");
        }
        for bad in ["Pi", "-Ei", ".e-10"] {
            assert_eq!(check(bad), Err(NotAnAmount::Number), "{bad}");
        }
        for bad in ["1e", "1mm", "1K", "1m5", "1+5", "--1", "1e99999999999999999999"] {
            assert_eq!(check(bad), Err(NotAnAmount::Unit), "{bad}");
        }
    }
}
