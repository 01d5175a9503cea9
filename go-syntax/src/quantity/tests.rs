//! Quantities as numbers and as texts, and texts that are rejected.

use super::*;

#[test]
#[expect(clippy::float_cmp, reason = "the last digit is what matters")]
fn numbers_are_equal_to_the_last_digit() {
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
        ("9Ei", 9_223_372_036_854_775_807.0),
        ("1e300", 1e300),
        ("497715941174193.1602958P", f64::from_bits(0x4619_20d3_e88c_5877)),
    ] {
        assert_eq!(parse(text).unwrap().number(), expected, "{text}");
    }
}

#[test]
fn quantities_have_a_canonical_form() {
    for (text, expected) in [
        ("-0.5", "-500m"),
        ("2", "2"),
        ("1500m", "1500m"),
        ("2000", "2k"),
        ("1e1", "10"),
        ("1e3", "1e3"),
        ("2Ki", "2Ki"),
        ("2048Ki", "2Mi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("0.0", "0"),
        ("1.5", "1500m"),
        ("497715941174193.1602958P", "497715941174193160295800M"),
        ("10e2147483647", "10e2147483646"),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), expected, "{text}");
    }
}

#[test]
fn quantities_are_numbers_with_a_suffix() {
    for good in
        ["0", "10m", "50Mi", "1.5", "-1", "+.5k", "1e3", "1E-3", "1E", "2Ei", "1.", "+", ".", "Mi", "00"]
    {
        assert_eq!(parse(good).map(|_| ()), Ok(()), "{good}");
    }
    for bad in ["", "ten", "1 Mi", "1..2", "1Mi ", "1m5m", "1,5", "Mi1k"] {
        assert_eq!(parse(bad), Err(InvalidQuantity::Syntax), "{bad}");
    }
    for bad in ["Pi", "-Ei", ".e-10"] {
        assert_eq!(parse(bad), Err(InvalidQuantity::Number), "{bad}");
    }
    for bad in ["1e", "1mm", "1K", "1m5", "1+5", "--1", "1e99999999999999999999"] {
        assert_eq!(parse(bad), Err(InvalidQuantity::Unit), "{bad}");
    }
}
