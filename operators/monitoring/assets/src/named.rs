//! The references of a resource, found in its JSON: every selector of a Secret or a ConfigMap has a name beside a key. So
//! all references are known before anything is fetched, even if one of the objects is missing.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Objects;
use crate::reader::{Reference, SourceKind};

/// The Secrets and ConfigMaps that a JSON text selects keys of.
#[derive(Debug, Clone, Default)]
pub struct Named(Vec<KeySelector>);

/// A selected key. The object is in the namespace of the resource.
#[derive(Debug, Clone)]
struct KeySelector {
    source: SourceKind,
    name: String,
    key: String,
}

impl KeySelector {
    fn reference(&self, namespace: &str) -> Reference {
        Reference { source: self.source, namespace: namespace.to_owned(), name: self.name.clone() }
    }
}

impl Named {
    /// The references in some fields of an object. A nested field is named with slashes.
    pub fn in_fields(object: &Value, fields: &[&str]) -> Self {
        let found = fields.iter().filter_map(|field| object.pointer(&format!("/{field}")));
        let found = found.filter_map(|field| Self::deserialize(field).ok());
        Self(found.flat_map(|named| named.0).collect())
    }

    /// The objects in this namespace.
    pub fn of_namespace(&self, namespace: &str) -> BTreeSet<Reference> {
        self.0.iter().map(|selector| selector.reference(namespace)).collect()
    }

    /// Whether an object of this namespace or a key of it is missing.
    pub fn lacks_some(&self, namespace: &str, objects: &Objects) -> bool {
        self.0.iter().any(|selector| objects.value(&selector.reference(namespace), &selector.key).is_err())
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut found = Vec::new();
        collect(&Value::deserialize(deserializer)?, SourceKind::Secret, &mut found);
        Ok(Self(found))
    }
}

/// Collects the selectors in a value. A field `configMap` selects from a ConfigMap, any other field from a Secret.
fn collect(value: &Value, source: SourceKind, found: &mut Vec<KeySelector>) {
    match value {
        Value::Object(fields) => {
            let text = |field: &str| fields.get(field).and_then(Value::as_str);
            if let (Some(name), Some(key)) = (text("name").filter(|name| !name.is_empty()), text("key")) {
                found.push(KeySelector { source, name: name.to_owned(), key: key.to_owned() });
            }
            for (field, value) in fields {
                let source = if field == "configMap" { SourceKind::ConfigMap } else { SourceKind::Secret };
                collect(value, source, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, SourceKind::Secret, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(value: &Value) -> Vec<String> {
        let found = Named::deserialize(value).unwrap().of_namespace("n");
        found.iter().map(|one| format!("{} {}/{}", one.source, one.namespace, one.name)).collect()
    }

    #[test]
    fn a_name_beside_a_key_is_a_reference() {
        let text = json!({
            "basicAuth": {"username": {"name": "a", "key": "user"}, "password": {"key": "p", "name": "b", "optional": true}},
            "tls": [{"ca": {"configMap": {"name": "c", "key": "ca"}}}, {"cert": {"secret": {"name": "d", "key": "k"}}}],
            "headers": {"x": [{"name": "e", "key": "h"}]},
        });
        assert_eq!(found(&text), ["secret n/a", "secret n/b", "secret n/d", "secret n/e", "configmap n/c"]);
    }

    #[test]
    fn nothing_else_is() {
        let text = json!({
            "unnamed": {"name": "", "key": "a"}, "defaulted": {"key": "a"}, "port": {"name": "a"},
            "matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}],
            "matchers": [{"name": "a", "value": "b"}], "numbers": [1, -1, 1.5, true, null], "key": 1, "name": "a",
        });
        assert_eq!(found(&text), Vec::<String>::new());
        assert_eq!(Named::in_fields(&text, &["unnamed", "absent"]).of_namespace("n"), BTreeSet::new());
        let text = json!({"a": {"b": {"name": "x", "key": "k"}, "c": {"name": "y", "key": "k"}}});
        assert_eq!(Named::in_fields(&text, &["a/b"]).of_namespace("n").len(), 1);
    }
}
