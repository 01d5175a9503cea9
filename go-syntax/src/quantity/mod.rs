//! Kubernetes quantities such as `500m`, `1.5Gi` and `1e3` (`resource.Quantity`): their value as a number, and their
//! canonical form. Floating point results are equal to Go's to the last digit.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::literal::digits;

/// A number with more digits is not computed in 64 bits by Go, and then has a precision of one billionth.
const DIGITS: usize = 18;
/// The exponent of the smallest unit, a billionth. Smaller values are rounded up to it.
const FINEST: i32 = -9;

const SUFFIXES: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY_SUFFIXES: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Why a text is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidQuantity {
    /// It is not a number with a suffix.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Syntax,
    /// There is no number.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// The suffix is unknown.
    #[error("unable to parse quantity's suffix")]
    Unit,
}

/// A quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    value: Value,
    format: Format,
    /// The original text, if that is the canonical form.
    written: Option<String>,
}

/// The value of a quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    /// An integer times a power of ten.
    Exact(i128, i32),
    /// The same, but computed from billionths, which changes the last digit of a floating point result.
    Billionths(i128, i32),
    /// A number with too many digits for an integer.
    About(f64),
}

/// How the magnitude is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Suffix,
    Exponent,
    Binary,
}

/// The parts of a text.
struct Parts<'t> {
    negative: bool,
    /// Sign and digits, as in the text.
    number: &'t str,
    whole: &'t str,
    fraction: &'t str,
    suffix: &'t str,
}

/// Parses a quantity.
pub fn parse(text: &str) -> Result<Quantity, InvalidQuantity> {
    let parts = Parts::of(text)?;
    let (format, power) = unit(parts.suffix).ok_or(InvalidQuantity::Unit)?;
    let digits = parts.whole.len() + parts.fraction.len();
    let (exponent, is_small) = match format {
        Format::Suffix | Format::Exponent => (power, digits <= DIGITS),
        // Ten powers of two are about three decimal digits.
        Format::Binary => {
            let length = i32::try_from(digits).unwrap_or(i32::MAX);
            (0, parts.fraction.is_empty() && length.saturating_add(power * 3 / 10) < 15)
        }
    };
    let places = i32::try_from(parts.fraction.len()).unwrap_or(i32::MAX);
    let exponent = exponent.saturating_sub(places);
    let shifted = format!("{}{}", parts.whole, parts.fraction);
    if is_small && exponent >= FINEST {
        let number: i128 = shifted.parse().map_err(|_| InvalidQuantity::Number)?;
        let is_short = match format {
            Format::Binary => number & 7 != 0,
            Format::Suffix | Format::Exponent => {
                exponent % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0')
            }
        };
        let factor = if format == Format::Binary { 1 << power } else { 1 };
        let value = Value::Exact(parts.signed(number * factor), exponent);
        return Ok(Quantity { value, format, written: is_short.then(|| text.to_owned()) });
    }
    if !parts.number.contains(|character: char| character.is_ascii_digit()) {
        return Err(InvalidQuantity::Number);
    }
    let factor = if format == Format::Binary { 1 << power } else { 1 };
    let number = shifted.parse::<i128>().ok().and_then(|number| number.checked_mul(factor));
    let sign = if parts.negative { "-" } else { "" };
    let value = match (format, number) {
        (Format::Binary, number) => {
            let billionths = number.and_then(|number| rounded(number, exponent));
            capped(parts.signed(billionths.unwrap_or(i128::MAX)))
        }
        (_, None) => Value::About(format!("{sign}{shifted}e{exponent}").parse().unwrap_or_default()),
        (_, Some(number)) if exponent >= FINEST => Value::Billionths(parts.signed(number), exponent),
        (_, Some(number)) => {
            let billionths = rounded(number, exponent).unwrap_or(i128::MAX);
            Value::Exact(parts.signed(billionths), FINEST)
        }
    };
    Ok(Quantity { value, format, written: None })
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Result<Self, InvalidQuantity> {
        if text.is_empty() {
            return Err(InvalidQuantity::Syntax);
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, after) = digits(unsigned);
        let (fraction, suffix) = after.strip_prefix('.').map_or(("", after), digits);
        let power = suffix.trim_start_matches(|character| "eEinumkKMGTP".contains(character));
        if !digits(power.strip_prefix(['+', '-']).unwrap_or(power)).1.is_empty() {
            return Err(InvalidQuantity::Syntax);
        }
        let whole = whole.trim_start_matches('0');
        Ok(Self {
            negative: text.starts_with('-'),
            number: &text[..text.len() - suffix.len()],
            whole: if whole.is_empty() { "0" } else { whole },
            fraction,
            suffix,
        })
    }

    fn signed(&self, number: i128) -> i128 {
        if self.negative { -number } else { number }
    }
}

