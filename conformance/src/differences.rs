//! Where we differ on purpose. Each is documented in `docs/differences.md`, with the case that shows it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// What is documented.
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
    /// Why, in words.
    reason: String,
    /// Names of cases by category. A name that ends in `*` matches all names with this prefix.
    #[serde(default)]
    cases: BTreeMap<String, Vec<String>>,
    /// What the peer says, by category: the difference shows in every case in which it refuses with these words and we do
    /// not say them.
    #[serde(default)]
    refusals: BTreeMap<String, Vec<String>>,
}

/// Reads the file.
pub(crate) fn read(path: &Path) -> Result<Differences> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("reading {}", path.display()))
}

impl Differences {
    /// Why a case differs, if that is documented.
    pub(crate) fn reason(&self, category: &str, case: &str, expected: &str, found: &str) -> Option<&str> {
        let named = |name: &String| match name.strip_suffix('*') {
            Some(beginning) => case.starts_with(beginning),
            None => case == name,
        };
        let refused = |words: &String| expected.contains(words.as_str()) && !found.contains(words.as_str());
        let difference = self.difference.iter().find(|difference| {
            difference.cases.get(category).is_some_and(|names| names.iter().any(named))
                || difference.refusals.get(category).is_some_and(|words| words.iter().any(refused))
        })?;
        Some(&difference.reason)
    }
}
