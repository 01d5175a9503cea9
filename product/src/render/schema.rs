//! The processing of a resource by the API server before an operator gets it: the server sets defaults, drops unknown fields,
//! and rejects invalid values. Rules that span several fields are not checked here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use regex::Regex;
use serde_json::{Map, Value};

use crate::definition::Definition;

/// The problems of a resource.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Unknown fields.
    pub unknown: Vec<String>,
    /// Values that the server would reject.
    pub refused: Vec<String>,
}

/// The schema of a kind at a version.
type Schema = ((String, String), Arc<Value>);

/// The schemas of files that were read, by plural: parsing a large file is slow.
static READ: Mutex<BTreeMap<String, Vec<Schema>>> = Mutex::new(BTreeMap::new());

/// The schemas of some kinds, by `apiVersion` and kind.
#[derive(Debug, Default)]
pub struct Schemas(BTreeMap<(String, String), Arc<Value>>);

impl Schemas {
    /// Reads the definitions of these kinds only: parsing a large definition is slow.
    pub fn read(definitions: &[Definition], kinds: &[&str]) -> Result<Self> {
        let mut schemas = BTreeMap::new();
        for definition in definitions {
            let singular = |kind: &&str| {
                definition.plural().strip_prefix(&*kind.to_lowercase()).is_some_and(is_plural_end)
            };
            if kinds.iter().any(singular) {
                schemas.extend(known_schemas_of(definition)?);
            }
        }
        Ok(Self(schemas))
    }

    /// Processes a resource as the server does. Returns `None` if its kind is unknown.
    pub fn admit(&self, api_version: &str, kind: &str, resource: &mut Value) -> Option<Findings> {
        let schema = self.0.get(&(api_version.to_owned(), kind.to_owned()))?;
        let mut findings = Findings::default();
        let properties = schema["properties"].as_object();
        for (field, schema) in properties.into_iter().flatten() {
            if let Some(value) = resource.get_mut(field).filter(|_| field != "metadata") {
                walk(schema, value, field, &mut findings);
            }
        }
        Some(findings)
    }
}

fn known_schemas_of(definition: &Definition) -> Result<Vec<Schema>> {
    let Definition::File { plural, .. } = definition else { return schemas_of(definition) };
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = read.get(*plural) {
        return Ok(known.clone());
    }
    let schemas = schemas_of(definition)?;
    read.insert((*plural).to_owned(), schemas.clone());
    Ok(schemas)
}

/// The schemas in a definition.
fn schemas_of(definition: &Definition) -> Result<Vec<Schema>> {
    let plural = definition.plural().to_owned();
    let mut definition: Value = serde_saphyr::from_str(&definition.yaml()?).context(plural)?;
    let spec = definition["spec"].take();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let schema = |version: &Value| {
        let api_version = format!("{}/{}", text(&spec["group"]), text(&version["name"]));
        ((api_version, text(&spec["names"]["kind"])), Arc::new(version["schema"]["openAPIV3Schema"].clone()))
    };
    Ok(spec["versions"].as_array().into_iter().flatten().map(schema).collect())
}

/// Whether a text is the suffix of a plural.
fn is_plural_end(end: &str) -> bool {
    matches!(end, "s" | "es")
}

