//! Known results of single tests of the suite, with the reason: `known.toml`. Pure.

use anyhow::{Context, Result};
use serde::Deserialize;

/// The known results.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    test: Vec<KnownTest>,
}

/// A test whose failure says nothing about the operator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownTest {
    /// Its full name.
    name: String,
    /// The only case of it that may fail, where it has cases.
    case: Option<String>,
    /// Why.
    pub(crate) reason: String,
}

impl Known {
    /// The list that is compiled into this program.
    pub(crate) fn built_in() -> Result<Self> {
        toml::from_str(include_str!("known.toml")).context("known.toml")
    }

    /// Why the failure of these cases of a test is excused, if all of them are known.
    pub(crate) fn excuse(&self, test: &str, cases: &[&str]) -> Option<&KnownTest> {
        let covers = |known_test: &&KnownTest| {
            known_test.name == test
                && known_test.case.as_ref().is_none_or(|case| {
                    let known = format!("{test}/{case}");
                    !cases.is_empty() && cases.iter().all(|failed| *failed == known)
                })
        };
        self.test.iter().find(covers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_case_excuses_no_other_case() {
        let known = Known::built_in().unwrap();
        let test = "TestAllNS/y/ScrapeConfigCreation";
        let case = format!("{test}/invalid-scaleway-sd-config-with-empty-tagfilter");
        let other = format!("{test}/another");
        assert!(known.excuse(test, &[&case]).is_some());
        assert!(known.excuse(test, &[&case, &other]).is_none());
        assert!(known.excuse(test, &[]).is_none());
        assert!(known.excuse("TestAllNS/y/Thanos", &[]).is_none());
    }

    #[test]
    fn a_test_without_cases_is_excused_as_a_whole() {
        let test = "TestAllNS/y/ScrapeConfigDNSSD";
        assert!(Known::built_in().unwrap().excuse(test, &[test]).is_some());
    }

    #[test]
    fn every_name_is_in_a_group() {
        for known in Known::built_in().unwrap().test {
            let within =
                |group: &super::super::group::Group| known.name.starts_with(&format!("{}/", group.prefix()));
            assert!(super::super::group::ALL.iter().any(within), "{}", known.name);
        }
    }
}
