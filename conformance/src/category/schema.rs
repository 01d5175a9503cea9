//! Compares every path of every schema and the other fields of the CRDs, and checks that no field is lost when an object is
//! parsed. Our CRDs are read from `deploy`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::round_trip;
use crate::compare::{Comparison, Outcome};

/// Columns with the values of the schema.
const PLAIN: &[&str] = &[
    "type",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

type Facts = BTreeMap<String, String>;

/// One outcome for each path, and one for each CRD.
pub(crate) fn run(folder: &Path) -> Result<Vec<Outcome>> {
    let definitions = definitions()?;
    let mut outcomes = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if path.extension().is_some_and(|extension| extension == "tsv") {
            let text = std::fs::read_to_string(&path)?;
            let rows = table(&text);
            outcomes.extend(paths(name, &rows, &definitions)?);
            outcomes.extend(round_trip::outcome(name, &rows));
        }
    }
    let whole = std::fs::read_to_string(folder.join("crds.json")).context("reading crds.json")?;
    for expected in serde_json::from_str::<Vec<Value>>(&whole)? {
        outcomes.push(about(&expected, &definitions));
    }
    outcomes.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(outcomes)
}

/// Our CRDs by name, and the CRD that serves all versions, like that of the Prometheus Operator.
fn definitions() -> Result<BTreeMap<String, Value>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy"));
    let crds = folder.join("crds");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crds).with_context(|| format!("reading {}", crds.display()))? {
        files.push(entry?.path());
    }
    files.push(folder.join("alertmanagerconfig-v1beta1.yaml"));
    let mut definitions = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        let definition: Value = serde_saphyr::from_str(&text)?;
        let name =
            definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        definitions.insert(name, definition);
    }
    Ok(definitions)
}

/// Rows by path, cells by column.
fn table(text: &str) -> BTreeMap<String, Facts> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines
        .map(|line| {
            let cells: Facts = columns
                .iter()
                .zip(line.split('\t'))
                .filter(|(_, cell)| !cell.is_empty())
                .map(|(column, cell)| ((*column).to_owned(), cell.to_owned()))
                .collect();
            (cells.get("path").cloned().unwrap_or_default(), cells)
        })
        .collect()
}

fn paths(
    name: &str,
    expected: &BTreeMap<String, Facts>,
    definitions: &BTreeMap<String, Value>,
) -> Result<Vec<Outcome>> {
    let (kind, version) = name.rsplit_once('-').context("the name of the table has no version")?;
    let schema = definitions
        .values()
        .filter(|definition| definition["spec"]["names"]["singular"] == kind)
        .flat_map(|definition| definition["spec"]["versions"].as_array().into_iter().flatten())
        .find(|candidate| candidate["name"] == version)
        .map(|found| &found["schema"]["openAPIV3Schema"]);
    let mut found = BTreeMap::new();
    if let Some(schema) = schema {
        walk(schema, "", false, &mut found);
    }
    let names: std::collections::BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let none = Facts::new();
    Ok(names
        .into_iter()
        .map(|path| {
            let (expected, found) = (expected.get(path).unwrap_or(&none), found.get(path).unwrap_or(&none));
            outcome(format!("{name}{path}"), &json!(expected), &json!(found))
        })
        .collect())
}

/// Collects the facts of a schema about each of its paths.
fn walk(schema: &Value, path: &str, required: bool, facts: &mut BTreeMap<String, Facts>) {
    let name = if path.is_empty() { "(root)" } else { path };
    let mut here = Facts::from([("path".to_owned(), name.to_owned())]);
    let mut add = |column: &str, value: String| here.insert(column.to_owned(), value);
    for column in PLAIN {
        if let Some(value) = schema.get(column) {
            add(column, plain(value));
        }
    }
    if required {
        add("required", "required".into());
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        add("nullable", "nullable".into());
    }
    for (column, key) in [
        ("listType", "x-kubernetes-list-type"),
        ("listMapKeys", "x-kubernetes-list-map-keys"),
        ("mapType", "x-kubernetes-map-type"),
        ("intOrString", "x-kubernetes-int-or-string"),
        ("preserveUnknownFields", "x-kubernetes-preserve-unknown-fields"),
        ("embeddedResource", "x-kubernetes-embedded-resource"),
    ] {
        if let Some(value) = schema.get(key) {
            add(column, plain(value));
        }
    }
    for (column, key) in [("default", "default"), ("enum", "enum"), ("celRules", "x-kubernetes-validations")]
    {
        if let Some(value) = schema.get(key) {
            add(column, value.to_string());
        }
    }
    let joined: serde_json::Map<String, Value> = ["allOf", "anyOf", "not", "oneOf"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), schema.get(key)?.clone())))
        .collect();
    if !joined.is_empty() {
        add("oneOf/anyOf/allOf/not", Value::Object(joined).to_string());
    }
    let values = schema.get("additionalProperties").filter(|values| values.is_object());
    if values.is_some() {
        add("additionalProperties", "schema".into());
    }
    facts.insert(name.to_owned(), here);
    let is_required = |field: &String| {
        schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|name| name == field))
    };
    for (field, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        walk(property, &format!("{path}.{field}"), is_required(field), facts);
    }
    if let Some(items) = schema.get("items") {
        walk(items, &format!("{path}[]"), false, facts);
    }
    if let Some(values) = values {
        walk(values, &format!("{path}{{}}"), false, facts);
    }
}

/// The text of a cell: strings without quotes, integers without a fraction.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number
            .as_f64()
            .filter(|number| number.fract() == 0.0)
            .map_or(number.to_string(), |whole| whole.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// Names, scope, columns, subresources.
fn about(expected: &Value, definitions: &BTreeMap<String, Value>) -> Outcome {
    let name = expected["crd"].as_str().unwrap_or_default();
    let ours = definitions.get(name).cloned().unwrap_or_default();
    let spec = &ours["spec"];
    let versions: Vec<Value> = spec["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|version| {
            json!({
                "name": version["name"],
                "served": version["served"],
                "storage": version["storage"],
                "deprecated": version["deprecated"],
                "selectableFields": some(&version["selectableFields"]),
                "printerColumns": some(&version["additionalPrinterColumns"]),
                "subresources": version["subresources"],
            })
        })
        .collect();
    let mut names = spec["names"].clone();
    if names["listKind"].is_null() {
        names["listKind"] = format!("{}List", names["kind"].as_str().unwrap_or_default()).into();
    }
    let found = json!({
        "crd": name, "group": spec["group"], "names": names, "scope": spec["scope"], "versions": versions,
    });
    let mut expected = expected.clone();
    if let Some(expected) = expected.as_object_mut() {
        // The annotations name the program that wrote the file.
        expected.remove("annotations");
    }
    outcome(name.to_owned(), &expected, &found)
}

/// An empty list equals none.
fn some(value: &Value) -> Value {
    if value.as_array().is_some_and(Vec::is_empty) { Value::Null } else { value.clone() }
}

fn outcome(name: String, expected: &Value, found: &Value) -> Outcome {
    let comparison = if expected == found {
        Comparison::Same
    } else {
        let shown = |value| serde_json::to_string_pretty(value).unwrap_or_default();
        Comparison::Different { expected: shown(expected), found: shown(found) }
    };
    Outcome { name, comparison, output: None }
}
