//! Recorded cases of the Prometheus Operator, and some cases of our own.

mod documents;

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(Map(entries.iter().map(|(key, value)| ((*key).to_owned().into(), value.clone())).collect()))
}

/// Recorded styles of strings.
fn recorded() -> Option<Json> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let file = beside.join("prometheus-operator/yaml-scalars/scalars.json");
    let text = std::fs::read_to_string(file).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn strings_are_written_as_recorded() {
    let Some(recorded) = recorded() else {
        println!("SKIPPED: there are no recorded cases beside this checkout");
        return;
    };
    let cases = recorded["strings"].as_array().unwrap();
    assert!(cases.len() > 100);
    let mut wrong = Vec::new();
    for case in cases {
        let text = case["value"].as_str().unwrap();
        let value = || Value::from(text.to_owned());
        let nested =
            map(&[("a", vec![map(&[("b", vec![value(), "z".into()].into()), ("c", value())])].into())]);
        for (kind, value) in [
            ("config", map(&[("k", value())])),
            ("configAsKey", map(&[(text, "x".into())])),
            ("configNested", nested),
        ] {
            let (expected, found) = (case[kind].as_str().unwrap(), write(&value));
            // The Prometheus Operator writes invalid YAML here.
            if expected != found && expected != "<<: x\n" {
                wrong.push(format!("{kind} {text:?}: expected {expected:?}, found {found:?}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn blocks_are_indented_by_two_and_lists_are_at_the_column_of_their_key() {
    let value = map(&[
        ("empty", map(&[("list", Value::List(Vec::new())), ("map", Value::Map(Map::new()))])),
        (
            "lists",
            vec![Value::from(vec![1_i64, 2]), vec![map(&[("a", true.into()), ("b", Value::Null)])].into()]
                .into(),
        ),
        ("z", vec![map(&[("a", vec!["x"].into()), ("b", map(&[("c", 1.5.into())]))])].into()),
    ]);
    let expected = "empty:
  list: []
  map: {}
lists:
- - 1
  - 2
- - a: true
    b: null
z:
- a:
  - x
  b:
    c: 1.5
";
    assert_eq!(write(&value), expected);
}

#[test]
fn everything_after_a_byte_order_mark_is_escaped() {
    assert_eq!(write(&"\u{feff}a é".into()), "\"\\uFEFF\\x61\\x20\\xE9\"\n");
    assert_eq!(write(&"a\u{feff}b".into()), "\"a\\uFEFFb\"\n");
}

/// The Prometheus Operator writes invalid YAML here.
#[test]
fn a_key_that_looks_like_a_merge_is_quoted() {
    let value = map(&[("<<", "<<".into())]);
    assert_eq!(write(&value), "\"<<\": <<\n");
    assert_eq!(read(&write(&value)), Ok(ReadDocument { value, ignored_merges: Vec::new() }));
}

#[test]
fn a_long_key_has_a_line_of_its_own() {
    let long = "k".repeat(129);
    assert_eq!(write(&map(&[(&long, "v".into())])), format!("? {long}\n: v\n"));
    let long = "k".repeat(128);
    assert_eq!(write(&map(&[(&long, "v".into())])), format!("{long}: v\n"));
}

/// Strings with many special characters, spaces and line breaks.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ \n\t:#'\"\\\\{}\\[\\],&*!|>%@`~?=-]{0,12}",
        "[a-c \n]{0,40}",
        "([a-z]{1,9} ){0,40}",
        "[0-9.eE_xobXinfaNTZ:+-]{0,10}",
        any::<String>(),
    ]
    .prop_filter("the reader of this test accepts more spellings of booleans and null than YAML", |text| {
        !is_almost_boolean(text)
    })
}

/// `oN`, `tRUE`: strings in YAML, but not for the reader of this test.
fn is_almost_boolean(text: &str) -> bool {
    let word = text.to_lowercase();
    let is_boolean = ["yes", "no", "on", "off", "true", "false", "null"].contains(&&*word);
    let capitalised = word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect();
    is_boolean && ![word.clone(), word.to_uppercase(), capitalised].contains(&text.to_owned())
}

/// Values with strings, and the same as JSON.
fn values() -> impl Strategy<Value = (Value, Json)> {
    let leaf = texts().prop_map(|text| (Value::from(text.clone()), json!(text)));
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| {
                let (values, plain): (Vec<Value>, Vec<Json>) = items.into_iter().unzip();
                (Value::List(values), Json::Array(plain))
            }),
            prop::collection::btree_map(texts(), inner, 0..4).prop_map(|entries| {
                let mut map = Map::new();
                let mut plain = serde_json::Map::new();
                for (key, (value, json)) in entries {
                    map.push(key.clone(), value);
                    plain.insert(key, json);
                }
                (Value::Map(map), Json::Object(plain))
            }),
        ]
    })
}

#[test]
fn bytes_that_are_no_text_are_written_in_base64() {
    let short: &[u8] = &[0xff, 0x00];
    let long: &[u8] = &[0xff; 60];
    assert_eq!(
        write(&map(&[("short", short.into()), ("text", b"yes".as_slice().into()), ("z", long.into())])),
        format!(
            "short: !!binary /wA=\ntext: \"yes\"\nz: !!binary |\n  {}\n  {}\n",
            "/".repeat(70),
            "/".repeat(10)
        )
    );
}

proptest! {
    #[test]
    fn a_written_value_is_read_back((value, expected) in values()) {
        let text = write(&map(&[("k", value)]));
        let found: Json = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
        prop_assert_eq!(found, json!({"k": expected}), "{:?}", text);
    }
}
