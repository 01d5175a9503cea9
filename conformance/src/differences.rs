//! Intentional differences. Each is documented in `docs/differences.md`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The documented differences.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Differences {
    #[serde(default)]
    difference: Vec<Difference>,
}

/// A difference and the cases that show it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// The reason.
    reason: String,
    /// Names of cases by category. A name that ends in `*` matches all names with this prefix.
    #[serde(default)]
    cases: BTreeMap<String, Vec<String>>,
    /// Error messages of the Prometheus Operator by category: every case with one of them is a documented difference, unless
    /// our message contains it too.
    #[serde(default)]
    refusals: BTreeMap<String, Vec<String>>,
}

/// Reads the file.
pub(crate) fn read(path: &Path) -> Result<Differences> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("reading {}", path.display()))
}

impl Differences {
    /// The documented reason of a difference, if any.
    pub(crate) fn reason(&self, category: &str, case: &str, expected: &str, found: &str) -> Option<&str> {
        let named = |name: &String| match name.strip_suffix('*') {
            Some(prefix) => case.starts_with(prefix),
            None => case == name,
        };
        let rejected = |text: &String| expected.contains(text.as_str()) && !found.contains(text.as_str());
        let difference = self.difference.iter().find(|difference| {
            difference.cases.get(category).is_some_and(|names| names.iter().any(named))
                || difference.refusals.get(category).is_some_and(|texts| texts.iter().any(rejected))
        })?;
        Some(&difference.reason)
    }
}
