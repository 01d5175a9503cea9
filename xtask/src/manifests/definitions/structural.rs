//! Converts the schema of a Rust type into a structural schema for Kubernetes: without references, without null,
//! without defaults that are zero values, and without descriptions of Kubernetes types.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::overlay;

/// The prefix of the names of Kubernetes types.
const KUBERNETES: &str = "io.k8s.";
const REFERENCE: &str = "#/$defs/";

/// The schema of a resource from the types of its spec and its status.
pub(super) fn resource<Spec: JsonSchema, Status: JsonSchema>(description: &str) -> Result<Value> {
    Ok(json!({
        "description": description,
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": of::<Spec>()?,
            "status": of::<Status>()?,
        },
    }))
}

/// The schema of a type.
fn of<T: JsonSchema>() -> Result<Value> {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
    let root = generator.subschema_for::<T>();
    let definitions: BTreeMap<String, Value> = generator
        .take_definitions(true)
        .into_iter()
        .map(|(name, schema)| {
            let schema = overlay::on(&name, schema);
            (name, schema)
        })
        .collect();
    without_references(root.as_value(), &definitions)
}

/// A schema without references.
fn without_references(schema: &Value, definitions: &BTreeMap<String, Value>) -> Result<Value> {
    let Value::Object(schema) = schema else {
        // `true`: any value is allowed.
        return Ok(json!({"x-kubernetes-preserve-unknown-fields": true}));
    };
    let mut schema = without_null(schema.clone());
    if let Some(Value::String(reference)) = schema.remove("$ref") {
        let name = reference.strip_prefix(REFERENCE).context("a reference to another document")?;
        let Value::Object(mut target) =
            definitions.get(name).with_context(|| format!("no type {name}"))?.clone()
        else {
            return Ok(json!({"x-kubernetes-preserve-unknown-fields": true}));
        };
        if name.starts_with(KUBERNETES) {
            target = without_descriptions(target, &[]);
        } else if name == overlay::SPREADING {
            target = without_descriptions(target, &overlay::OWN_FIELDS_OF_SPREADING);
        }
        // What is defined where the type is used overrides the definition of the type.
        target.extend(schema);
        schema = without_null(target);
        if schema.contains_key("$ref") {
            return without_references(&Value::Object(schema), definitions);
        }
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut() {
            *property = without_references(property, definitions)?;
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = schema.get_mut(key) {
            *part = without_references(part, definitions)?;
        }
    }
    for key in ["title", "$schema", "propertyNames", "unevaluatedProperties"] {
        schema.remove(key);
    }
    if schema.get("default").is_some_and(is_zero_value) && !schema.contains_key(overlay::EMPTY_DEFAULT) {
        schema.remove("default");
    }
    schema.remove(overlay::EMPTY_DEFAULT);
    // An integer of any size.
    schema.retain(|key, value| key != "format" || !value.is_null());
    if let Some(Value::String(format)) = schema.get("format")
        && format.starts_with("uint")
    {
        let signed = format.trim_start_matches('u').to_owned();
        schema.insert("format".into(), signed.into());
    }
    Ok(Value::Object(schema))
}

/// An `Option` is generated as a choice between a value and null, in one of three ways. Null is not allowed here.
fn without_null(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(kinds)) = schema.get("type") {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned().unwrap_or(Value::Null);
        schema.insert("type".into(), kind);
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf")
        && choices.contains(&json!({"type": "null"}))
        && let Some(Value::Object(choice)) =
            choices.iter().find(|choice| **choice != json!({"type": "null"})).cloned()
    {
        schema.remove("anyOf");
        for (key, value) in choice {
            schema.entry(key).or_insert(value);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    schema
}

/// The schema without descriptions, except those of our own fields: the descriptions of Kubernetes would be most of a
/// CRD.
fn without_descriptions(mut schema: Map<String, Value>, ours: &[&str]) -> Map<String, Value> {
    if ours.is_empty() {
        schema.remove("description");
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let others = properties.iter_mut().filter(|(field, _)| !ours.contains(&field.as_str()));
        for property in others.filter_map(|(_, property)| property.as_object_mut()) {
            property.remove("description");
        }
    }
    schema
}

/// Whether a default is only the zero value of the Rust type.
fn is_zero_value(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.iter().all(is_zero_value),
        Value::Object(values) => values.values().all(is_zero_value),
    }
}
