//! Kubernetes quantities as whole bytes, and back. Called by the provisioner, which compares requests with capacities.
//! Exact integer arithmetic throughout: a volume is never smaller than its request.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// The suffixes and their factors, as a power of ten or of two.
const SUFFIXES: [(&str, Unit); 16] = [
    ("", Unit::Ten(0)),
    ("n", Unit::Ten(-9)),
    ("u", Unit::Ten(-6)),
    ("m", Unit::Ten(-3)),
    ("k", Unit::Ten(3)),
    ("M", Unit::Ten(6)),
    ("G", Unit::Ten(9)),
    ("T", Unit::Ten(12)),
    ("P", Unit::Ten(15)),
    ("E", Unit::Ten(18)),
    ("Ki", Unit::Two(10)),
    ("Mi", Unit::Two(20)),
    ("Gi", Unit::Two(30)),
    ("Ti", Unit::Two(40)),
    ("Pi", Unit::Two(50)),
    ("Ei", Unit::Two(60)),
];

#[derive(Clone, Copy)]
enum Unit {
    Ten(i32),
    Two(u32),
}

/// A quantity in bytes, rounded up. `None` if it is malformed, negative, or does not fit into 64 bits.
pub fn bytes(quantity: &Quantity) -> Option<u64> {
    let text = quantity.0.strip_prefix('+').unwrap_or(&quantity.0);
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let mantissa: u128 = digits.parse().ok()?;
    let decimals = i32::try_from(fraction.len()).ok()?;
    let (power_of_ten, factor) = match unit(suffix)? {
        Unit::Ten(power) => (power.checked_sub(decimals)?, 1),
        Unit::Two(power) => (decimals.checked_neg()?, 1_u128.checked_shl(power)?),
    };
    let scale = 10_u128.checked_pow(power_of_ten.unsigned_abs());
    let product = mantissa.checked_mul(factor)?;
    let rounded = match scale {
        Some(scale) if power_of_ten < 0 => product.div_ceil(scale),
        Some(scale) => product.checked_mul(scale)?,
        None if product == 0 => 0,
        None if power_of_ten < 0 => 1,
        None => return None,
    };
    u64::try_from(rounded).ok()
}

fn unit(suffix: &str) -> Option<Unit> {
    let named = SUFFIXES.iter().find(|(name, _)| *name == suffix).map(|(_, unit)| *unit);
    named.or_else(|| suffix.strip_prefix(['e', 'E'])?.parse().ok().map(Unit::Ten))
}

/// A number of bytes as a quantity, with the largest binary suffix that keeps it whole.
pub fn of_bytes(bytes: u64) -> Quantity {
    let units = [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let fitting = units.into_iter().find(|(_, power)| bytes != 0 && bytes.is_multiple_of(1 << power));
    Quantity(
        fitting.map_or_else(|| bytes.to_string(), |(suffix, power)| format!("{}{suffix}", bytes >> power)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_read() {
        let table = [
            ("0", Some(0)),
            ("1048576", Some(1 << 20)),
            ("+5", Some(5)),
            ("100M", Some(100_000_000)),
            ("100k", Some(100_000)),
            ("64Ki", Some(64 << 10)),
            ("100Mi", Some(100 << 20)),
            ("1.5Gi", Some(3 << 29)),
            (".5Gi", Some(1 << 29)),
            ("2.", Some(2)),
            ("1e9", Some(1_000_000_000)),
            ("1E3", Some(1000)),
            ("15e-1", Some(2)),
            ("1.5e3", Some(1500)),
            ("1500m", Some(2)),
            ("1n", Some(1)),
            ("2E", Some(2_000_000_000_000_000_000)),
            ("8Ei", Some(1 << 63)),
            ("1e-60", Some(1)),
        ];
        for (text, expected) in table {
            assert_eq!(bytes(&Quantity(text.into())), expected, "{text}");
        }
    }

    #[test]
    fn invalid_sizes_are_none() {
        for text in ["", "-1", "Gi", "1.2.3", "1 Gi", "1gi", "1K", "ten", "1e", "16Ei", "1e99999", "."] {
            assert_eq!(bytes(&Quantity(text.into())), None, "{text}");
        }
    }

    #[test]
    fn bytes_get_the_largest_binary_suffix() {
        for (number, text) in
            [(0, "0"), (1000, "1000"), (32 << 20, "32Mi"), (3 << 29, "1536Mi"), (1 << 40, "1Ti")]
        {
            assert_eq!(of_bytes(number), Quantity(text.into()));
            assert_eq!(bytes(&of_bytes(number)), Some(number));
        }
    }
}
