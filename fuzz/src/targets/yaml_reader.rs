//! The parser of users' YAML: whatever it accepts is written, and parsed to the same again.

use formats::yaml::{Value, read, serde, write};

use super::yaml_emitter::shape;

/// Tries a text.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // The reader into types goes another way through the same text.
    let _ = serde::from_text::<serde_json::Value>(text);
    let Ok(document) = read(text) else { return };
    let once = write(&document.value);
    if breaks_differently(&document.value) {
        return;
    }
    let again = read(&once).unwrap_or_else(|error| unreadable(&once, &error.to_string()));
    assert_eq!(shape(&again.value), shape(&document.value), "another value comes back: {once:?}");
    assert_eq!(again.ignored_merges, Vec::<usize>::new(), "{once:?}");
}

#[expect(clippy::panic, reason = "that is how a search learns that it found something")]
fn unreadable(text: &str, error: &str) -> ! {
    panic!("cannot be read again: {error}: {text:?}")
}

/// Whether a text in it has one of the two signs that end a line to the writer, which keeps to YAML 1.1, and not to the
/// reader.
pub(super) fn breaks_differently(value: &Value) -> bool {
    let differs = |text: &str| text.contains(['\u{2028}', '\u{2029}']);
    match value {
        Value::Text(text) => differs(text),
        Value::Row(texts) => texts.iter().any(|text| differs(text)),
        Value::List(list) => list.iter().any(breaks_differently),
        Value::Map(map) => {
            map.0.iter().any(|(key, value)| breaks_differently(key) || breaks_differently(value))
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Binary(_) => false,
    }
}
