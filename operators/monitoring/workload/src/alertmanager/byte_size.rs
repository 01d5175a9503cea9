//! Sizes in bytes, which users write with units and Alertmanager wants without.

/// Units by how often they multiply by 1024.
const UNITS: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];

/// How many bytes a size is, such as `1GB`, `512MiB` or `1GiB512KiB`; 0, if it cannot be read. All units count 1024, and one
/// size has units of one spelling.
pub(super) fn bytes(text: &str) -> i64 {
    read(text, "iB").or_else(|| read(text, "B")).unwrap_or_default()
}

fn read(text: &str, suffix: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
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
    whole(if negative { -sum } else { sum })
}

fn factor(unit: &str, suffix: &str) -> Option<f64> {
    let letter =
        if unit == "B" { "" } else { unit.strip_suffix(suffix).filter(|letter| !letter.is_empty())? };
    let power = UNITS.iter().position(|unit| *unit == letter)?;
    Some(1024_f64.powi(i32::try_from(power).ok()?))
}

/// The number without its fraction, unless it is too large.
#[expect(clippy::cast_possible_truncation, reason = "the fraction goes, and the size was looked at before")]
fn whole(number: f64) -> Option<i64> {
    (number.abs() < 2_f64.powi(63)).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, expected) in [
            ("0", 0),
            ("0B", 0),
            ("10B", 10),
            ("1.5KB", 1536),
            ("1KiB", 1024),
            ("+1MB1B", 1_048_577),
            ("-1KiB", -1024),
            ("1.7B", 1),
            (".5KB", 512),
            ("1GB", 1_073_741_824),
            ("7EB", 8_070_450_532_247_928_832),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_nothing() {
        for text in ["", "-", "10", "B", ".B", "1iB", "1kB", "1KB1KiB", "1.2.3B", "9EB", "ten"] {
            assert_eq!(bytes(text), 0, "{text}");
        }
    }
}