fn walk(schema: &Value, value: &mut Value, path: &str, findings: &mut Findings) {
    if value.is_null() && schema["nullable"] == true {
        return;
    }
    if let Some(problem) = problem(schema, value) {
        findings.refused.push(format!("{path}: {problem}"));
        return;
    }
    match value {
        Value::Object(fields) => walk_fields(schema, fields, path, findings),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                walk(&schema["items"], item, &format!("{path}[{index}]"), findings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn walk_fields(schema: &Value, fields: &mut Map<String, Value>, path: &str, findings: &mut Findings) {
    let known = schema["properties"].as_object();
    let free = &schema["additionalProperties"];
    let keeps_all = schema["x-kubernetes-preserve-unknown-fields"] == true || free == true;
    for (field, schema) in known.into_iter().flatten() {
        // A field without a value counts as absent if it has a default.
        let absent = fields.get(field).is_none_or(|value| value.is_null() && schema["nullable"] != true);
        if let Some(default) = schema.get("default").filter(|_| absent) {
            fields.insert(field.clone(), default.clone());
        }
    }
    let mut unknown = Vec::new();
    for (field, value) in fields.iter_mut() {
        let path = format!("{path}.{field}");
        match (known.and_then(|known| known.get(field)), free.is_object()) {
            // As at the server, a field without a value and without a default is dropped.
            (Some(_), _) if value.is_null() => unknown.push(field.clone()),
            (Some(schema), _) => walk(schema, value, &path, findings),
            (None, true) => walk(free, value, &path, findings),
            (None, false) if keeps_all => {}
            (None, false) => {
                findings.unknown.push(path);
                unknown.push(field.clone());
            }
        }
    }
    fields.retain(|field, _| !unknown.contains(field));
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(required) {
            findings.refused.push(format!("{path}.{required}: it is required"));
        }
    }
}

/// Why a value is invalid, without regard to other fields.
fn problem(schema: &Value, value: &Value) -> Option<String> {
    let wanted = schema["type"].as_str();
    let fits = match (wanted, value) {
        _ if schema["x-kubernetes-int-or-string"] == true => value.is_i64() || value.is_string(),
        (Some("string"), _) => value.is_string(),
        (Some("integer"), _) => value.is_i64() || value.is_u64(),
        (Some("number"), _) => value.is_number(),
        (Some("boolean"), _) => value.is_boolean(),
        (Some("object"), _) => value.is_object(),
        (Some("array"), _) => value.is_array(),
        (_, _) => true,
    };
    if !fits {
        return Some(format!("{value} is not a {}", wanted.unwrap_or("number or string")));
    }
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
        let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        return Some(format!("{value} is not one of {}", allowed.join(", ")));
    }
    if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str()) {
        let fits = Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text));
        if !fits {
            return Some(format!("{value} does not match {pattern}"));
        }
    }
    let limit = |name: &str| schema[name].as_i64();
    let (size, least, most) = match value {
        Value::String(text) => {
            (i64::try_from(text.chars().count()).ok()?, limit("minLength"), limit("maxLength"))
        }
        Value::Array(items) => (i64::try_from(items.len()).ok()?, limit("minItems"), limit("maxItems")),
        Value::Number(number) => (number.as_i64()?, limit("minimum"), limit("maximum")),
        Value::Null | Value::Bool(_) | Value::Object(_) => return None,
    };
    if least.is_some_and(|least| size < least) {
        return Some(format!("{value} is less than {}", least.unwrap_or_default()));
    }
    if most.is_some_and(|most| size > most) {
        return Some(format!("it is more than {}", most.unwrap_or_default()));
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn admitted(mut resource: Value) -> (Value, Findings) {
        let file = |plural, yaml| Definition::File { plural, yaml };
        let definitions = [
            file(
                "prometheuses",
                include_str!("../../../deploy/crds/prometheuses.monitoring.coreos.com.yaml"),
            ),
            file(
                "servicemonitors",
                include_str!("../../../deploy/crds/servicemonitors.monitoring.coreos.com.yaml"),
            ),
        ];
        let schemas = Schemas::read(&definitions, &["ServiceMonitor", "Prometheus"]).unwrap();
        let kind = resource["kind"].as_str().unwrap().to_owned();
        let findings = schemas.admit("monitoring.coreos.com/v1", &kind, &mut resource).unwrap();
        (resource, findings)
    }

    #[test]
    fn defaults_are_set() {
        let (resource, findings) = admitted(json!({"kind": "Prometheus", "spec": {"version": null}}));
        assert_eq!(findings, Findings::default());
        assert_eq!(
            resource["spec"],
            json!({"evaluationInterval": "30s", "portName": "web", "scrapeInterval": "30s", "shards": 1})
        );
    }

    #[test]
    fn unknown_fields_are_dropped_and_invalid_values_are_rejected() {
        let endpoint =
            json!({"port": 1, "interval": "soon", "scheme": "gopher", "targetPort": "web", "pth": "/"});
        let spec = json!({"endpoints": [endpoint], "selector": {"matchLabels": {"a": "b"}}});
        let (resource, findings) = admitted(json!({"kind": "ServiceMonitor", "spec": spec}));
        assert_eq!(findings.unknown, ["spec.endpoints[0].pth"]);
        assert_eq!(resource["spec"]["selector"]["matchLabels"]["a"], "b");
        let fields: Vec<&str> =
            findings.refused.iter().filter_map(|message| Some(message.split_once(": ")?.0)).collect();
        assert_eq!(
            fields,
            ["spec.endpoints[0].interval", "spec.endpoints[0].port", "spec.endpoints[0].scheme"]
        );
    }
}
