//! Recorded files of the Prometheus Operator: they are read in order, and written again with the same bytes.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::super::{Map, Value, read, write};

/// Keys whose lists are written in one line.
const ROWS: [&str; 4] = ["weekdays", "days_of_month", "months", "years"];

/// Restores the style of lists, which reading does not preserve.
fn with_rows(value: Value) -> Value {
    match value {
        Value::Map(Map(entries)) => {
            let is_row = |key: &Value| ROWS.iter().any(|row| *key == Value::from(*row));
            let styled =
                |(key, value)| if is_row(&key) { (key, row(value)) } else { (key, with_rows(value)) };
            Value::Map(Map(entries.into_iter().map(styled).collect()))
        }
        Value::List(list) => Value::List(list.into_iter().map(with_rows).collect()),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Binary(_)
        | Value::Row(_) => value,
    }
}

fn row(list: Value) -> Value {
    let Value::List(list) = list else { return list };
    let text = |value: Value| {
        let Value::Text(text) = value else { panic!("{value:?} in a row") };
        text.into_owned()
    };
    Value::Row(list.into_iter().map(text).collect())
}

/// Every output of a case.
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
fn recorded_files_are_written_with_the_same_bytes() {
    let cases =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance/prometheus-operator");
    if !cases.is_dir() {
        println!("SKIPPED: there are no recorded cases beside this checkout");
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
        let found = match read(expected) {
            Ok(document) => write(&with_rows(document.value)),
            Err(error) => error.to_string(),
        };
        if let Some((expected, found)) = expected.lines().zip(found.lines()).find(|(one, other)| one != other)
        {
            wrong.push(format!("{name}: expected {expected:?}, found {found:?}"));
        } else if *expected != found {
            wrong.push(format!("{name}: the end differs"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{} of {}", wrong.len(), all.len());
}
