//! What a resource points to, going by its JSON: wherever a Secret or a ConfigMap is selected from, the text has a name
//! beside a key. So all references are known before anything is read, also those behind one that is missing.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::Objects;
use crate::reader::{Reference, Source};

/// The Secrets and ConfigMaps that a JSON text selects keys of.
#[derive(Debug, Clone, Default)]
pub struct Named(Vec<(Source, String, String)>);

impl Named {
    /// What some fields of an object select. A field of a field is named with a slash.
    pub fn in_fields(object: &Value, fields: &[&str]) -> Self {
        let found = fields.iter().filter_map(|field| object.pointer(&format!("/{field}")));
        let found = found.filter_map(|field| Self::deserialize(field).ok());
        Self(found.flat_map(|named| named.0).collect())
    }

    /// The objects in this namespace.
    pub fn of_namespace(&self, namespace: &str) -> BTreeSet<Reference> {
        let reference = |(source, name, _): &(Source, String, String)| Reference {
            source: *source,
            namespace: namespace.to_owned(),
            name: name.clone(),
        };
        self.0.iter().map(reference).collect()
    }

    /// Whether an object of this namespace is not there, or lacks the key.
    pub fn lacks_some(&self, namespace: &str, objects: &Objects) -> bool {
        self.0.iter().any(|(source, name, key)| match source {
            Source::Secret => !objects
                .secret(namespace, name)
                .is_some_and(|secret| secret.data.iter().flatten().any(|(known, _)| known == key)),
            Source::ConfigMap => !objects
                .config_map(namespace, name)
                .is_some_and(|map| map.data.iter().flatten().any(|(known, _)| known == key)),
        })
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut found = Vec::new();
        Walk { found: &mut found, source: Source::Secret }.deserialize(deserializer)?;
        Ok(Self(found))
    }
}

/// A walk through a text; the text of the value, if it is one.
struct Walk<'w> {
    found: &'w mut Vec<(Source, String, String)>,
    /// What is selected from here, going by the field.
    source: Source,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut name, mut key) = (None, None);
        while let Some(field) = map.next_key::<Cow<'de, str>>()? {
            let source = if field == "configMap" { Source::ConfigMap } else { Source::Secret };
            let text = map.next_value_seed(Walk { found: self.found, source })?;
            match &*field {
                "name" => name = text,
                "key" => key = text,
                _ => {}
            }
        }
        if let (Some(name), Some(key)) = (name.filter(|name: &String| !name.is_empty()), key) {
            self.found.push((self.source, name, key));
        }
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element_seed(Walk { found: self.found, source: Source::Secret })?.is_some() {}
        Ok(None)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
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