/// The power of ten or of two that a suffix stands for.
fn unit(suffix: &str) -> Option<(Format, i32)> {
    if let Some((_, power)) = SUFFIXES.iter().find(|(name, _)| *name == suffix) {
        return Some((Format::Suffix, *power));
    }
    if let Some(at) = BINARY_SUFFIXES.iter().position(|name| *name == suffix) {
        return Some((Format::Binary, 10 * i32::try_from(at + 1).ok()?));
    }
    Some((Format::Exponent, suffix.strip_prefix(['e', 'E'])?.parse().ok()?))
}

/// The number in billionths, rounded up.
fn rounded(number: i128, exponent: i32) -> Option<i128> {
    let steps = exponent.checked_sub(FINEST)?;
    let factor = 10_i128.checked_pow(steps.unsigned_abs());
    if steps >= 0 {
        return number.checked_mul(factor?);
    }
    // A divisor that does not fit into its type is larger than any number.
    Some(factor.map_or(i128::from(number != 0), |factor| number / factor + i128::from(number % factor != 0)))
}

/// Binary quantities are capped at the largest integer of 64 bits.
fn capped(billionths: i128) -> Value {
    let largest = i128::from(i64::MAX);
    if billionths.abs() > largest * 1_000_000_000 {
        Value::Exact(largest * billionths.signum(), 0)
    } else {
        Value::Exact(billionths, FINEST)
    }
}

impl Quantity {
    /// The value in floating point. The last digit depends on the order of operations, which is that of Go.
    pub fn number(&self) -> f64 {
        match self.value {
            #[expect(clippy::cast_precision_loss, reason = "the nearest number is wanted")]
            Value::Exact(number, 0) => number as f64,
            #[expect(clippy::cast_precision_loss, reason = "the nearest number is wanted")]
            Value::Exact(number, exponent) => number as f64 * power_of_ten(exponent),
            Value::Billionths(number, exponent) => {
                let billionths = format!("{number}e{}", exponent.saturating_sub(FINEST));
                billionths.parse::<f64>().unwrap_or_default() * power_of_ten(FINEST)
            }
            Value::About(number) => number,
        }
    }
}

/// The floating point number nearest to a power of ten.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or_default()
}

impl fmt::Display for Quantity {
    /// The canonical form: an integer and a suffix.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(written) = &self.written {
            return f.write_str(written);
        }
        let (number, exponent) = match self.value {
            Value::Exact(0, _) | Value::Billionths(0, _) => return f.write_str("0"),
            Value::Exact(number, exponent) | Value::Billionths(number, exponent) => (number, exponent),
            Value::About(number) => return number.fmt(f),
        };
        let unit = 10_i128.pow(if exponent < 0 { exponent.unsigned_abs() } else { 0 });
        if self.format == Format::Binary && number.abs() >= 1024 * unit && number % unit == 0 {
            return binary(f, number / unit);
        }
        let (mut number, mut exponent) = (number, exponent);
        while number % 10 == 0 {
            (number, exponent) = (number / 10, exponent.saturating_add(1));
        }
        while exponent % 3 != 0 {
            (number, exponent) = (number.saturating_mul(10), exponent - 1);
        }
        write!(f, "{number}")?;
        match self.format {
            Format::Exponent if exponent == 0 => Ok(()),
            Format::Exponent => write!(f, "e{exponent}"),
            Format::Suffix | Format::Binary => {
                // Exponents beyond the largest suffix have none.
                f.write_str(
                    SUFFIXES.iter().find(|(_, power)| *power == exponent).map_or("", |(name, _)| name),
                )
            }
        }
    }
}

fn binary(f: &mut fmt::Formatter<'_>, mut number: i128) -> fmt::Result {
    let mut suffixes = BINARY_SUFFIXES.iter();
    let mut suffix = "";
    while number % 1024 == 0 {
        number /= 1024;
        suffix = suffixes.next().copied().unwrap_or_default();
    }
    write!(f, "{number}{suffix}")
}
