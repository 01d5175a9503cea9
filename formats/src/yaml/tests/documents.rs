//! Whole documents of the peer: read with the order of their keys, and written again byte by byte.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::super::{Map, Value, write};

/// A value as it is read: with the order of its keys.
struct Read(Value);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Anything).map(Self)
    }
}

struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Read(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let rows = ["weekdays", "days_of_month", "months", "years"].map(Value::from);
        let mut map = Map::new();
        while let Some((Read(key), Read(value))) = entries.next_entry()? {
            let is_row = rows.contains(&key);
            map.push(key, if is_row { row(value) } else { value });
        }
        Ok(map.into())
    }
}

/// Whether a list was in one line is lost in reading.
fn row(list: Value) -> Value {
    let Value::List(list) = list else { return list };
    let text = |value: Value| {
        let Value::Text(text) = value else { panic!("{value:?} in a row") };
        text
    };
    Value::Row(list.into_iter().map(text).collect())
}

/// Every text in a case that is a document.
fn documents(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let case: Json = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let ranges = case["ranges"].as_array().into_iter().flatten();
        for output in std::iter::once(&case).chain(ranges).filter_map(|one| one["output"].as_str()) {
            if output.is_empty() {
                continue;
            }
            found.push((path.file_name().unwrap().to_string_lossy().into_owned(), output.to_owned()));
        }
    }
    found
}

#[test]
fn documents_are_written_as_the_peer_wrote_them() {
    let cases =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance/prometheus-operator");
    if !cases.is_dir() {
        println!("left out: there are no recorded cases beside this checkout");
        return;
    }
    let folders = [
        "prometheus-config",
        "prometheus-config-versions",
        "alertmanager-config",
        "alertmanager-config-versions",
        "files",
    ];
    let all: Vec<(String, String)> =
        folders.iter().flat_map(|folder| documents(&cases.join(folder))).collect();
    assert!(all.len() > 1000, "{} documents", all.len());
    let mut wrong = Vec::new();
    for (name, expected) in &all {
        let Ok(Read(value)) = serde_saphyr::from_str(expected) else {
            wrong.push(format!("{name} cannot be read"));
            continue;
        };
        let found = write(&value);
        if let Some((expected, found)) = expected.lines().zip(found.lines()).find(|(one, other)| one != other)
        {
            wrong.push(format!("{name}: expected {expected:?}, found {found:?}"));
        } else if *expected != found {
            wrong.push(format!("{name}: another end"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{} of {}", wrong.len(), all.len());
}
