//! The writer of YAML: a written value is parsed to the same value, by our parser and by another one.

use arbitrary::{Result, Unstructured};
use formats::yaml::{Map, Value, read, write};
use serde_json::{Value as Json, json};

use super::yaml_reader::{has_disputed_line_break, parse_failed};

/// How deeply values are nested.
const MAX_DEPTH: usize = 6;

/// Creates a value from the input, and checks it.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(value) = value(&mut Unstructured::new(input), 0) else { return };
    let text = write(&value);
    if has_disputed_line_break(&value) {
        return;
    }
    let read = read(&text).unwrap_or_else(|error| parse_failed(&text, &error.to_string()));
    assert_eq!(shape(&read.value), shape(&value), "{text:?}");
    // Parsers of YAML 1.2 read texts in the same way as those of YAML 1.1, but not numbers.
    if let Some(expected) = plain(&value) {
        let found: Json =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| parse_failed(&text, &error.to_string()));
        assert_eq!(found, expected, "{text:?}");
    }
}

fn value(input: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let kinds = if depth < MAX_DEPTH { 12 } else { 8 };
    Ok(match input.int_in_range(0..=kinds - 1)? {
        0 => Value::Null,
        1 => Value::Bool(input.arbitrary()?),
        2 => Value::Int(input.arbitrary()?),
        3 => Value::Uint(input.arbitrary()?),
        4 => Value::Float(input.arbitrary()?),
        5 => Value::from(input.arbitrary::<Vec<u8>>()?.as_slice()),
        6 | 7 => input.arbitrary::<String>()?.into(),
        8 => Value::Row(input.arbitrary()?),
        9 => Value::List(several(input, |input| value(input, depth + 1))?),
        10 => Value::Map(Map(several(input, |input| {
            Ok((input.arbitrary::<String>()?.into(), value(input, depth + 1)?))
        })?)),
        _ => {
            Value::Map(Map(several(input, |input| Ok((value(input, depth + 1)?, value(input, depth + 1)?)))?))
        }
    })
}

fn several<T>(
    input: &mut Unstructured<'_>,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    while !input.is_empty() && input.ratio(3, 4)? {
        all.push(one(input)?);
    }
    Ok(all)
}

/// A value without what a file does not contain: the style of lists, the type of numbers, and the sign of zero.
pub(super) fn shape(value: &Value) -> Value {
    let number = |text: String| Value::from(format!("the number {text}"));
    match value {
        Value::Int(whole) => number(whole.to_string()),
        Value::Uint(whole) => number(whole.to_string()),
        #[expect(clippy::cast_possible_truncation, reason = "it is small")]
        Value::Float(small) if small.fract() == 0.0 && small.abs() < 1e6 => {
            number((*small as i64).to_string())
        }
        Value::Float(float) => number(format!("{float:?}")),
        Value::Row(texts) => Value::List(texts.iter().cloned().map(Value::from).collect()),
        Value::List(list) => Value::List(list.iter().map(shape).collect()),
        Value::Map(map) => {
            Value::Map(Map(map.0.iter().map(|(key, value)| (shape(key), shape(value))).collect()))
        }
        Value::Null | Value::Bool(_) | Value::Text(_) | Value::Binary(_) => value.clone(),
    }
}

/// The value as JSON, if it consists of texts that all parsers read in the same way.
fn plain(value: &Value) -> Option<Json> {
    match value {
        Value::Text(text) => (!is_disputed(text)).then(|| json!(text)),
        Value::Row(texts) => texts.iter().cloned().map(|text| plain(&text.into())).collect(),
        Value::List(list) => list.iter().map(plain).collect(),
        Value::Map(map) => {
            let mut entries = serde_json::Map::new();
            for (key, value) in &map.0 {
                let Json::String(key) = plain(key)? else { return None };
                if entries.insert(key, plain(value)?).is_some() {
                    return None;
                }
            }
            Some(entries.into())
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Binary(_) => None,
    }
}

/// Texts that the other parser does not read as texts: `oN`, `tRUE`, and numbers that are too large, such as `1e999`.
fn is_disputed(text: &str) -> bool {
    let is_truth =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(&&*text.to_lowercase());
    is_truth || text.replace('_', "").parse().is_ok_and(f64::is_infinite)
}
