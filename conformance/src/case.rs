//! A recorded case.

use std::path::Path;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use monitoring_assets::Objects;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// One input and the output of the Prometheus Operator.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Its name, unique in its category. It contains the version if one input is used for several versions.
    pub(crate) name: String,
    /// The function of the Prometheus Operator.
    pub(crate) function: String,
    /// The inputs of the function.
    pub(crate) inputs: Value,
    /// The output of the function.
    pub(crate) expected: Expected,
    /// The whole recorded case.
    pub(crate) whole: Value,
}

/// The output of the Prometheus Operator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expected {
    /// A result.
    Output(Value),
    /// An error message.
    Error(String),
}

/// All cases of a folder, by file name.
pub(crate) fn read(folder: &Path) -> Result<Vec<Case>> {
    if folder.file_name().is_some_and(|name| name.to_string_lossy().ends_with("-versions")) {
        return read_versions(folder);
    }
    files(folder)?.into_iter().map(|(_, whole)| case(whole)).collect()
}

fn case(whole: Value) -> Result<Case> {
    let name = text(&whole, "name")?;
    Ok(Case {
        function: text(&whole, "function").with_context(|| name.clone())?,
        inputs: whole.get("inputs").cloned().unwrap_or_default(),
        expected: expected(&whole),
        name,
        whole,
    })
}

fn expected(result: &Value) -> Expected {
    match result.get("error") {
        Some(Value::String(error)) => Expected::Error(error.clone()),
        _ => Expected::Output(result.get("output").cloned().unwrap_or_default()),
    }
}

/// The cases of the base folder, each with the first and the last version of every range.
fn read_versions(folder: &Path) -> Result<Vec<Case>> {
    let bases = folder.to_string_lossy().trim_end_matches("-versions").to_owned();
    let mut cases = Vec::new();
    for (file, ranges) in files(folder)? {
        let base = Path::new(&bases).join(&file);
        let base = case(value(&base)?)?;
        for range in ranges.get("ranges").and_then(Value::as_array).into_iter().flatten() {
            let expected = if range.get("sameAsBase") == Some(&Value::Bool(true)) {
                base.expected.clone()
            } else {
                expected(range)
            };
            let (from, to) = (text(range, "from")?, text(range, "to")?);
            let both = [from.clone(), to.clone()];
            for version in if from == to { &both[..1] } else { &both[..] } {
                cases.push(Case {
                    name: format!("{}@{version}", base.name),
                    inputs: at_version(&base.inputs, version),
                    expected: at(&expected, version),
                    ..base.clone()
                });
            }
        }
    }
    Ok(cases)
}

/// The expected output, with placeholders replaced by the version.
fn at(expected: &Expected, version: &str) -> Expected {
    fn fill(value: &mut Value, version: &str) {
        match value {
            Value::String(text) if text.contains("${VERSION}") => *text = text.replace("${VERSION}", version),
            Value::Array(values) => values.iter_mut().for_each(|value| fill(value, version)),
            Value::Object(values) => values.values_mut().for_each(|value| fill(value, version)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut expected = expected.clone();
    match &mut expected {
        Expected::Output(output) => fill(output, version),
        Expected::Error(message) => *message = message.replace("${VERSION}", version),
    }
    expected
}

/// The same inputs with another version.
fn at_version(inputs: &Value, version: &str) -> Value {
    let mut inputs = inputs.clone();
    for kind in ["prometheus", "prometheusAgent", "alertmanager", "thanosRuler"] {
        if let Some(spec) = inputs.pointer_mut(&format!("/{kind}/spec")).and_then(Value::as_object_mut) {
            spec.insert("version".into(), version.into());
        }
    }
    let options =
        inputs.as_object_mut().map(|inputs| inputs.entry("options").or_insert_with(|| Map::new().into()));
    if let Some(Value::Object(options)) = options {
        options.insert("effectiveVersion".into(), version.into());
    }
    inputs
}

/// Every file of a folder, with long texts expanded.
fn files(folder: &Path) -> Result<Vec<(String, Value)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, value(&path)?));
        }
    }
    files.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(files)
}

fn value(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let value = serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
    Ok(expanded(value))
}

/// Expands long texts, which are recorded as repetitions and concatenations.
fn expanded(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            if let Some(repeat) = object.get("$repeat") {
                let text = repeat["text"].as_str().unwrap_or_default();
                let count = repeat["count"]
                    .as_u64()
                    .and_then(|count| usize::try_from(count).ok())
                    .unwrap_or_default();
                return text.repeat(count).into();
            }
            if let Some(Value::Array(parts)) = object.get("$concat") {
                let parts = parts.iter().map(|part| expanded(part.clone()));
                return parts
                    .map(|part| part.as_str().unwrap_or_default().to_owned())
                    .collect::<String>()
                    .into();
            }
            object.into_iter().map(|(key, value)| (key, expanded(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(values) => values.into_iter().map(expanded).collect::<Vec<_>>().into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn text(value: &Value, key: &str) -> Result<String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .with_context(|| format!("the case has no {key}"))
}

impl Case {
    /// An input as a type, or its default if there is none. Nulls are left out, as an API server does.
    pub(crate) fn input<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T> {
        match self.inputs.get(name) {
            None | Some(Value::Null) => Ok(T::default()),
            Some(value) => serde_json::from_value(without_nulls(value.clone()))
                .with_context(|| format!("{name} of {}", self.name)),
        }
    }

    /// The Secrets and ConfigMaps of the case.
    pub(crate) fn objects(&self) -> Result<Objects> {
        let mut objects = Objects::default();
        for object in self.inputs.get("objects").and_then(Value::as_array).into_iter().flatten() {
            let object = without_nulls(object.clone());
            if object["kind"] == "ConfigMap" {
                objects.add_config_map(serde_json::from_value::<ConfigMap>(object)?);
            } else {
                objects.add_secret(serde_json::from_value::<Secret>(object)?);
            }
        }
        Ok(objects)
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(values) => values
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(values) => values.into_iter().map(without_nulls).collect::<Vec<_>>().into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
