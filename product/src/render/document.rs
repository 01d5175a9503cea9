//! Reads files: every document of every file, with its namespace.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub struct InputDocument {
    /// Its content.
    pub value: Value,
}

impl InputDocument {
    fn text(&self, field: &str) -> &str {
        self.value[field].as_str().unwrap_or_default()
    }

    /// Its kind.
    pub fn kind(&self) -> &str {
        self.text("kind")
    }

    /// Its version, with the group.
    pub fn api_version(&self) -> &str {
        self.text("apiVersion")
    }

    /// Kind, namespace and name, for messages.
    pub fn name(&self) -> String {
        let metadata = &self.value["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default();
        match (self.kind(), text("namespace")) {
            ("", _) => "an object without a kind".to_owned(),
            (kind, "") => format!("{kind} {}", text("name")),
            (kind, namespace) => format!("{kind} {namespace}/{}", text("name")),
        }
    }

    /// The API group of its kind; empty for the core.
    pub fn group(&self) -> &str {
        self.api_version().split_once('/').map_or("", |(group, _)| group)
    }

    /// Whether resources of any product can reference it.
    pub fn is_shared(&self) -> bool {
        self.api_version() == "v1" && matches!(self.kind(), "Secret" | "ConfigMap" | "Namespace")
    }
}

/// Every document of these files and directories.
pub fn read_all(paths: &[PathBuf], namespace: &str) -> Result<Vec<InputDocument>> {
    let mut documents = Vec::new();
    for path in paths {
        for (source, text) in read(path)? {
            documents.extend(read_text(&text, namespace).with_context(|| source.display().to_string())?);
        }
    }
    Ok(documents)
}

/// Every document of a text, and the items of lists.
pub fn read_text(text: &str, namespace: &str) -> Result<Vec<InputDocument>> {
    let values: Vec<Value> = serde_saphyr::from_multiple(text).context("this is not valid YAML")?;
    let mut documents = Vec::new();
    for value in values.into_iter().filter(|value| !value.is_null()) {
        let is_list = value["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
        let items = value["items"].as_array().filter(|_| is_list);
        let values = items.cloned().unwrap_or_else(|| vec![value]);
        documents.extend(values.into_iter().map(|value| with_namespace(value, namespace)));
    }
    Ok(documents)
}

/// A document with the default namespace if it has none.
fn with_namespace(mut value: Value, namespace: &str) -> InputDocument {
    let has_none = value["metadata"]["namespace"].is_null() && value["kind"] != "Namespace";
    if let Some(metadata) = value["metadata"].as_object_mut().filter(|_| has_none) {
        metadata.insert("namespace".into(), namespace.into());
    }
    InputDocument { value }
}

fn read(path: &Path) -> Result<Vec<(PathBuf, String)>> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(vec![("standard input".into(), text)]);
    }
    let file = |path: &Path| {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((path.to_owned(), text))
    };
    if !path.is_dir() {
        return Ok(vec![file(path)?]);
    }
    let entries = std::fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| {
        path.extension().is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end == *known))
    });
    paths.sort();
    paths.iter().map(|path| file(path)).collect()
}
