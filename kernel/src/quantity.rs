//! Quantities of Kubernetes: `500m`, `1Gi`, `1e3`. The server normalises them, so two texts can be one amount. Pure; for
//! `compare`, and for operators that compute sizes.

/// The units of one.
const UNIT: i128 = 1_000_000_000;

/// An amount, exact to a billionth, as in Kubernetes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(i128);

impl Amount {
    /// Parses one; `None` if the text is not a quantity.
    pub fn parse(text: &str) -> Option<Self> {
        let end =
            text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))).unwrap_or(text.len());
        let (digits, suffix) = text.split_at(end);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains(['+', '-']) {
            return None;
        }
        let places = i32::try_from(fraction.len()).ok()?;
        let number: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scaled = match scale(suffix)? {
            Scale::Ten(power) => shift(number.checked_mul(UNIT)?, power.checked_sub(places)?)?,
            Scale::Two(power) => shift(number.checked_mul(UNIT)?.checked_mul(1 << power)?, -places)?,
        };
        Some(Self(scaled))
    }
}

enum Scale {
    Ten(i32),
    Two(u32),
}

fn scale(suffix: &str) -> Option<Scale> {
    let binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].into_iter().zip([10, 20, 30, 40, 50, 60]);
    let decimal =
        ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].into_iter().zip((-3..=6).map(|power| power * 3));
    if let Some((_, power)) = binary.into_iter().find(|(name, _)| *name == suffix) {
        return Some(Scale::Two(power));
    }
    if let Some((_, power)) = decimal.into_iter().find(|(name, _)| *name == suffix) {
        return Some(Scale::Ten(power));
    }
    let power = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some(Scale::Ten(power))
}

/// A number by a power of ten, rounded up as Kubernetes does.
fn shift(number: i128, power: i32) -> Option<i128> {
    let factor = 10i128.checked_pow(power.unsigned_abs())?;
    if power >= 0 {
        return number.checked_mul(factor);
    }
    Some(number.div_euclid(factor) + i128::from(number.rem_euclid(factor) > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_texts_of_one_amount_are_equal() {
        for [one, other] in [
            ["1000m", "1"],
            ["0.5", "500m"],
            ["1024Mi", "1Gi"],
            ["1e3", "1k"],
            ["1.5Gi", "1536Mi"],
            ["2E", "2e18"],
        ] {
            assert_eq!(Amount::parse(one), Amount::parse(other), "{one} {other}");
            assert!(Amount::parse(one).is_some());
        }
        assert!(Amount::parse("1G") < Amount::parse("1Gi"));
    }

    #[test]
    fn invalid_quantities_are_rejected() {
        for text in [
            "",
            "m",
            "Gi",
            "1 Gi",
            "one",
            "1..2",
            "1.-2",
            "1Zi",
            "e3",
            "1.5e-2147483648",
            "99999999999999999999999999999999999999E",
        ] {
            assert_eq!(Amount::parse(text), None, "{text}");
        }
    }
}
