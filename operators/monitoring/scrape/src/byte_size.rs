//! Sizes in bytes, as far as one must know which of two is larger.

/// Units by how often they multiply by 1024, in either spelling.
const UNITS: [&str; 6] = ["K", "M", "G", "T", "P", "E"];

/// How many bytes a size is, such as `1GB`, `512MiB` or `1GiB512KiB`; 0, if it cannot be read. All units count 1024, and one
/// size has units of one spelling.
pub(crate) fn bytes(text: &str) -> f64 {
    read(text, "iB").or_else(|| read(text, "B")).unwrap_or_default()
}

fn read(text: &str, suffix: &str) -> Option<f64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0.0);
    }
    if rest.is_empty() {
        return None;
    }
    let is_number = |letter: char| letter == '.' || letter.is_ascii_digit();
    let mut sum = 0.0;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|letter| !is_number(letter))?);
        let (unit, after) = after.split_at(after.find(is_number).unwrap_or(after.len()));
        sum += number.parse::<f64>().ok()? * factor(unit, suffix)?;
        rest = after;
    }
    Some((sign * sum).trunc())
}

fn factor(unit: &str, suffix: &str) -> Option<f64> {
    if unit == "B" {
        return Some(1.0);
    }
    let letter = unit.strip_suffix(suffix)?;
    let power = UNITS.iter().position(|unit| *unit == letter)?;
    Some(1024_f64.powi(i32::try_from(power + 1).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "powers of two are exact")]
    fn sizes_are_read() {
        for (text, expected) in [
            ("0", 0.0),
            ("10B", 10.0),
            ("1KB", 1024.0),
            ("1KiB", 1024.0),
            ("1.5MB", 1_572_864.0),
            ("1KiB1B", 1025.0),
            ("1KB1MiB", 0.0),
            ("1.5B", 1.0),
            ("1kB", 0.0),
            ("12", 0.0),
            ("", 0.0),
            ("much", 0.0),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }
}
