//! The parser of users' YAML: a parsed value is written, and parsed again to the same value.

use formats::yaml::{Value, read, serde, write};

use super::yaml_emitter::shape;

/// Uses the input as a YAML document.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // The parser for types uses other code for the same text.
    let _ = serde::from_text::<serde_json::Value>(text);
    let Ok(document) = read(text) else { return };
    let once = write(&document.value);
    if has_disputed_line_break(&document.value) {
        return;
    }
    let again = read(&once).unwrap_or_else(|error| parse_failed(&once, &error.to_string()));
    assert_eq!(shape(&again.value), shape(&document.value), "parsed to another value: {once:?}");
    assert_eq!(again.ignored_merges, Vec::<usize>::new(), "{once:?}");
}

#[expect(clippy::panic, reason = "a panic reports the input to the search")]
pub(super) fn parse_failed(text: &str, error: &str) -> ! {
    panic!("cannot be parsed: {error}: {text:?}")
}

/// Whether a text contains one of the two characters that end a line for the writer, which uses YAML 1.1, and not for
/// the parser.
pub(super) fn has_disputed_line_break(value: &Value) -> bool {
    let differs = |text: &str| text.contains(['\u{2028}', '\u{2029}']);
    match value {
        Value::Text(text) => differs(text),
        Value::Row(texts) => texts.iter().any(|text| differs(text)),
        Value::List(list) => list.iter().any(has_disputed_line_break),
        Value::Map(map) => {
            map.0.iter().any(|(key, value)| has_disputed_line_break(key) || has_disputed_line_break(value))
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Binary(_) => false,
    }
}
