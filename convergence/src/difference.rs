//! Compares two states leaf by leaf. Leaves that differ between two runs without a fault are masked. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::state::Name;

/// Every leaf of every object, by object and JSON pointer.
pub type Leaves = BTreeMap<(Name, String), Value>;

/// One leaf that differs.
#[derive(Debug, Clone, Copy)]
pub struct Difference<'a> {
    /// The object.
    pub name: &'a Name,
    /// The JSON pointer.
    pub path: &'a str,
    /// The expected value.
    pub expected: Option<&'a Value>,
    /// The value.
    pub found: Option<&'a Value>,
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |side: Option<&Value>| side.map_or_else(|| "nothing".into(), Value::to_string);
        write!(
            f,
            "{} {}: expected {}, found {}",
            self.name,
            self.path,
            shown(self.expected),
            shown(self.found)
        )
    }
}

/// Leaves that are not compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mask(BTreeSet<(Name, String)>);

impl Mask {
    /// The leaves that differ between two runs without a fault.
    pub fn between(one: &Leaves, other: &Leaves) -> Self {
        let keys: BTreeSet<&(Name, String)> = one.keys().chain(other.keys()).collect();
        Self(keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).cloned().collect())
    }

    /// How many leaves are masked.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is masked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One line for each masked leaf.
    pub fn describe(&self) -> Vec<String> {
        self.0.iter().map(|(name, path)| format!("           masked {name} {path}")).collect()
    }

    /// One line for each difference that matters. `ignored` says which never do.
    pub fn differences(
        &self,
        expected: &Leaves,
        found: &Leaves,
        ignored: impl Fn(&Difference<'_>) -> bool,
    ) -> Vec<String> {
        let keys: BTreeSet<&(Name, String)> = expected.keys().chain(found.keys()).collect();
        let mut lines = Vec::new();
        for key in keys {
            let (name, path) = key;
            let difference = Difference { name, path, expected: expected.get(key), found: found.get(key) };
            let Difference { expected, found, .. } = difference;
            let times = expected.is_some_and(is_time) && found.is_some_and(is_time);
            if expected != found && !times && !self.0.contains(key) && !ignored(&difference) {
                lines.push(difference.to_string());
            }
        }
        lines
    }
}

/// Whether a text is a point in time.
fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.parse::<k8s_openapi::jiff::Timestamp>().is_ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::state::State;

    #[test]
    fn leaves_that_differ_without_a_fault_are_masked() {
        let run = |namespace: &str, password: &str, size: &str| {
            let object = json!({
                "metadata": {"name": "a", "namespace": namespace, "uid": format!("uid-{namespace}"), "labels": {"a/b": "1"}},
                "data": {"password": password, "size": size},
            });
            let name = Name { kind: "secrets".into(), name: "a".into() };
            State([(name, object)].into()).leaves(namespace)
        };
        let (one, two) = (run("plan-1", "x", "1"), run("plan-2", "y", "1"));
        let mask = Mask::between(&one, &two);
        assert_eq!(mask.len(), 1);
        assert_eq!(mask.differences(&one, &run("plan-3", "z", "1"), |_| false), Vec::<String>::new());
        assert_eq!(
            mask.differences(&one, &run("plan-3", "z", "2"), |_| false),
            ["secrets/a /data/size: expected \"1\", found \"2\""]
        );
        let gone = mask.differences(&one, &Leaves::new(), |_| false);
        assert!(gone.contains(&"secrets/a /metadata/labels/a~1b: expected \"1\", found nothing".to_owned()));
    }
}
