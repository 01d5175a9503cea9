//! Which texts are values of each type.

use super::*;

#[test]
fn booleans_have_six_spellings_each() {
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

fn float(text: &str) -> Result<f64, RejectedValue> {
    let mut number = 0.0;
    number.set(text).map(|()| number)
}

#[test]
fn numbers_are_decimal() {
    let (syntax, range) =
        (|| RejectedValue::parse("parse error"), || RejectedValue::parse("value out of range"));
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
        ("1e400", Err(range())),
        ("-1e400", Err(range())),
        ("", Err(syntax())),
        (".", Err(syntax())),
        ("1e", Err(syntax())),
        ("_1", Err(syntax())),
        ("1_", Err(syntax())),
        ("1__0", Err(syntax())),
        ("+nan", Err(syntax())),
        ("0x1p-1", Err(syntax())),
        ("half", Err(syntax())),
    ] {
        assert_eq!(float(text), expected, "{text}");
    }
    assert!(float("NaN").unwrap().is_nan());
}

#[test]
fn quantities_are_numbers_with_a_unit() {
    let set = |text: &str| Quantity::default().set(text);
    for good in
        ["0", "10m", "50Mi", "1.5", "-1", "+.5k", "1e3", "1E-3", "1E", "2Ei", "1.", "+", ".", "Mi", "00", ""]
    {
        assert_eq!(set(good), Ok(()), "{good}");
    }
    let form = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    for bad in ["ten", "1 Mi", "1..2", "1Mi ", "1m5m", "1,5", "Mi1k"] {
        assert_eq!(set(bad), Err(RejectedValue::parse(form)), "{bad}");
    }
    for bad in ["Pi", "-Ei", ".e-10"] {
        assert_eq!(set(bad), Err(RejectedValue::parse("unable to parse numeric part of quantity")), "{bad}");
    }
    for bad in ["1e", "1mm", "1K", "1m5", "1+5", "--1", "1e99999999999999999999"] {
        assert_eq!(set(bad), Err(RejectedValue::parse("unable to parse quantity's suffix")), "{bad}");
    }
}
