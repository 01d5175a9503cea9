//! The results of the checks, and their table. Pure.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::anyhow;
use lab::console::table;

use super::checker::Checker;
use super::configuration::Configuration;
use super::refusals::Refusals;
use crate::summary::Outcome;

/// The counts of all checkers, and the names of rejected and unchecked configurations.
#[derive(Debug)]
pub(crate) struct Tally {
    refusals: Refusals,
    checkers: BTreeMap<String, Counts>,
    refused: Vec<String>,
    unchecked: Vec<String>,
}

/// How many configurations a checker was given, and the results.
#[derive(Debug, Default)]
struct Counts {
    all: usize,
    different: usize,
    accepted: usize,
    listed: usize,
    refused: usize,
}

/// The message of a checker, from the output of its program, in one line.
pub(crate) fn message(printed: &str) -> String {
    let message = printed.split_once("FAILED:").map_or(printed, |(_, message)| message);
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Tally {
    /// No results.
    pub(crate) fn new(refusals: Refusals) -> Self {
        Self { refusals, checkers: BTreeMap::new(), refused: Vec::new(), unchecked: Vec::new() }
    }

    /// Adds a configuration that no program can check.
    pub(crate) fn add_unchecked(&mut self, configuration: &Configuration) {
        self.unchecked.push(configuration.shown());
    }

    /// Adds the result for configurations with the same content: accepted, or refused with a message.
    pub(crate) fn add(&mut self, checker: &Checker, same: &[&Configuration], refused: Option<&str>) {
        let counts = self.checkers.entry(checker.shown()).or_default();
        counts.different += 1;
        for one in same {
            counts.all += 1;
            match refused {
                None => counts.accepted += 1,
                Some(message) if self.refusals.reason(one, message).is_some() => counts.listed += 1,
                Some(message) => {
                    counts.refused += 1;
                    self.refused.push(format!("{} by {}: {message}", one.shown(), checker.shown()));
                }
            }
        }
    }

    /// A table of the checkers, then the refusals.
    pub(crate) fn report(&self) -> String {
        let heading = ["CHECKER", "CONFIGURATIONS", "DIFFERENT", "ACCEPTED", "REFUSED AS LISTED", "REFUSED"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        for (checker, Counts { all, different, accepted, listed, refused }) in &self.checkers {
            let numbers = [all, different, accepted, listed, refused].map(ToString::to_string);
            rows.push(std::iter::once(checker.clone()).chain(numbers).collect());
        }
        let mut text = table(&rows);
        for refused in &self.refused {
            let _ = writeln!(text, "refused: {refused}");
        }
        text
    }

    /// Good if all refusals are listed and, if all cases were run, all listed refusals occurred.
    pub(crate) fn outcome(&self, all_cases: bool) -> Outcome {
        let mut outcome = Outcome::default();
        for name in &self.unchecked {
            outcome.also_skipped(name, "the lab has no program for its version");
        }
        if !self.refused.is_empty() {
            outcome.also_failed(&anyhow!("refused: {}", self.refused.join("; ")));
        }
        let stale = if all_cases { self.refusals.stale() } else { Vec::new() };
        if !stale.is_empty() {
            outcome.also_failed(&anyhow!(
                "listed in conformance/refusals.toml, and not refused: {}",
                stale.join("; ")
            ));
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use lab::paths::Cache;
    use lab::programs::Builder;
    use lab::versions::Versions;

    use super::super::checker::tests::configuration;
    use super::super::configuration::Reader;
    use super::*;

    const LIST: &str = r#"
        [[refusal]]
        reason = "left out by the case"
        words = "empty duration"
        cases = { prometheus = ["case"] }
    "#;

    fn tally(refused: Option<&str>) -> Tally {
        let checkers = Checker::all(&Versions::built_in(), &Builder::new(Cache::at("/cache"))).unwrap();
        let one = configuration(Reader::Prometheus, "3.13.0", "");
        let mut tally = Tally::new(Refusals::read(LIST).unwrap());
        tally.add(Checker::choose(&checkers, &one).unwrap(), &[&one, &one], refused);
        tally
    }

    #[test]
    fn a_refusal_fails_and_is_reported() {
        let tally = tally(Some("no such field"));
        assert_eq!(
            tally.report(),
            "CHECKER           CONFIGURATIONS   DIFFERENT   ACCEPTED   REFUSED AS LISTED   REFUSED\n\
             promtool 3.13.1   2                1           0          0                   2\n\
             refused: prometheus/3.13.0/case@3.13.0 by promtool 3.13.1: no such field\n\
             refused: prometheus/3.13.0/case@3.13.0 by promtool 3.13.1: no such field\n"
        );
        let why = tally.outcome(false).failure.unwrap();
        assert!(why.starts_with("refused: prometheus/3.13.0/case@3.13.0 by promtool 3.13.1: no"), "{why}");
    }

    #[test]
    fn a_listed_refusal_must_occur() {
        assert_eq!(tally(Some("empty duration string")).outcome(true), Outcome::default());
        assert_eq!(tally(None).outcome(false), Outcome::default());
        let stale = "listed in conformance/refusals.toml, and not refused: prometheus case: empty duration";
        assert_eq!(tally(None).outcome(true).failure.as_deref(), Some(stale));
    }

    #[test]
    fn an_unchecked_configuration_is_named_and_counted() {
        let mut tally = tally(None);
        tally.add_unchecked(&configuration(Reader::Alertmanager, "1.0.0", ""));
        let report = tally.outcome(false).report;
        assert_eq!(report.counts.skipped, 1);
        let named = "alertmanager/1.0.0/case@1.0.0 (the lab has no program for its version)";
        assert_eq!(report.skipped, [named]);
    }

    #[test]
    fn the_message_follows_the_word_failed() {
        assert_eq!(
            message("`promtool …` failed: Checking x\n  FAILED: parsing x:\n  line 3: no\n"),
            "parsing x: line 3: no"
        );
        assert_eq!(message("killed\n"), "killed");
    }
}
