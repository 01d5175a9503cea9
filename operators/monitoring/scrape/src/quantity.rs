//! Quantities of Kubernetes as the numbers of configuration files. A number has the same last digit as the peer gives it,
//! since another one would be another configuration.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// More digits than this are rounded to billionths.
const DIGITS: usize = 18;
/// Billionths: what is smaller counts as one.
const FINEST: i32 = -9;

/// The number; 0, if it is none.
pub(crate) fn number(quantity: &Quantity) -> f64 {
    Parts::of(&quantity.0).map_or(0.0, Parts::number)
}

/// The quantity as Kubernetes writes it: a whole number and a suffix.
pub(crate) fn canonical(quantity: &Quantity) -> String {
    let written = || quantity.0.clone();
    let Some(Parts { mantissa, exponent, unit: Unit::Decimal(style) }) = Parts::of(&quantity.0) else {
        return written();
    };
    let (mut mantissa, mut exponent) = (mantissa, exponent);
    if mantissa == 0 {
        return "0".to_owned();
    }
    while mantissa % 10 == 0 {
        (mantissa, exponent) = (mantissa / 10, exponent + 1);
    }
    while exponent % 3 != 0 {
        (mantissa, exponent) = (mantissa.saturating_mul(10), exponent - 1);
    }
    let suffix = SUFFIXES.iter().find(|(_, of_suffix)| *of_suffix == exponent);
    match (style, suffix) {
        (_, _) if exponent == 0 => mantissa.to_string(),
        (Style::Suffix, Some((suffix, _))) => format!("{mantissa}{suffix}"),
        (Style::Suffix, None) => written(),
        (Style::Exponent, _) => format!("{mantissa}e{exponent}"),
    }
}

const SUFFIXES: [(&str, i32); 9] =
    [("n", -9), ("u", -6), ("m", -3), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY_SUFFIXES: [(&str, u32); 6] =
    [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

/// How the size of a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Suffix,
    Exponent,
}

/// What the digits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Decimal(Style),
    Binary,
}

/// `mantissa` times ten to the power of `exponent`.
#[derive(Debug, Clone, Copy)]
struct Parts {
    mantissa: i128,
    exponent: i32,
    unit: Unit,
}

impl Parts {
    fn of(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
        let (digits, suffix) = text.split_at(end);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = whole.trim_start_matches('0');
        let count = whole.len().max(1) + fraction.len();
        let mut mantissa = format!("0{whole}{fraction}").parse::<i128>().ok()?;
        let (unit, shift) = unit(suffix)?;
        let mut exponent = -i32::try_from(fraction.len()).ok()?;
        match shift {
            Shift::Ten(power) => exponent = exponent.checked_add(power)?,
            Shift::Two(power) => mantissa = mantissa.checked_mul(1 << power)?,
        }
        if exponent < FINEST || (exponent != 0 && count > DIGITS) || (unit == Unit::Binary && exponent != 0) {
            (mantissa, exponent) = (rounded(mantissa, exponent)?, FINEST);
        }
        Some(Self { mantissa: if negative { -mantissa } else { mantissa }, exponent, unit })
    }

    fn number(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the nearest number is what is asked for")]
        let mantissa = self.mantissa as f64;
        if self.exponent == 0 { mantissa } else { mantissa * power_of_ten(self.exponent) }
    }
}

/// What a suffix multiplies by.
#[derive(Debug, Clone, Copy)]
enum Shift {
    Ten(i32),
    Two(u32),
}

fn unit(suffix: &str) -> Option<(Unit, Shift)> {
    if suffix.is_empty() {
        return Some((Unit::Decimal(Style::Suffix), Shift::Ten(0)));
    }
    if let Some((_, power)) = SUFFIXES.iter().find(|(name, _)| *name == suffix) {
        return Some((Unit::Decimal(Style::Suffix), Shift::Ten(*power)));
    }
    if let Some((_, power)) = BINARY_SUFFIXES.iter().find(|(name, _)| *name == suffix) {
        return Some((Unit::Binary, Shift::Two(*power)));
    }
    let power = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Unit::Decimal(Style::Exponent), Shift::Ten(power)))
}

/// In billionths, rounded up.
fn rounded(mantissa: i128, exponent: i32) -> Option<i128> {
    let steps = exponent.checked_sub(FINEST)?;
    let factor = 10_i128.checked_pow(steps.unsigned_abs());
    if steps >= 0 {
        return mantissa.checked_mul(factor?);
    }
    // A divisor that is too large for its type is larger than any mantissa.
    Some(
        factor.map_or(i128::from(mantissa != 0), |factor| {
            mantissa / factor + i128::from(mantissa % factor != 0)
        }),
    )
}

/// The nearest number to a power of ten.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the last digit is what matters")]
    fn numbers_have_the_peers_last_digit() {
        for (text, expected) in [
            ("1.1", 1.1),
            ("0.3", 3.0 * 0.1),
            ("0.7", 7.0 * 0.1),
            ("500m", 0.5),
            ("0.50", 0.5),
            ("10", 10.0),
            ("1e3", 1000.0),
            ("2Ki", 2048.0),
            ("1.5Ki", 1_536_000_000_000.0 * 1e-9),
            ("-0.5", -0.5),
            ("0", 0.0),
            ("0.0000000001", 1.0 * 1e-9),
            ("nothing", 0.0),
        ] {
            assert_eq!(number(&Quantity(text.into())), expected, "{text}");
        }
    }

    #[test]
    fn quantities_are_written_as_kubernetes_does() {
        for (text, expected) in [
            ("1.5", "1500m"),
            ("-0.5", "-500m"),
            ("2", "2"),
            ("1500m", "1500m"),
            ("2000", "2k"),
            ("1e1", "10"),
            ("1e3", "1e3"),
            ("2Ki", "2Ki"),
            ("0.0", "0"),
        ] {
            assert_eq!(canonical(&Quantity(text.into())), expected, "{text}");
        }
    }
}
