//! Configurations that are rejected although they are correct: `conformance/refusals.toml`. Pure.

use std::cell::Cell;
use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::configuration::{Configuration, Origin};

/// The known refusals, and which of them occurred.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refusals {
    #[serde(default)]
    refusal: Vec<Refusal>,
}

/// Cases that are rejected for the same reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusal {
    /// Why this is not a defect of Mainstay.
    reason: String,
    /// The message of the checker, or a part of it.
    words: String,
    /// Names of cases by reader. A name that ends in `*` is a prefix.
    cases: BTreeMap<String, Vec<Name>>,
}

/// The name of a case, and whether it was rejected.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct Name {
    text: String,
    occurred: Cell<bool>,
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self { text, occurred: Cell::new(false) }
    }
}

impl Name {
    fn matches(&self, case: &str) -> bool {
        match self.text.strip_suffix('*') {
            Some(beginning) => case.starts_with(beginning),
            None => case == self.text,
        }
    }
}

impl Refusals {
    /// Reads the file.
    pub(crate) fn read(text: &str) -> Result<Self> {
        toml::from_str(text).context("the list of refusals")
    }

    /// Why a refusal is not a defect of Mainstay, if it is listed. Golden files are never listed, because Mainstay
    /// alone is responsible for them.
    pub(crate) fn reason(&self, refused: &Configuration, words: &str) -> Option<&str> {
        if refused.origin == Origin::Golden {
            return None;
        }
        let mut reason = None;
        for refusal in self.refusal.iter().filter(|refusal| words.contains(&refusal.words)) {
            let names = refusal.cases.get(refused.reader.name()).into_iter().flatten();
            for name in names.filter(|name| name.matches(refused.case())) {
                name.occurred.set(true);
                reason = Some(refusal.reason.as_str());
            }
        }
        reason
    }

    /// The listed refusals that did not occur.
    pub(crate) fn stale(&self) -> Vec<String> {
        let mut stale = Vec::new();
        for refusal in &self.refusal {
            for (reader, names) in &refusal.cases {
                for name in names.iter().filter(|name| !name.occurred.get()) {
                    stale.push(format!("{reader} {}: {}", name.text, refusal.words));
                }
            }
        }
        stale
    }
}

#[cfg(test)]
mod tests {
    use super::super::checker::tests::configuration;
    use super::super::configuration::Reader;
    use super::*;

    const LIST: &str = r#"
        [[refusal]]
        reason = "came later"
        words = "not found"
        cases = { prometheus = ["ca*", "other"], alertmanager = ["case"] }
    "#;

    #[test]
    fn the_reader_the_case_and_the_words_must_agree() {
        let refusals = Refusals::read(LIST).unwrap();
        let of = |reader| configuration(reader, "2.0.0", "");
        let prometheus = of(Reader::Prometheus);
        assert_eq!(refusals.reason(&prometheus, "field x not found"), Some("came later"));
        assert_eq!(refusals.reason(&prometheus, "field x is twice"), None);
        assert_eq!(refusals.reason(&of(Reader::PrometheusAgent), "field x not found"), None);
        let golden = Configuration { origin: Origin::Golden, ..prometheus };
        assert_eq!(refusals.reason(&golden, "field x not found"), None);
        assert_eq!(refusals.stale(), ["alertmanager case: not found", "prometheus other: not found"]);
    }

    #[test]
    fn the_list_can_be_read() {
        let text = include_str!("../../../conformance/refusals.toml");
        assert!(!Refusals::read(text).unwrap().refusal.is_empty());
    }
}
